import { toYaml } from '../../core/yaml.ts';

export interface RegistryListener {
  readonly port: number;
  /** Registry host it fetches from, instead of serving the store. */
  readonly upstream?: string | undefined;
}

export interface RegistryConfigInput {
  readonly data: string;
  readonly listeners: readonly RegistryListener[];
  /** Paths of PEM files. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  /** Path of an htpasswd file with bcrypt hashes. */
  readonly htpasswd?: string | undefined;
  readonly accessLog?: string | undefined;
}

/** The configuration file of `atoll registry serve`. */
export function registryConfig(input: RegistryConfigInput): string {
  const listeners = input.listeners.toSorted((a, b) => a.port - b.port);
  return toYaml({
    storage: { path: input.data },
    listeners: listeners.map(({ port, upstream }) => ({
      address: `0.0.0.0:${port}`,
      ...(input.tls ? { tls: { certificate: input.tls.certificate, key: input.tls.key } } : {}),
      ...(upstream === undefined ? {} : { upstream }),
    })),
    ...(input.htpasswd === undefined ? {} : { auth: { htpasswd: input.htpasswd } }),
    ...(input.accessLog === undefined ? {} : { accessLog: input.accessLog }),
  });
}

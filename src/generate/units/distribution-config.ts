import { toYaml } from '../../core/yaml.ts';

export interface DistributionConfigInput {
  readonly port: number;
  /** Directory of the content, as the process sees it. */
  readonly data: string;
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  /** Path of an htpasswd file with bcrypt hashes. */
  readonly htpasswd?: string | undefined;
  /** Makes it a pull-through cache, which then takes no pushes. */
  readonly cacheOf?: UpstreamRegistry | undefined;
  /** Address to listen on; all unless named. */
  readonly address?: string | undefined;
}

export interface UpstreamRegistry {
  /** Such as `https://quay.io`. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** `config.yml` of `registry:2` (CNCF distribution). It holds the upstream's password where there is one. */
export function distributionConfig(input: DistributionConfigInput): string {
  return toYaml({
    version: 0.1,
    log: { level: 'info', fields: { service: 'registry', port: input.port } },
    storage: {
      filesystem: { rootdirectory: input.data },
      delete: { enabled: input.cacheOf === undefined },
      cache: { blobdescriptor: 'inmemory' },
    },
    http: {
      addr: `${input.address ?? ''}:${input.port}`,
      headers: { 'X-Content-Type-Options': ['nosniff'] },
      ...(input.tls ? { tls: { certificate: input.tls.certificate, key: input.tls.key } } : {}),
    },
    ...(input.htpasswd === undefined
      ? {}
      : { auth: { htpasswd: { realm: 'registry', path: input.htpasswd } } }),
    ...(input.cacheOf ? { proxy: proxyOf(input.cacheOf) } : {}),
    health: { storagedriver: { enabled: true, interval: '10s', threshold: 3 } },
  });
}

function proxyOf({ url, username, password }: UpstreamRegistry): Record<string, string> {
  return {
    remoteurl: url,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

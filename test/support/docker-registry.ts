import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startListening } from './listening-program.ts';
import { peerPath } from './peers.ts';

export interface DockerRegistryOptions {
  /** Lines of an htpasswd file with bcrypt hashes. */
  readonly htpasswd?: string;
  /** Paths of PEM files. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Makes it a pull-through cache of this URL. */
  readonly proxyOf?: string;
  readonly port?: number;
}

export interface DockerRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly url: string;
  readonly root: string;
  readonly stop: () => Promise<void>;
}

/** A port nobody listens on right now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Debian's docker-registry on loopback, with its own storage; call `stop` when done. */
export async function startDockerRegistry(
  options: DockerRegistryOptions = {},
): Promise<DockerRegistry> {
  const root = await mkdtemp(join(tmpdir(), 'atoll-docker-registry-'));
  const port = options.port ?? (await freePort());
  const host = `127.0.0.1:${port}`;
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'htpasswd'), options.htpasswd ?? '');
  await writeFile(join(root, 'config.yml'), configFor(root, host, options));

  const program = peerPath('docker-registry') ?? 'docker-registry';
  const end = await startListening(program, ['serve', join(root, 'config.yml')], port);
  const url = `${options.tls ? 'https' : 'http'}://${host}`;
  const stop = async () => {
    await end();
    await rm(root, { recursive: true, force: true });
  };
  return { host, url, root, stop };
}

function configFor(root: string, host: string, options: DockerRegistryOptions): string {
  return JSON.stringify({
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(root, 'data') }, delete: { enabled: true } },
    http: {
      addr: host,
      ...(options.tls
        ? { tls: { certificate: options.tls.certificate, key: options.tls.key } }
        : {}),
    },
    ...(options.htpasswd
      ? { auth: { htpasswd: { realm: 'test', path: join(root, 'htpasswd') } } }
      : {}),
    ...(options.proxyOf ? { proxy: { remoteurl: options.proxyOf } } : {}),
  });
}

import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { isTransient } from '../../core/errors.ts';
import { readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';
import { toYaml } from '../../generate/yaml.ts';
import type { Reference } from '../../oci/reference.ts';
import { initRegistry } from '../../registry/init.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { startService } from '../service.ts';
import type { Break } from './lab-settings.ts';
import { writeLabSettings } from './lab-settings.ts';
import {
  CATALOG_IMAGE,
  EXTRA_IMAGE,
  LAB_VERSIONS,
  makeUpstream,
  upstreamFiles,
} from './upstream/upstream.ts';

// <lab>/
//   upstream/   what the internet would hold: a registry, graph, signatures, keys
//   site/       atoll.yaml, pull-secret.json and .atoll/, as any site has them

export interface LabOptions {
  readonly directory: string;
  readonly airgap: boolean;
  readonly break: Break | undefined;
}

export interface PreparedLab {
  readonly siteFile: string;
  readonly upstreamPidFile: string;
}

const UPSTREAM_HOSTS = ['quay.io', 'registry.redhat.io'];
const PATIENCE_MS = 30_000;

/** Makes everything a lab needs before its site can come up. What is there already stays. */
export async function prepareLab(ctx: Context, options: LabOptions): Promise<PreparedLab> {
  const upstream = join(options.directory, 'upstream');
  const site = join(options.directory, 'site');
  const { port, auth } = await ensureUpstreamRegistry(ctx, upstream);
  const upstreamPidFile = join(upstream, 'registry.pid');
  const prepared = { siteFile: join(site, 'atoll.yaml'), upstreamPidFile };
  await writeLabSettings(join(site, '.atoll'), {
    upstreamPidFile,
    ...(options.break ? { break: options.break } : {}),
  });

  await startUpstream(ctx, upstream, upstreamPidFile, port);
  const made = join(upstream, 'made');
  if ((await readTextIfPresent(made)) === undefined) {
    await fillUpstream(ctx, upstream, port);
    await writeFileAtomic(made, 'yes\n');
  }
  await writeFileAtomic(join(site, 'pull-secret.json'), auth, { mode: SECRET_MODE });
  await writeFileAtomic(join(site, 'upstream.conf'), upstreamConf(port));
  if ((await readTextIfPresent(prepared.siteFile)) === undefined) {
    await writeFileAtomic(prepared.siteFile, siteText(upstream, await freePort(), options));
  }
  return prepared;
}

interface UpstreamRegistry {
  readonly port: number;
  /** Pull secret for it. */
  readonly auth: string;
}

async function ensureUpstreamRegistry(ctx: Context, upstream: string): Promise<UpstreamRegistry> {
  const known = await readTextIfPresent(join(upstream, 'registry.json'));
  if (known !== undefined) return JSON.parse(known) as UpstreamRegistry;
  const port = await freePort();
  const made = await initRegistry(ctx, {
    directory: join(upstream, 'registry'),
    hosts: ['127.0.0.1', 'localhost'],
    port,
    user: 'lab',
  });
  const credential = { auth: Buffer.from(`${made.user}:${made.password}`).toString('base64') };
  const auth = `${JSON.stringify({ auths: { [`127.0.0.1:${port}`]: credential } })}\n`;
  const registry = { port, auth };
  await writeFileAtomic(join(upstream, 'registry.json'), `${JSON.stringify(registry)}\n`, {
    mode: SECRET_MODE,
  });
  return registry;
}

async function startUpstream(
  ctx: Context,
  upstream: string,
  pidFile: string,
  port: number,
): Promise<void> {
  const args = [
    'registry',
    'serve',
    '--dir',
    join(upstream, 'registry'),
    '--workers',
    '1',
    '--output',
    'json',
  ];
  await startService({ pidFile, logFile: join(upstream, 'registry.log'), args });
  await withUpstream(upstream, async (registries) => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        await registries.repository(`127.0.0.1:${port}`, 'atoll/probe').resolve(ctx, 'none');
        return;
      } catch (error) {
        if (!isTransient(error) || Date.now() > deadline) throw error;
        await sleep(ctx, 100);
      }
    }
  });
}

async function withUpstream<T>(
  upstream: string,
  task: (registries: ReturnType<typeof createRegistries>) => Promise<T>,
): Promise<T> {
  const { auth } = JSON.parse(
    (await readTextIfPresent(join(upstream, 'registry.json'))) ?? '{}',
  ) as UpstreamRegistry;
  const authfile = join(upstream, 'auth.json');
  await writeFileAtomic(authfile, auth, { mode: SECRET_MODE });
  const registries = createRegistries({
    authfile,
    ca: [join(upstream, 'registry', 'tls', 'ca.crt')],
    registriesConf: await emptyConf(upstream),
    env: {},
    tuning: { attempts: 1 },
  });
  try {
    return await task(registries);
  } finally {
    await registries.close();
  }
}

async function emptyConf(upstream: string): Promise<string> {
  const path = join(upstream, 'registries.conf');
  await writeFileAtomic(path, '');
  return path;
}

/** Each upstream host is a path of its own in the one registry that stands for the internet. */
async function fillUpstream(ctx: Context, upstream: string, port: number): Promise<void> {
  await withUpstream(upstream, (registries) =>
    makeUpstream(ctx, upstream, ({ registry, repository }: Reference) =>
      registries.repository(`127.0.0.1:${port}`, `${registry}/${repository}`),
    ),
  );
}

function upstreamConf(port: number): string {
  const table = (host: string) =>
    `[[registry]]\nprefix = "${host}"\nlocation = "127.0.0.1:${port}/${host}"\n`;
  return UPSTREAM_HOSTS.map(table).join('\n');
}

function siteText(upstream: string, mirrorPort: number, { airgap }: LabOptions): string {
  const files = upstreamFiles(upstream);
  return `# A lab of atoll: a site like any other, whose upstream and machines are on this machine.
${toYaml({
  name: 'lab',
  mode: 'disconnected',
  release: { version: LAB_VERSIONS.at(-1) },
  platform: { type: 'lab' },
  registry: { type: 'embedded', host: 'mirror.lab.example', port: mirrorPort },
  mirror: {
    flow: airgap ? 'bundle' : 'sync',
    operators: [{ catalog: CATALOG_IMAGE, packages: [{ name: 'lab-storage' }] }],
    additionalImages: [{ name: EXTRA_IMAGE }],
    graph: files.graph,
    signatureStore: `file://${files.signatures}`,
    releaseKey: files.releaseKey,
    sigstoreKey: files.sigstoreKey,
    registriesConf: 'upstream.conf',
    ca: join(upstream, 'registry', 'tls', 'ca.crt'),
  },
  cluster: {
    name: 'lab',
    baseDomain: 'example.com',
    pullSecret: 'pull-secret.json',
    controlPlane: 3,
    workers: 2,
  },
})}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

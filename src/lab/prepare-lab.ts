import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../core/files.ts';
import { toYaml } from '../core/yaml.ts';
import { readSite, type Site } from '../site/read-site.ts';
import { freePort } from './free-port.ts';
import type { LabPaths } from './lab-paths.ts';
import { labPlatform } from './lab-platform.ts';
import type { Break } from './lab-settings.ts';
import { CATALOG_IMAGE, EXTRA_IMAGE, LAB_VERSIONS, upstreamFiles } from './upstream/upstream.ts';
import { runUpstream, upstreamCa } from './upstream/upstream-service.ts';

export interface LabOptions {
  readonly directory: string;
  readonly airgap: boolean;
  readonly break: Break | undefined;
  /** Runs the work with something beside it, such as a page that shows it. */
  readonly beside?: (<T>(site: Site, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Writes what a run showed, and says where; undefined where it could not. */
  readonly writeReport?: ((site: Site, path: string) => Promise<string | undefined>) | undefined;
  /** Where the report goes; default `report.html` in the folder of the lab. */
  readonly report?: string | undefined;
}

const SSH_KEY = 'ssh-key.pub';
const UPSTREAM_HOSTS = ['quay.io', 'registry.redhat.io'];

/** Makes everything a lab needs before its site can come up. What is there already stays. */
export async function prepareLab(
  ctx: Context,
  paths: LabPaths,
  { airgap }: Pick<LabOptions, 'airgap'>,
): Promise<void> {
  const known = (await readTextIfPresent(paths.siteFile)) !== undefined;
  if (known && airgap) await checkFlow(paths.siteFile);
  const { port, auth } = await runUpstream(ctx, paths);
  await writeFileAtomic(join(paths.site, 'pull-secret.json'), auth, { mode: SECRET_MODE });
  await writeFileAtomic(join(paths.site, 'upstream.conf'), upstreamConf(port));
  if (known) return;
  await writeFileAtomic(join(paths.site, SSH_KEY), sshPublicKey());
  await writeFileAtomic(paths.siteFile, siteText(paths.upstream, await freePort(), airgap));
}

/** A lab that was begun one way is not finished another way without a word. */
async function checkFlow(siteFile: string): Promise<void> {
  const { mirror } = await readSite(siteFile, {}, [labPlatform]);
  if (mirror.flow === 'bundle') return;
  throw new AtollError('USAGE', `Cannot use --airgap: "${siteFile}" says mirror.flow: sync`, {
    hint: 'Write mirror.flow: bundle there, or choose another --dir',
  });
}

/** A key of the usual form. Nobody logs in to machines of a lab, so its private half is not kept. */
function sshPublicKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')];
  return `ssh-ed25519 ${Buffer.concat(parts.map(field)).toString('base64')} atoll-lab\n`;
}

function upstreamConf(port: number): string {
  const table = (host: string) =>
    `[[registry]]\nprefix = "${host}"\nlocation = "127.0.0.1:${port}/${host}"\n`;
  return UPSTREAM_HOSTS.map(table).join('\n');
}

function siteText(upstream: string, mirrorPort: number, airgap: boolean): string {
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
    ca: upstreamCa(upstream),
  },
  cluster: {
    name: 'lab',
    baseDomain: 'example.com',
    pullSecret: 'pull-secret.json',
    sshKey: SSH_KEY,
    controlPlane: 3,
    workers: 2,
  },
})}`;
}

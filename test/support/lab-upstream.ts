import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentContext } from '../../src/core/context.ts';
import {
  LAB_VERSIONS,
  makeUpstream,
  type UpstreamFiles,
  upstreamFiles,
} from '../../src/lab/upstream/upstream.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './embedded-registry.ts';

export interface LabUpstream {
  readonly registry: EmbeddedRegistry;
  readonly files: UpstreamFiles;
  /** A registries.conf that leads to it. */
  readonly registriesConf: string;
}

/** The upstream of the lab, served; its files are in `folder`. */
export async function startLabUpstream(folder: string, installer?: string): Promise<LabUpstream> {
  const registry = await startEmbeddedRegistry();
  const registries = createRegistries({ env: {}, insecure: true });
  await mkdir(folder, { recursive: true });
  await makeUpstream(
    silentContext(),
    folder,
    ({ registry: host, repository }) =>
      registries.repository(registry.host, `${host}/${repository}`),
    installer,
  );
  await registries.close();
  const registriesConf = join(folder, 'upstream.conf');
  const hosts = ['quay.io', 'registry.redhat.io'];
  await writeFile(registriesConf, hosts.map((host) => table(registry, host)).join('\n'));
  return { registry, files: upstreamFiles(folder), registriesConf };
}

const table = (registry: EmbeddedRegistry, host: string) =>
  `[[registry]]\nprefix = "${host}"\nlocation = "${registry.host}/${host}"\ninsecure = true\n`;

/** The same, and beside it in the folder a pull secret and a key for sites that read it. */
export async function makeLabUpstream(
  folder: string,
  installer?: string,
): Promise<EmbeddedRegistry> {
  const { registry } = await startLabUpstream(join(folder, 'upstream'), installer);
  const login = { auth: Buffer.from('lab:lab-password').toString('base64') };
  const secret = JSON.stringify({ auths: { [registry.host]: login } });
  await writeFile(join(folder, 'pull-secret.json'), secret, { mode: 0o600 });
  const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} a@b\n`;
  await writeFile(join(folder, 'id.pub'), key);
  return registry;
}

/** Its registries.conf. */
export const labRegistriesConf = (folder: string): string =>
  join(folder, 'upstream', 'upstream.conf');

/** The parts of a site file that lead to such an upstream. */
export function labSiteParts(folder: string) {
  const files = upstreamFiles(join(folder, 'upstream'));
  return {
    release: { version: LAB_VERSIONS.at(-1) },
    mirror: {
      graph: files.graph,
      signatureStore: `file://${files.signatures}`,
      releaseKey: files.releaseKey,
      sigstoreKey: files.sigstoreKey,
      registriesConf: labRegistriesConf(folder),
    },
    cluster: {
      name: 'north',
      baseDomain: 'example.com',
      pullSecret: join(folder, 'pull-secret.json'),
      sshKey: join(folder, 'id.pub'),
    },
  };
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentContext } from '../../src/core/context.ts';
import {
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

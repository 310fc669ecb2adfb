import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, writeFileAtomic } from '../core/files.ts';
import { hostsFile } from '../generate/hosts-file.ts';
import { bootstrapPatch } from '../generate/ignition/bootstrap-patch.ts';
import { formatIgnition, type IgnitionConfig } from '../generate/ignition/config.ts';
import { patchIgnition } from '../generate/ignition/patch.ts';
import { contentsOf } from '../generate/ignition/read.ts';
import { type NodeSpec, nodeSpecPath } from './node/node-spec.ts';

/** What the generated configuration gives to every node. */
export interface NodeConfiguration {
  readonly registriesConf: string;
  readonly pullSecret: string;
  readonly trustBundle: string;
  /** Name of the mirror and its address; undefined where the name does not resolve. */
  readonly mirrorName: string;
  readonly mirrorAddress: string | undefined;
}

/** The Ignition config of a lab machine: the same files a real node gets, by the same code. */
export function machineIgnition(configuration: NodeConfiguration): IgnitionConfig {
  const { registriesConf, pullSecret, trustBundle, mirrorName, mirrorAddress } = configuration;
  const hosts = mirrorAddress
    ? hostsFile([{ address: mirrorAddress, names: [mirrorName] }])
    : hostsFile([]);
  const patch = bootstrapPatch({
    registriesConf,
    pullSecret,
    hosts,
    trustedCas: { ca: trustBundle },
  });
  return patchIgnition({ ignition: { version: '3.4.0' } }, patch).config;
}

/** "Powers on" a machine: applies its Ignition config to its file system. */
export async function makeMachine(spec: NodeSpec, config: IgnitionConfig): Promise<void> {
  for (const file of config.storage?.files ?? []) {
    const path = join(spec.root, file.path);
    await makeFolder(dirname(path));
    await writeFile(path, contentsOf(file.contents) ?? '');
    await chmod(path, file.mode ?? 0o644);
  }
  await writeFileAtomic(join(spec.root, 'etc/hostname'), `${spec.name}\n`);
  await writeFileAtomic(join(spec.root, 'ignition.ign'), formatIgnition(config), { mode: 0o600 });
  await writeFileAtomic(nodeSpecPath(spec.root), `${JSON.stringify(spec, null, 1)}\n`);
}

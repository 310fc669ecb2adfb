import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { systemCodeOf } from '../core/errors.ts';
import { readText, writeFileAtomic } from '../core/files.ts';
import type { JsonObject } from '../core/json.ts';
import { formatIgnition } from '../generate/ignition/config.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import type { InstallRun, PlatformSite } from '../platform/platform.ts';
import { CA_DAYS, createCa } from '../registry/tls/certificates.ts';
import { createRegistries } from '../remote/create-registries.ts';
import { stopService } from '../site/service.ts';
import { INSTALL_FILES } from '../site/stages/config.ts';
import { machinesOf } from './lab-paths.ts';
import { type Break, readLabSettings } from './lab-settings.ts';
import { machineIgnition, makeMachine, type NodeConfiguration } from './machine.ts';
import { nodeSpecs } from './node-specs.ts';

const MIRROR_ADDRESS = '127.0.0.1';

const nameOf = (mirror: string): string => mirror.replace(/:\d+$/, '');

/** Makes the machines of a lab, with the generated configuration in them. Nothing can leak from here on. */
export async function bootLab(
  ctx: Context,
  site: PlatformSite,
  run: Pick<InstallRun, 'outputs'>,
): Promise<JsonObject> {
  const { state, install } = site.paths;
  const settings = await readLabSettings(state);
  if (settings.upstreamPidFile) await stopService(ctx, settings.upstreamPidFile);
  await discardMachines(machinesOf(state));

  const configuration = await spoil(settings.break, await nodeConfiguration(site), ctx.now());
  if (settings.break === 'image') await removeOneImage(ctx, site);
  const specs = nodeSpecs(site, run, settings);
  const ignition = machineIgnition(configuration);
  await writeFileAtomic(join(install, 'bootstrap.ign'), formatIgnition(ignition), { mode: 0o600 });
  for (const spec of specs) await makeMachine(spec, ignition);
  return { nodes: specs.map(({ name }) => name) };
}

/**
 * New machines each time: what an earlier try pulled or logged would tell of that one. Machines of a
 * lab that was killed a moment ago may still be on their way out.
 */
async function discardMachines(folder: string): Promise<void> {
  const aside = `${folder}.old`;
  const away = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  await rm(aside, away);
  await rename(folder, aside).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  });
  await rm(aside, away);
}

async function nodeConfiguration({ mirror, paths }: PlatformSite): Promise<NodeConfiguration> {
  const file = (name: keyof typeof INSTALL_FILES) =>
    readText(join(paths.install, INSTALL_FILES[name]));
  return {
    registriesConf: await file('registriesConf'),
    pullSecret: await file('pullSecret'),
    trustBundle: await file('trustBundle'),
    mirrorName: nameOf(mirror ?? ''),
    mirrorAddress: MIRROR_ADDRESS,
  };
}

/** Takes one component out of the mirror, as a mirror that lost nine hundred would. */
async function removeOneImage(ctx: Context, { paths, mirror }: PlatformSite): Promise<void> {
  const mirrored = await new WorkingDir(paths.mirror).mirrored();
  const victim = mirrored.find(({ image }) => image.component === 'etcd');
  if (!victim) return;
  const registries = createRegistries({
    authfile: paths.mergedSecret,
    ca: [join(paths.registry, 'tls', 'ca.crt')],
    addressOf: (host) => (host === nameOf(mirror ?? '') ? MIRROR_ADDRESS : undefined),
  });
  try {
    const { registry, repository } = victim.target;
    await registries.repository(registry, repository).remove(ctx, victim.digest);
  } finally {
    await registries.close();
  }
}

/** What nodes get when something about them is wrong. `image` and `disk` spoil other things. */
export async function spoil(
  kind: Break | undefined,
  good: NodeConfiguration,
  now: Date,
): Promise<NodeConfiguration> {
  switch (kind) {
    case 'ca': {
      const other = await createCa('a CA that signed something else', { now, days: CA_DAYS });
      return { ...good, trustBundle: other.certificate };
    }
    case 'auth':
      return { ...good, pullSecret: '{"auths":{}}' };
    case 'dns':
      return { ...good, mirrorAddress: undefined };
    default:
      return good;
  }
}

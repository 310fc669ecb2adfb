import { existsSync } from 'node:fs';
import type { Context } from '../../core/context.ts';
import type { Host } from '../../host/host.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries, RegistryOptions } from '../../remote/registries.ts';
import { mirrorCa, mirrorName } from '../mirror-place.ts';
import { type Site, sitePath } from '../read-site.ts';
import { writeMergedSecret } from './secrets.ts';
import type { StageWork } from './stage.ts';

/** A registry of our own that is not made yet has no CA; stages beside it ask upstream alone. */
export function mirrorCaNow(work: StageWork): string[] {
  const ca = mirrorCa(work);
  if (ca === undefined) return [];
  return work.site.registry.ca !== undefined || existsSync(ca) ? [ca] : [];
}

/** How upstream and mirror are reached from the bastion. */
export function registryOptions(work: StageWork): RegistryOptions {
  const { site, paths, env } = work;
  const upstreamCa = site.mirror.ca ? [sitePath(site, site.mirror.ca)] : [];
  return {
    authfile: paths.mergedSecret,
    ca: [...upstreamCa, ...mirrorCaNow(work)],
    registriesConf: site.mirror.registriesConf && sitePath(site, site.mirror.registriesConf),
    env,
    addressOf: addressOf(site),
  };
}

/** Leads the name of the mirror to where the platform has it, whatever DNS says. */
function addressOf(site: Site): RegistryOptions['addressOf'] {
  const { address } = site.platformKind.mirror;
  if (address === undefined) return undefined;
  const mirror = mirrorName(site);
  return (host) => (host === mirror ? address : undefined);
}

export async function withRegistries<T>(
  work: StageWork,
  task: (registries: Registries) => Promise<T>,
): Promise<T> {
  await writeMergedSecret(work.paths);
  const registries = createRegistries(registryOptions(work));
  try {
    return await task(registries);
  } finally {
    await registries.close();
  }
}

/** The machine with a leg on both sides, where stages do their work. */
export function bastionOf(ctx: Context, { platform, inventory }: StageWork): Promise<Host> {
  return platform.bastion(ctx, (resource) => inventory.claim(resource));
}

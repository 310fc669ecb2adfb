import { existsSync } from 'node:fs';
import { AtollError } from '../../core/errors.ts';
import type { Host } from '../../host/host.ts';
import { localHost } from '../../host/local-host.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries, RegistryOptions } from '../../remote/registries.ts';
import { mirrorCa } from '../mirror-place.ts';
import { type Site, sitePath } from '../read-site.ts';
import { writeMergedSecret } from './secrets.ts';
import type { StageWork } from './stage.ts';

/** A registry of our own that is not made yet has no CA; stages beside it ask upstream alone. */
function mirrorCaNow(work: StageWork): string[] {
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
    addressOf: work.addressOf,
  };
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

/** The bastion: this machine, unless the site names another. */
export function bastionHost({ bastion }: Pick<Site, 'bastion'>): Host {
  if (bastion.address === undefined || bastion.address === 'localhost') return localHost();
  throw new AtollError(
    'NOT_BUILT',
    `Cannot work on the bastion "${bastion.address}": atoll does not reach other machines yet`,
    {
      hint: 'Run atoll on the bastion itself, without bastion.address',
    },
  );
}

import { join } from 'node:path';
import type { Site } from '../read-site.ts';
import { type SitePaths, sitePaths } from '../site-paths.ts';

/** Where a site keeps what on a bastion that is not this machine. */
export interface BastionPlace {
  readonly directory: string;
  readonly siteFile: string;
  readonly pullSecret: string;
  /** Login of the cloud, while the installer needs it. */
  readonly cloudLogin: string;
  /** Copies of the files that the site names. */
  readonly files: string;
  readonly program: string;
  readonly programs: string;
  readonly paths: SitePaths;
}

export function bastionPlace(site: Site): BastionPlace {
  const directory = site.bastion.directory ?? `/var/lib/atoll/${site.name}`;
  const at = (...names: readonly string[]) => join(directory, ...names);
  const there = { ...site, directory, state: at('.atoll') };
  return {
    directory,
    siteFile: at('atoll.yaml'),
    pullSecret: at('pull-secret.json'),
    cloudLogin: at('cloud-login'),
    files: at('files'),
    program: at('bin', 'atoll'),
    programs: at('bin'),
    paths: sitePaths(there),
  };
}

/** Whether the site is worked on from another machine than its bastion, as far as its file says. */
export function isElsewhere({ bastion, platformKind }: Site): boolean {
  if (bastion.address === 'localhost') return false;
  return bastion.address !== undefined || platformKind.makesBastion;
}

import { join } from 'node:path';
import { readText, readTextIfPresent } from '../core/files.ts';
import { type InstallPart, MADE_FILE } from '../platform/platform.ts';
import { type Site, sitePath } from './read-site.ts';

/** The files that settings of the platform name, by setting. */
export function platformFiles({ platform, platformKind }: Site): [string, string][] {
  return Object.entries(platform).filter((entry): entry is [string, string] =>
    platformKind.files.includes(entry[0]),
  );
}

/** The platform's part of the install-config, with what its files hold. */
export async function sitePlatform(site: Site): Promise<InstallPart> {
  const files: Record<string, string> = {};
  for (const [setting, path] of platformFiles(site)) {
    files[setting] = await readText(sitePath(site, path));
  }
  const made = await readTextIfPresent(join(site.state, MADE_FILE));
  return site.platformKind.installPlatform(site.platform, { files, made });
}

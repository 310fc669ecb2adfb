import type { Context } from '../../core/context.ts';
import { SECRET_MODE } from '../../core/files.ts';
import type { Host } from '../../host/host.ts';
import type { StageWork } from '../stages/stage.ts';
import { bastionPlace } from './bastion-place.ts';

/**
 * Puts the login of the cloud on the bastion, for as long as the installer needs it there; cleanup and `down` take it
 * away. Gives what programs there need in their environment.
 */
export async function lendCloudLogin(
  ctx: Context,
  work: Pick<StageWork, 'site' | 'platform' | 'inventory'>,
  host: Host,
): Promise<Readonly<Record<string, string>>> {
  if (work.platform.cloudLogin === undefined) return {};
  const { cloudLogin: id } = bastionPlace(work.site);
  await work.inventory.claim({ kind: 'bastion-file', id, temporary: true, lifetime: 'install' });
  return await putCloudLogin(ctx, work, host);
}

/** The same for a folder that goes, and the login with it. */
export async function putCloudLogin(
  ctx: Context,
  { site, platform }: Pick<StageWork, 'site' | 'platform'>,
  host: Host,
): Promise<Readonly<Record<string, string>>> {
  const login = await platform.cloudLogin?.();
  if (login === undefined) return {};
  const { cloudLogin: path } = bastionPlace(site);
  await host.put(ctx, path, login.text, { mode: SECRET_MODE });
  return login.env(path);
}

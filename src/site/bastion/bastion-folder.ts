import type { Context } from '../../core/context.ts';
import type { Host } from '../../host/host.ts';
import type { SiteResource } from '../../platform/platform.ts';
import type { SiteInventory } from '../inventory.ts';
import type { Site } from '../read-site.ts';
import { bastionPlace } from './bastion-place.ts';
import { must } from './carry-atoll.ts';

/** `made` when it was not there, or was empty: only then it is ours to remove. */
const LOOK = 'if [ -n "$(ls -A -- "$1" 2>/dev/null)" ]; then echo used; else echo free; fi';

/** As the user who logs in where that is possible; below /var/lib it takes root to begin. */
const MAKE = 'mkdir -p -- "$1" && chmod 700 "$1"';
const GIVE = 'mkdir -p -- "$1" && chmod 755 "$1" && chown -- "$2" "$1"';

/** Makes the folder in which everything of the site is, on a bastion that is not this machine. */
export async function makeBastionFolder(
  ctx: Context,
  host: Host,
  site: Site,
  inventory: SiteInventory,
): Promise<void> {
  const { directory } = bastionPlace(site);
  const state = await must(ctx, host, 'sh', ['-c', LOOK, 'look', directory]);
  if (state === 'free')
    await inventory.claim({
      kind: 'bastion-folder',
      id: directory,
      temporary: site.mode === 'private',
    });
  const { status } = await host.run(ctx, 'sh', ['-c', MAKE, 'make', directory]);
  if (status === 0) return;
  const user = await must(ctx, host, 'id', ['-un']);
  const { stderr, status: given } = await host.run(
    ctx,
    'sh',
    ['-c', GIVE, 'give', directory, user],
    { sudo: true },
  );
  if (given !== 0) throw new Error(`Cannot make ${directory} on ${host.name}: ${stderr}`);
}

const REMOVE = `set -e
if [ -x "$1/bin/atoll" ] && [ -f "$1/atoll.yaml" ]; then "$1/bin/atoll" down --yes --site "$1/atoll.yaml" >&2; fi
rm -rf -- "$1" 2>/dev/null || find "$1" -mindepth 1 -delete`;

/** Removes what a site made on its bastion; false when the resource is nothing of that kind. */
export async function removeFromBastion(
  ctx: Context,
  resource: SiteResource,
  open: () => Promise<Host>,
): Promise<boolean> {
  const { kind, id } = resource;
  if (kind === 'bastion-file') await must(ctx, await open(), 'rm', ['-f', '--', id]);
  else if (kind === 'bastion-folder')
    await must(ctx, await open(), 'sh', ['-c', REMOVE, 'remove', id]);
  else return false;
  return true;
}

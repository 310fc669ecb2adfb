import type { Context } from '../../core/context.ts';
import type { Host } from '../../host/host.ts';
import type { SiteResource } from '../../platform/platform.ts';
import type { SiteInventory } from '../inventory.ts';
import type { Site } from '../read-site.ts';
import type { StageWork } from '../stages/stage.ts';
import { bastionPlace } from './bastion-place.ts';
import { must } from './carry-atoll.ts';
import { putCloudLogin } from './cloud-login.ts';
import { STOP_ALL } from './run-there.ts';

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

/** The installer's state was brought here; it is removed there so that the cluster is destroyed from one place only. */
const REMOVE = `set -e
dir=$1 kept=$2; shift 2
${STOP_ALL.replaceAll('"$1"/.atoll', '"$dir"/.atoll')}
rm -rf -- "$dir/.atoll/install/cluster"
if [ -x "$dir/bin/atoll" ] && [ -f "$dir/atoll.yaml" ]; then env "$@" "$dir/bin/atoll" down --yes $kept --site "$dir/atoll.yaml" >&2; fi
rm -rf -- "$dir" 2>/dev/null || find "$dir" -mindepth 1 -delete`;

/** Removes what a site made on its bastion; false when the resource is nothing of that kind. */
export async function removeFromBastion(
  ctx: Context,
  work: Pick<StageWork, 'site' | 'platform' | 'inventory'>,
  { kind, id }: SiteResource,
  temporary: boolean,
): Promise<boolean> {
  if (kind !== 'bastion-file' && kind !== 'bastion-folder') return false;
  const host = await work.platform.bastion(ctx, (claimed) => work.inventory.claim(claimed));
  if (kind === 'bastion-file') await must(ctx, host, 'rm', ['-f', '--', id]);
  else {
    const login = await putCloudLogin(ctx, work, host);
    const env = Object.entries(login).map(([name, value]) => `${name}=${value}`);
    const kept = temporary ? '--temporary' : '';
    await must(ctx, host, 'sh', ['-c', REMOVE, 'remove', id, kept, ...env]);
  }
  return true;
}

import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { formatDuration } from '../../core/format.ts';
import type { Host } from '../../host/host.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { bastionPlace, isElsewhere } from '../bastion/bastion-place.ts';
import { must } from '../bastion/carry-atoll.ts';
import { bastionOf } from '../stages/places.ts';
import type { StageWork } from '../stages/stage.ts';
import { type DiskPlace, diskCheck } from './disks.ts';
import type { ContentPlan } from './plan-content.ts';
import { problem } from './probe.ts';

/** What a clock may be wrong by: certificates that are not valid yet are refused. */
export const MOST_OFFSET_MS = 30_000;

/** Clock and disks of a bastion that is another machine and there already. */
export async function bastionChecks(
  ctx: Context,
  work: StageWork,
  content: ContentPlan | undefined,
): Promise<PreflightCheck[]> {
  const { site } = work;
  if (!isElsewhere(site) || site.bastion.address === undefined) return [];
  const host = await reach(ctx, work);
  if (!host) return [];
  const { paths } = bastionPlace(site);
  const places = diskPlaces(work, paths);
  const disks = places.map(async (place) =>
    diskCheck(place, await freeThere(ctx, host, place.path), content),
  );
  return [await clockCheck(ctx, host), ...(await Promise.all(disks))];
}

/** What is on the disks of the machine that does the work. */
export function diskPlaces({ site }: StageWork, paths: StageWork['paths']): DiskPlace[] {
  return [
    ...(site.registry.type === 'embedded' ? [{ what: 'mirror', path: paths.registry }] : []),
    ...(site.mirror.flow === 'bundle' ? [{ what: 'bundle', path: paths.bundle }] : []),
  ];
}

/** That it cannot be reached is for its own check to say. */
async function reach(ctx: Context, work: StageWork): Promise<Host | undefined> {
  try {
    return await bastionOf(ctx, work);
  } catch (error) {
    if (error instanceof AtollError) return undefined;
    throw error;
  }
}

async function clockCheck(ctx: Context, host: Host): Promise<PreflightCheck> {
  const subject = 'clock of the bastion';
  const { offsetMs, message } = await compareClocks(ctx, host);
  if (Math.abs(offsetMs) <= MOST_OFFSET_MS) return { subject, severity: 'ok', message };
  return problem(subject, message, 'Set both clocks by a time server: chronyc makestep');
}

/** How far the clock of a machine is ahead of ours, to the second. */
export async function compareClocks(ctx: Context, host: Host) {
  const asked = ctx.now().getTime();
  const there = Number(await must(ctx, host, 'date', ['+%s'])) * 1000;
  // It was told half-way between question and now.
  const offsetMs = there + 500 - (asked + ctx.now().getTime()) / 2;
  const way = offsetMs > 0 ? 'ahead of' : 'behind';
  const message = `${host.name} is ${formatDuration(Math.abs(offsetMs))} ${way} this machine`;
  return { offsetMs, message };
}

const FREE = 'd=$1; while [ ! -e "$d" ]; do d=$(dirname -- "$d"); done; df -Pk -- "$d" | tail -n 1';

async function freeThere(ctx: Context, host: Host, path: string): Promise<number> {
  const line = await must(ctx, host, 'sh', ['-c', FREE, 'free', path]);
  const [, , , free = ''] = line.trim().split(/\s+/);
  return Number(free) * 1024;
}

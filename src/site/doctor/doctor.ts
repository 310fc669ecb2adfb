import type { Context } from '../../core/context.ts';
import { ERROR_CODES } from '../../core/error-codes.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import { isElsewhere } from '../bastion/bastion-place.ts';
import type { StageWork } from '../stages/stage.ts';
import { bastionChecks, diskPlaces, MOST_OFFSET_MS } from './bastion.ts';
import { diskCheck } from './disks.ts';
import { loginChecks } from './logins.ts';
import { mirrorChecks } from './mirror.ts';
import { type ContentPlan, planContent } from './plan-content.ts';
import { problem } from './probe.ts';
import { sourceChecks, sourceOf } from './sources.ts';
import { clockOffsetMs } from './time-server.ts';

export interface LookOptions {
  /** What is to be mirrored, where that is known. */
  readonly content?: ContentPlan | undefined;
  /** Whether anything will be read from upstream. */
  readonly sources: boolean;
}

/** Everything that can be looked at before anything is made. */
export async function examineSite(
  ctx: Context,
  work: StageWork,
  { content, sources }: LookOptions,
): Promise<readonly PreflightCheck[]> {
  const parts = await Promise.all([
    work.platform.preflight(ctx),
    upstreamChecks(ctx, work, sources),
    mirrorChecks(ctx, work),
    diskChecks(work, content),
    bastionChecks(ctx, work, content),
    timeChecks(ctx, work),
  ]);
  return parts.flat();
}

/** Of a registry that something is mirrored from all is said once. */
async function upstreamChecks(ctx: Context, work: StageWork, sources: boolean) {
  const checks = sources ? await sourceChecks(ctx, work) : [];
  const told = new Set(checks.flatMap((check) => sourceOf(check) ?? []));
  return [...checks, ...(await loginChecks(ctx, work, told))];
}

/** On this machine, where it does the work. */
async function diskChecks(work: StageWork, content: ContentPlan | undefined) {
  if (!content || isElsewhere(work.site)) return [];
  return await Promise.all(
    diskPlaces(work, work.paths).map(async (place) =>
      diskCheck(place, await freeSpace(place.path), content),
    ),
  );
}

/** A clock that is wrong makes every certificate wrong. */
async function timeChecks(ctx: Context, { site }: StageWork): Promise<PreflightCheck[]> {
  return await Promise.all(
    site.postInstall.ntpServers.map(async (server): Promise<PreflightCheck> => {
      const subject = `time server ${server}`;
      const offset = await clockOffsetMs(ctx, server).catch((error: unknown) => messageOf(error));
      if (typeof offset === 'string') {
        const hint = 'Nodes need it: is the name right, and UDP port 123 open?';
        return { subject, severity: 'warning', message: `${server}: ${offset}`, hint };
      }
      const message = `this clock is ${Math.round(Math.abs(offset))} ms ${offset > 0 ? 'behind' : 'ahead of'} ${server}`;
      if (Math.abs(offset) <= MOST_OFFSET_MS) return { subject, severity: 'ok', message };
      return problem(subject, message, 'Set the clock of this machine: chronyc makestep');
    }),
  );
}

export interface Examination {
  /** Undefined where upstream could not be asked. */
  readonly content: ContentPlan | undefined;
  readonly checks: readonly PreflightCheck[];
}

/** All there is to know beforehand: what is to be mirrored, and what stands in the way. */
export async function examineAll(ctx: Context, work: StageWork): Promise<Examination> {
  let content: ContentPlan | undefined;
  let trouble: AtollError | undefined;
  try {
    content = await planContent(ctx, work);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!(error instanceof AtollError)) throw error;
    trouble = error;
  }
  const checks = await examineSite(ctx, work, { content, sources: content === undefined });
  // Which registry it is says more than which of its images.
  const isTold = checks.some((each) => sourceOf(each) && each.code === trouble?.code);
  return { content, checks: trouble && !isTold ? [contentCheck(trouble), ...checks] : checks };
}

/** Exit status of what is wrong with the network or with others: it may be right later. */
const OUTSIDE = ERROR_CODES.REGISTRY_UNAVAILABLE.exit;

function contentCheck({ code, message, hint }: AtollError): PreflightCheck {
  const severity = ERROR_CODES[code].exit === OUTSIDE ? 'warning' : 'error';
  const next = hint ?? 'See what the site mirrors: release, mirror';
  return { subject: 'content', severity, code, message, hint: next };
}

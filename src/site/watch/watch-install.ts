import { withCluster } from '../../cluster/connect.ts';
import { approveRequests } from '../../cluster/csr/approve.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, isTransient, messageOf } from '../../core/errors.ts';
import { exists } from '../../core/files.ts';
import type { JsonObject } from '../../core/json.ts';
import { NO_RETRY, sleep } from '../../core/retry.ts';
import type { Host } from '../../host/host.ts';
import { formatReference } from '../../oci/reference.ts';
import type { InstallRun } from '../../platform/platform.ts';
import { siteInputs } from '../inputs.ts';
import { isOfMachine, mirrorLog, mirrorLogLines, readMirrorRequest } from '../mirror-log.ts';
import { mirrorHost } from '../mirror-place.ts';
import { bastionOf } from '../stages/places.ts';
import type { StageWork } from '../stages/stage.ts';
import { bootstrapTarget, followBootstrap } from './bootstrap-journal.ts';
import type { InstallCause, Patience } from './causes.ts';
import { InstallView } from './install-view.ts';
import { lookAtCluster } from './look-cluster.ts';
import { PullWatch } from './pulls.ts';

export interface WatchPace {
  /** Refusals before this do not count; default: before now. */
  readonly sinceMs?: number | undefined;
  readonly everyMs?: number | undefined;
  readonly patience?: Patience | undefined;
}

const EVERY_MS = 3000;

/** Waits for the cluster as the platform does; beside it, what happens is shown and machines are let in. */
export async function watchInstall(
  ctx: Context,
  work: StageWork,
  run: InstallRun,
  pace: WatchPace = {},
): Promise<JsonObject> {
  const { installs } = work.platform;
  if (!installs) return await work.platform.watch(ctx, run);
  ctx.emit({ type: 'note.added', message: `The log of the installer: ${installs.log}` });
  const view = await openView(ctx, work, pace);
  const log = (line: string) => {
    run.log(line);
    view.heard(line);
  };
  const companions = [
    (inner: Context) => admit(inner, work),
    followBootstrap(await bootstrapTarget(work), view),
  ];
  return await beside(ctx, work, { view, pace, companions }, (inner) =>
    work.platform.watch(inner, { ...run, log }),
  );
}

interface Watched {
  readonly view: InstallView;
  readonly pace: WatchPace;
  /** What else goes on as long as the work does. */
  readonly companions: readonly ((ctx: Context) => Promise<void>)[];
}

/** Does some work, and beside it all that watches; a cause of death ends the work. */
export async function beside<T>(
  ctx: Context,
  work: StageWork,
  { view, pace, companions }: Watched,
  task: (ctx: Context) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const inner: Context = { ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) };
  let death: unknown;
  const dead = (error: unknown) => {
    if (over.signal.aborted) return;
    death = error;
    over.abort(error);
  };
  const show = (innerCtx: Context) => keepShowing(innerCtx, work, view, pace);
  const running = [...companions, show].map((companion) => companion(inner).catch(dead));
  try {
    const result = await task(inner);
    view.finish();
    return result;
  } catch (error) {
    throw death ?? error;
  } finally {
    over.abort(new Error('the wait is over'));
    await Promise.allSettled(running);
  }
}

/** A view of the install of this site, which follows what machines pull. */
export async function openView(
  ctx: Context,
  work: StageWork,
  { patience, sinceMs = ctx.now().getTime() }: WatchPace = {},
): Promise<InstallView> {
  const mirrored = await siteInputs(work.site, 'so-far').mirrored();
  const names = new Map<string, string>(
    mirrored.map(({ image, digest }) => [digest, image.component ?? formatReference(image.source)]),
  );
  const { machines = [] } = work.platform;
  const pulls = new PullWatch({
    startedMs: sinceMs,
    imageOf: (digest) => names.get(digest),
    machineAt: (client) =>
      machines.find(({ addresses }) => addresses?.includes(client))?.name ?? client,
  });
  const expected = machines.flatMap(({ name, role }) => (role === 'bootstrap' ? [] : name));
  const bootstrap = machines.find(({ role }) => role === 'bootstrap')?.name;
  const mirror = mirrorHost(work.site);
  return new InstallView(ctx, { pulls, expected, bootstrap, patience, mirror });
}

async function keepShowing(
  ctx: Context,
  work: StageWork,
  view: InstallView,
  { everyMs = EVERY_MS }: WatchPace,
): Promise<void> {
  const following = followPulls(ctx, work, view);
  following.catch((error: unknown) => {
    if (ctx.signal.aborted) return;
    const message = `What machines pull cannot be shown: ${messageOf(error)}`;
    ctx.emit({ type: 'warning.raised', message });
  });
  for (;;) {
    view.saw(await lookOnce(ctx, work));
    const cause = view.tell();
    if (cause) throw deadOf(work, cause);
    await sleep(ctx, everyMs);
  }
}

function deadOf({ platform }: StageWork, { message, hint }: InstallCause): AtollError {
  return new AtollError('CLUSTER_FAILED', `The install cannot go on: ${message}`, {
    hint,
    details: { log: platform.installs?.log ?? '' },
  });
}

async function followPulls(ctx: Context, work: StageWork, view: InstallView): Promise<void> {
  const path = mirrorLog(work);
  if (path === undefined) return;
  const bastion: Host = await bastionOf(ctx, work);
  for await (const line of bastion.follow(ctx, path)) takeLine(work, view, line);
}

/** What machines have pulled until now. */
export async function readPulls(ctx: Context, work: StageWork, view: InstallView): Promise<void> {
  for await (const line of mirrorLogLines(ctx, work)) takeLine(work, view, line);
}

function takeLine({ platform }: StageWork, view: InstallView, line: string): void {
  const request = readMirrorRequest(line);
  if (request && isOfMachine(request, platform.machines)) view.pulls.take(request);
}

/** The cluster now; undefined while its API is away. */
export async function lookOnce(ctx: Context, { platform }: StageWork) {
  const kubeconfig = platform.installs?.kubeconfig ?? '';
  if (!(await exists(kubeconfig))) return undefined;
  const options = { kubeconfig, retry: NO_RETRY };
  try {
    return await withCluster(ctx, options, (resources) => lookAtCluster(patient(ctx), resources));
  } catch (error) {
    if (ctx.signal.aborted || !isTransient(error)) throw error;
    return undefined;
  }
}

/** Lets expected machines in, where nobody else does. */
async function admit(ctx: Context, { platform }: StageWork): Promise<void> {
  const expected = platform.machines?.filter(({ role }) => role !== 'bootstrap') ?? [];
  const kubeconfig = platform.installs?.kubeconfig;
  if (expected.length === 0 || kubeconfig === undefined) return;
  while (!(await exists(kubeconfig))) await sleep(ctx, EVERY_MS);
  await withCluster(ctx, { kubeconfig }, (resources) =>
    approveRequests(patient(ctx), resources, { expected }),
  );
}

/** An API that is not there yet is what is waited for: it is no news. */
const patient = (ctx: Context): Context => ({
  ...ctx,
  emit: (event) => event.type !== 'attempt.failed' && ctx.emit(event),
});

import { setMaxListeners } from 'node:events';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { type TimeWindow, windowAt } from '../../core/time-window.ts';
import type { Store } from '../../store/store.ts';
import { readState, UPKEEP_JOBS, type UpkeepJob, type UpkeepState } from './state.ts';

/** Milliseconds from one start of a job to the next; a job that is absent is never done. */
export type UpkeepIntervals = Readonly<Partial<Record<UpkeepJob, number>>>;

export interface UpkeepPlan {
  readonly every: UpkeepIntervals;
  /** Hours in which a job may start. */
  readonly window?: TimeWindow | undefined;
  /** Does it, at low priority; rejects when it cannot even be started. */
  readonly run: (ctx: Context, job: UpkeepJob) => Promise<void>;
}

const LOOK_MS = 30_000;
/** A job that has not said for so long that it runs was killed. */
const SILENT_MS = 5 * 60_000;
/** What failed is tried again sooner than what went well. */
const RETRY_MS = 3_600_000;

export function isDue(state: UpkeepState | undefined, everyMs: number, now: Date): boolean {
  if (!state) return true;
  const ago = (text: string) => now.getTime() - Date.parse(text);
  if (state.outcome === 'running' && ago(state.seenAt) < SILENT_MS) return false;
  const waitMs = state.outcome === 'done' ? everyMs : Math.min(everyMs, RETRY_MS);
  return ago(state.startedAt) >= waitMs;
}

/** Does jobs when they are due, one at a time, until it is closed; then a job under way is stopped. */
export function scheduleUpkeep(
  ctx: Context,
  store: Store,
  plan: UpkeepPlan,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const here = { ...ctx, signal: AbortSignal.any([ctx.signal, closing.signal]) };
  setMaxListeners(0, here.signal);
  const lookMs = Math.min(LOOK_MS, ...Object.values(plan.every));
  let looking: Promise<void> | undefined;

  /** A job that could not even write down that it failed is not tried at every look. */
  const notBefore = new Map<UpkeepJob, number>();

  async function attempt(job: UpkeepJob, everyMs: number): Promise<void> {
    notBefore.set(job, ctx.now().getTime() + Math.min(everyMs, RETRY_MS));
    await plan.run(here, job);
    notBefore.delete(job);
  }

  async function lookOnce(): Promise<void> {
    for (const job of UPKEEP_JOBS) {
      const everyMs = plan.every[job];
      if (everyMs === undefined || here.signal.aborted || !isOpen(plan.window, ctx.now())) continue;
      if (ctx.now().getTime() < (notBefore.get(job) ?? 0)) continue;
      if (isDue(await readState(here, store, job), everyMs, ctx.now())) await attempt(job, everyMs);
    }
  }

  function look(): void {
    looking ??= lookOnce()
      .catch((error: unknown) => {
        if (here.signal.aborted) return;
        const message = `Upkeep of the registry failed: ${messageOf(error)}`;
        ctx.emit({ type: 'warning.raised', message, subject: 'registry' });
      })
      .finally(() => {
        looking = undefined;
      });
  }

  const timer = setInterval(look, lookMs);
  timer.unref();
  look();
  return {
    async close() {
      clearInterval(timer);
      closing.abort();
      await looking;
    },
  };
}

const isOpen = (window: TimeWindow | undefined, now: Date): boolean =>
  window === undefined || windowAt(window, now).opensInMs === 0;

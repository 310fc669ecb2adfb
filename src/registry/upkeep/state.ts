import type { Context } from '../../core/context.ts';
import { check, objectOf, optional, text, wholeNumber } from '../../core/shape.ts';
import type { Store } from '../../store/store.ts';
import type { Snapshot } from '../serving/metrics.ts';

/** What a registry does by itself while it serves. */
export const UPKEEP_JOBS = ['gc', 'scrub'] as const;
export type UpkeepJob = (typeof UPKEEP_JOBS)[number];

const OUTCOMES = ['running', 'done', 'failed'] as const;

/** How a job went, as a record of the store: every process and every registry over it sees the same. */
export interface UpkeepState {
  readonly outcome: (typeof OUTCOMES)[number];
  readonly startedAt: string;
  /** Renewed while it runs: one that is killed says nothing more. */
  readonly seenAt: string;
  /** Of the last one that ended well, whatever came after it. */
  readonly succeededAt?: string | undefined;
  readonly runs: number;
  readonly failures: number;
  /** Why the last one failed. */
  readonly message?: string | undefined;
  /** Numbers of the last one that ended well. */
  readonly removedTags?: number | undefined;
  readonly removedBlobs?: number | undefined;
  readonly freedBytes?: number | undefined;
  readonly checkedBytes?: number | undefined;
  readonly problems?: number | undefined;
}

export type UpkeepStates = Readonly<Partial<Record<UpkeepJob, UpkeepState>>>;

const keyOf = (job: UpkeepJob) => `upkeep/${job}`;

export async function readUpkeep(ctx: Context, { records }: Store): Promise<UpkeepStates> {
  const found = await Promise.all(
    UPKEEP_JOBS.map(async (job) => [job, await readState(ctx, { records }, job)] as const),
  );
  return Object.fromEntries(found.filter(([, state]) => state !== undefined));
}

const stateShape = objectOf({
  outcome: check((value) => OUTCOMES.some((one) => one === value), OUTCOMES.join(', ')),
  startedAt: text,
  seenAt: text,
  succeededAt: optional(text),
  runs: wholeNumber,
  failures: wholeNumber,
  message: optional(text),
  removedTags: optional(wholeNumber),
  removedBlobs: optional(wholeNumber),
  freedBytes: optional(wholeNumber),
  checkedBytes: optional(wholeNumber),
  problems: optional(wholeNumber),
});
const isState = (value: unknown): value is UpkeepState => stateShape(value) === undefined;

/** A record that cannot be read counts as none: the job is done again. */
export async function readState(
  ctx: Context,
  { records }: Pick<Store, 'records'>,
  job: UpkeepJob,
): Promise<UpkeepState | undefined> {
  const found = await records.get(ctx, keyOf(job)).catch(() => undefined);
  return isState(found) ? found : undefined;
}

export async function writeState(
  ctx: Context,
  { records }: Store,
  job: UpkeepJob,
  state: UpkeepState,
): Promise<void> {
  await records.put(ctx, keyOf(job), state);
}

/** For `/metrics`. */
export function upkeepValues(states: UpkeepStates): Snapshot {
  return Object.fromEntries(
    Object.entries(states).flatMap(([job, state]) => {
      const label = `{job="${job}"}`;
      const seconds = Date.parse(state.succeededAt ?? '') / 1000;
      return [
        [`upkeep_running${label}`, state.outcome === 'running' ? 1 : 0],
        [`upkeep_runs_total${label}`, state.runs],
        [`upkeep_failures_total${label}`, state.failures],
        ...(Number.isFinite(seconds) ? [[`upkeep_success_seconds${label}`, seconds]] : []),
        ...(job === 'gc' ? [['upkeep_freed_bytes', state.freedBytes ?? 0]] : []),
        ...(job === 'scrub' ? [['upkeep_problems', state.problems ?? 0]] : []),
      ];
    }),
  );
}

import type { RunState, StageState } from './run-state.ts';

/** How long a stage usually takes, and how that is known. */
export interface Usual {
  readonly ms: number;
  /** `runs`: the median of earlier runs of this site; `table`: a guess for any site. */
  readonly from: 'runs' | 'table';
}

export type Usuals = Readonly<Record<string, Usual>>;

/** Without a word for so long, a run does not move. */
const SILENT_MS = 120_000;

/** The one sentence that comes first, as data: the page has the words of each language. */
export type Sentence =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'running';
      readonly stage: string;
      readonly elapsedMs: number;
      readonly usualMs: number | undefined;
      readonly moves: boolean;
      readonly silentMs: number;
      readonly next: string | undefined;
      /** Until the current stage should be done; negative when it is late. */
      readonly dueMs: number | undefined;
      /** Until everything should be done. */
      readonly restMs: number | undefined;
    }
  | { readonly kind: 'failed'; readonly stage: string; readonly message: string }
  | { readonly kind: 'interrupted'; readonly stage: string | undefined }
  | { readonly kind: 'succeeded'; readonly durationMs: number; readonly ran: number };

export function sentenceOf(run: RunState | undefined, usuals: Usuals, now: number): Sentence {
  if (!run || run.seq === 0) return { kind: 'nothing' };
  const failed = run.stages.find(({ state }) => state === 'failed');
  if (run.outcome === 'succeeded') {
    const ran = run.stages.filter(({ state }) => state === 'done').length;
    return { kind: 'succeeded', durationMs: run.durationMs, ran };
  }
  if (run.outcome === 'failed' || failed)
    return { kind: 'failed', stage: failed?.id ?? '', message: failed?.message ?? '' };
  if (run.outcome === 'interrupted') {
    const stopped = run.stages.findLast(({ state }) => state === 'interrupted');
    return { kind: 'interrupted', stage: (stopped ?? currentStage(run))?.id };
  }
  return running(run, currentStage(run), usuals, now);
}

/** Of several that run side by side, the one that takes longest counts: others wait for it. */
function currentStage(run: RunState): StageState | undefined {
  return run.stages.findLast(({ state }) => state === 'running');
}

function running(
  run: RunState,
  current: StageState | undefined,
  usuals: Usuals,
  now: number,
): Sentence {
  const elapsedMs = Math.max(0, now - Date.parse(current?.startedAt ?? run.startedAt));
  const usualMs = current && usuals[current.id]?.ms;
  const dueMs = usualMs === undefined ? undefined : usualMs - elapsedMs;
  const waiting = run.stages.filter(({ state }) => state === 'waiting');
  const rest = waiting.map(({ id }) => usuals[id]?.ms);
  const known = dueMs !== undefined && rest.every((ms) => ms !== undefined);
  const silentMs = Math.max(0, now - Date.parse(run.lastAt));
  return {
    kind: 'running',
    stage: current?.id ?? '',
    elapsedMs,
    usualMs,
    silentMs,
    moves: silentMs < SILENT_MS,
    next: waiting[0]?.id,
    dueMs,
    restMs: known
      ? Math.max(0, dueMs) + rest.reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
      : undefined,
  };
}

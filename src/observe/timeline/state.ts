import { ABSTRACT_STEPS } from './abstract-steps.ts';
import type { Facts } from './facts.ts';
import { type Lane, STEPS, type Step } from './step.ts';

/**
 * `stuck`: running longer than it should, whatever it says itself. `unseen`: nothing that was read could
 * have told. `waiting`: its turn has not come.
 */
export type Progress = 'done' | 'running' | 'stuck' | 'failed' | 'waiting' | 'unseen';

export interface StepState {
  readonly id: string;
  readonly title: string;
  readonly lane: Lane;
  readonly state: Progress;
  /** Nothing says it is done, but what comes after it has begun. */
  readonly implied?: true;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly limitMs: number;
  /** What it needs to go on, while it is not done. */
  readonly waitsFor?: string;
  /** Failed tries of a loop that would go on for ever. */
  readonly tries?: number;
  readonly lastError?: string;
  /** It failed, and the machine goes on without it. */
  readonly tolerated?: true;
}

export interface AbstractState {
  readonly number: number;
  readonly title: string;
  readonly state: Progress;
  readonly startedAt?: string;
  readonly durationMs?: number;
}

export interface BootstrapState {
  /** When the evidence ends. */
  readonly at: string;
  readonly verdict: 'complete' | 'running' | 'stuck' | 'failed' | 'unknown';
  /** The step everything else waits for. */
  readonly current?: string;
  readonly abstract: readonly AbstractState[];
  readonly steps: readonly StepState[];
}

type FactsById = ReadonlyMap<string, Facts>;

export function stateOf(facts: FactsById, now: Date, installerSeen: boolean): BootstrapState {
  const steps = STEPS.map((step, index) => stepState(step, index, facts, now, installerSeen));
  const anything = [...facts.values()].some(({ evidence }) => evidence);
  const current = steps.find(isBlocking) ?? steps.find(({ state }) => state === 'running');
  return {
    at: now.toISOString(),
    verdict: anything ? verdictOf(steps, current) : 'unknown',
    ...(current ? { current: current.id } : {}),
    abstract: ABSTRACT_STEPS.map(({ number, title, steps: ids }) => ({
      number,
      title,
      ...together(steps.filter(({ id }) => ids.includes(id))),
    })),
    steps,
  };
}

const isBlocking = ({ state, tolerated }: StepState): boolean =>
  !tolerated && (state === 'stuck' || state === 'failed');

function verdictOf(
  steps: readonly StepState[],
  current: StepState | undefined,
): BootstrapState['verdict'] {
  if (current && isBlocking(current)) return current.state === 'failed' ? 'failed' : 'stuck';
  const reported = steps.find(({ id }) => id === 'report-bootstrap-complete');
  return reported?.state === 'done' ? 'complete' : 'running';
}

function stepState(
  step: Step,
  index: number,
  facts: FactsById,
  now: Date,
  installerSeen: boolean,
): StepState {
  const own = facts.get(step.id) as Facts;
  const startedAt = startOf(step, facts);
  const { state, implied } = progressOf(step, index, facts, now, installerSeen);
  const endedAt = endOf(own, state);
  const until = endedAt ?? (state === 'running' || state === 'stuck' ? now : undefined);
  const open = state !== 'done' && state !== 'unseen';
  return {
    id: step.id,
    title: step.title,
    lane: step.lane,
    state,
    limitMs: step.limitMinutes * 60_000,
    ...present({
      implied,
      startedAt: startedAt?.toISOString(),
      endedAt: endedAt?.toISOString(),
      durationMs: startedAt && until && Math.max(0, until.getTime() - startedAt.getTime()),
      waitsFor: open ? (gateOf(step, facts)?.title ?? waitsFor(step, own)) : undefined,
      tries: own.loops.size || undefined,
      lastError: open ? own.note : undefined,
      tolerated: step.tolerated && state === 'failed' ? step.tolerated : undefined,
    }),
  };
}

/** A time of zero stands for "at some time": the line that said so had none. */
function endOf(own: Facts, state: Progress): Date | undefined {
  const end = state === 'done' ? own.finishedAt : state === 'failed' ? own.failedAt : undefined;
  return end?.getTime() ? end : undefined;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is undefined, so that the JSON has no empty fields. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<T>;
}

function waitsFor(step: Step, own: Facts): string {
  const missing = [...own.pods].filter(([, { state }]) => state !== 'Ready');
  if (missing.length === 0) return step.waitsFor;
  return missing.map(([pod, { state }]) => `${pod} (${state})`).join(', ');
}

/** When it began: by its own signs, or by those of the step it begins with or after. */
function startOf(step: Step, facts: FactsById): Date | undefined {
  const own = facts.get(step.id)?.startedAt;
  if (own) return own;
  if (step.startsWith) return facts.get(step.startsWith)?.startedAt;
  if (step.startsAfter) {
    const before = facts.get(step.startsAfter)?.finishedAt;
    return before?.getTime() ? before : undefined;
  }
  return undefined;
}

function progressOf(
  step: Step,
  index: number,
  facts: FactsById,
  now: Date,
  installerSeen: boolean,
): { state: Progress; implied?: true } {
  const own = facts.get(step.id) as Facts;
  if (own.finishedAt && !(own.failedAt && own.failedAt > own.finishedAt)) return { state: 'done' };
  if (own.failedAt && !(own.lastLoopAt && own.lastLoopAt > own.failedAt))
    return { state: 'failed' };
  if (isOvertaken(step, index, facts)) return { state: 'done', implied: true };
  const startedAt = startOf(step, facts);
  if (!own.evidence && isBlindTo(step, installerSeen)) return { state: 'unseen' };
  if (!startedAt) return { state: 'waiting' };
  if (gateOf(step, facts)) return { state: 'running' };
  const age = now.getTime() - startedAt.getTime();
  return { state: age > step.limitMinutes * 60_000 ? 'stuck' : 'running' };
}

const isBlindTo = (step: Step, installerSeen: boolean): boolean =>
  step.oftenUnseen === true || (step.seenByInstaller === true && !installerSeen);

/** The step that began with this one and has to be over before this one can do anything. */
function gateOf(step: Step, facts: FactsById): Step | undefined {
  const gate = STEPS.find(({ startsWith }) => startsWith === step.id);
  return gate && facts.get(gate.id)?.finishedAt === undefined ? gate : undefined;
}

/** Whether something later in the sequence shows that this one must be done. */
function isOvertaken(step: Step, index: number, facts: FactsById): boolean {
  return STEPS.slice(index + 1).some((next) => {
    const other = facts.get(next.id);
    if (next.parallel || !other) return false;
    // Its start is also the start of what it waits for, so only its end says something.
    const began = next.id === 'cb-bootstrap' ? undefined : other.startedAt;
    return other.finishedAt !== undefined || (began !== undefined && next.id !== step.startsWith);
  });
}

function together(
  steps: readonly StepState[],
): Pick<AbstractState, 'state' | 'startedAt' | 'durationMs'> {
  const counted = steps.filter(({ tolerated }) => !tolerated);
  const starts = counted.map(({ startedAt }) => startedAt).filter((one) => one !== undefined);
  const ends = counted.map(({ endedAt }) => endedAt).filter((one) => one !== undefined);
  const [startedAt] = starts.toSorted();
  const end = ends.toSorted().at(-1);
  const durationMs = startedAt && end ? Date.parse(end) - Date.parse(startedAt) : undefined;
  return {
    state: worstOf(counted.map(({ state }) => state)),
    ...(startedAt ? { startedAt } : {}),
    ...(durationMs !== undefined && durationMs >= 0 ? { durationMs } : {}),
  };
}

function worstOf(states: readonly Progress[]): Progress {
  const seen = new Set(states);
  if (seen.has('failed')) return 'failed';
  if (seen.has('stuck')) return 'stuck';
  if (seen.has('running')) return 'running';
  if (seen.has('waiting')) return seen.has('done') ? 'running' : 'waiting';
  return seen.has('done') ? 'done' : 'unseen';
}

import type { BootstrapStep, Lane } from '../../openshift/bootstrap/step.ts';
import { ABSTRACT_STEPS } from '../../openshift/bootstrap/steps.ts';
import { type Facts, noFacts } from './facts.ts';
import type { StepFacts } from './service-failures.ts';

/**
 * `stuck`: running longer than it should, whatever it says itself. `unseen`: nothing that was read could
 * have told. `waiting`: its turn has not come.
 */
export type StepProgress = 'done' | 'running' | 'stuck' | 'failed' | 'waiting' | 'unseen';

export interface StepState {
  readonly id: string;
  readonly title: string;
  readonly lane: Lane;
  readonly state: StepProgress;
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
  /** It failed, and the machine goes on without it, as far as is known. */
  readonly tolerated?: true;
}

export interface AbstractState {
  readonly number: number;
  readonly title: string;
  readonly state: StepProgress;
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

/** All that is known at one time. */
interface Known extends StepFacts {
  readonly now: Date;
  readonly installerSeen: boolean;
}

export function stateOf(known: Known): BootstrapState {
  const states = known.steps.map((step) => stepState(step, known));
  const anything = [...known.facts.values()].some(({ evidence }) => evidence);
  const current = states.find(isBlocking) ?? states.find(({ state }) => state === 'running');
  return {
    at: known.now.toISOString(),
    verdict: anything ? verdictOf(states, current, known) : 'unknown',
    ...(current ? { current: current.id } : {}),
    abstract: abstractOf(states, known),
    steps: states,
  };
}

/** What holds up everything and belongs to no abstract step is told with the one that is under way. */
function abstractOf(states: readonly StepState[], { steps }: Known): AbstractState[] {
  const ofPart = (part: number | undefined) => states.filter((_, at) => steps[at]?.part === part);
  const parts = ABSTRACT_STEPS.map((_, index) => ofPart(index + 1));
  const open = parts.findIndex((part) => !['done', 'unseen'].includes(together(part).state));
  const stray = ofPart(undefined).filter(isBlocking);
  return ABSTRACT_STEPS.map((title, index) => ({
    number: index + 1,
    title,
    ...together([...(parts[index] ?? []), ...(index === open ? stray : [])]),
  }));
}

const isBlocking = ({ state, tolerated }: StepState): boolean =>
  !tolerated && (state === 'stuck' || state === 'failed');

function verdictOf(
  states: readonly StepState[],
  current: StepState | undefined,
  { steps }: Known,
): BootstrapState['verdict'] {
  if (current && isBlocking(current)) return current.state === 'failed' ? 'failed' : 'stuck';
  const isComplete = states.some(({ state }, index) => steps[index]?.completes && state === 'done');
  return isComplete ? 'complete' : 'running';
}

function stepState(step: BootstrapStep, known: Known): StepState {
  const own = factsOf(step.id, known);
  const startedAt = startOf(step, known);
  const { state, implied } = progressOf(step, known);
  const endedAt = endOf(own, state);
  const until = endedAt ?? (state === 'running' || state === 'stuck' ? known.now : undefined);
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
      waitsFor: open ? (gateOf(step, known)?.title ?? waitsFor(step, own)) : undefined,
      tries: own.loops.size || undefined,
      lastError: open ? own.note : undefined,
      tolerated: step.tolerated && state === 'failed' ? step.tolerated : undefined,
    }),
  };
}

const NO_FACTS = noFacts();
const factsOf = (id: string, { facts }: Known): Facts => facts.get(id) ?? NO_FACTS;

/** A time of zero stands for "at some time": the line that said so had none. */
function endOf(own: Facts, state: StepProgress): Date | undefined {
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

function waitsFor(step: BootstrapStep, own: Facts): string {
  const missing = [...own.pods].filter(([, { state }]) => state !== 'Ready');
  if (missing.length === 0) return step.waitsFor;
  return missing.map(([pod, { state }]) => `${pod} (${state})`).join(', ');
}

/** When it began: by its own signs, or by those of the step it begins with or after. */
function startOf(step: BootstrapStep, known: Known): Date | undefined {
  const own = factsOf(step.id, known).startedAt;
  if (own) return own;
  if (step.startsWith) return factsOf(step.startsWith, known).startedAt;
  const before = step.startsAfter ? factsOf(step.startsAfter, known).finishedAt : undefined;
  return before?.getTime() ? before : undefined;
}

function progressOf(step: BootstrapStep, known: Known): { state: StepProgress; implied?: true } {
  const own = factsOf(step.id, known);
  if (own.serviceFailed) return { state: 'failed' };
  if (own.finishedAt && !(own.failedAt && own.failedAt > own.finishedAt)) return { state: 'done' };
  if (own.failedAt && !(own.lastLoopAt && own.lastLoopAt > own.failedAt))
    return { state: 'failed' };
  if (isOvertaken(step, known)) return { state: 'done', implied: true };
  const startedAt = startOf(step, known);
  if (!own.evidence && isBlindTo(step, known)) return { state: 'unseen' };
  if (!startedAt) return { state: 'waiting' };
  if (gateOf(step, known)) return { state: 'running' };
  const age = known.now.getTime() - startedAt.getTime();
  return { state: age > step.limitMinutes * 60_000 ? 'stuck' : 'running' };
}

const isBlindTo = (step: BootstrapStep, { installerSeen }: Known): boolean =>
  step.oftenUnseen === true || (step.seenByInstaller === true && !installerSeen);

/** The step that began with this one and has to be over before this one can do anything. */
function gateOf(step: BootstrapStep, known: Known): BootstrapStep | undefined {
  const gate = known.steps.find(({ startsWith }) => startsWith === step.id);
  return gate && factsOf(gate.id, known).finishedAt === undefined ? gate : undefined;
}

/**
 * Whether something later in the sequence shows that this one must be done. What came before the last error of this
 * one, or of one before it that is not done either, shows nothing: it went on beside it.
 */
function isOvertaken(step: BootstrapStep, known: Known): boolean {
  const place = known.steps.indexOf(step);
  const open = known.steps.slice(0, place + 1).filter((one) => one === step || isInTheWay(one));
  const error = Math.max(...open.map((one) => lastErrorOf(factsOf(one.id, known))));
  const isNewer = (time: Date | undefined) =>
    // Of what has no time it is not known when it was.
    time !== undefined && (time.getTime() >= error || time.getTime() === 0);
  return known.steps.slice(place + 1).some((next) => {
    const other = factsOf(next.id, known);
    if (next.parallel) return false;
    // Its start is also the start of what it waits for, so only its end says something.
    const began = next.id === 'cb-bootstrap' ? undefined : other.startedAt;
    return isNewer(other.finishedAt) || (isNewer(began) && next.id !== step.startsWith);
  });
}

const isInTheWay = ({ parallel, tolerated }: BootstrapStep): boolean => !parallel && !tolerated;

/** When it last told of an error without being done since, in milliseconds. */
function lastErrorOf({ serviceFailed, ...own }: Facts): number {
  if (serviceFailed) return own.failedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  if (own.finishedAt && !(own.failedAt && own.failedAt > own.finishedAt)) return 0;
  return Math.max(...[own.noteAt, own.lastLoopAt, own.failedAt].map((at) => at?.getTime() ?? 0));
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

function worstOf(states: readonly StepProgress[]): StepProgress {
  const seen = new Set(states);
  if (seen.has('failed')) return 'failed';
  if (seen.has('stuck')) return 'stuck';
  if (seen.has('running')) return 'running';
  if (seen.has('waiting')) return seen.has('done') ? 'running' : 'waiting';
  return seen.has('done') ? 'done' : 'unseen';
}

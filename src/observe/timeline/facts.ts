import type { BootstrapStep, StepSignal } from '../../openshift/bootstrap/step.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { plainText } from '../match-line.ts';
import { mirrorErrors } from '../mirrors-also-failed.ts';
import { quoteLine } from '../quote-line.ts';

/**
 * What is known of one step. Facts only grow and do not depend on the order in which they come in, so
 * that files can be read one after the other and a live machine line by line.
 */
export interface Facts {
  startedAt?: Date;
  finishedAt?: Date;
  failedAt?: Date;
  /** Attempts of something that never gives up, by their second: a bundle holds some lines twice. */
  readonly loops: Set<number>;
  lastLoopAt?: Date;
  /** The newest sign of it. */
  lastAt?: Date;
  note?: string;
  noteAt?: Date;
  /** Required pods by name, with their last known state. */
  readonly pods: Map<string, { state: string; at: number }>;
  evidence: boolean;
  /** Its service ended with a failure and was not started again. */
  serviceFailed?: true;
}

type TimeKey = 'startedAt' | 'finishedAt' | 'failedAt' | 'lastLoopAt' | 'lastAt' | 'noteAt';

export const noFacts = (): Facts => ({
  loops: new Set(),
  pods: new Map(),
  evidence: false,
});

const earlier = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  !a || (b && b < a) ? b : a;
export const later = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  !a || (b && b > a) ? b : a;

/** Adds what a line of a log said. */
export function addSignal(
  facts: Facts,
  says: StepSignal['says'],
  groups: Readonly<Record<string, string | undefined>>,
  at: Date | undefined,
): void {
  facts.evidence = true;
  assign(facts, 'lastAt', later(facts.lastAt, at));
  // What is said about its errors is said while it is at work.
  if (says === 'started' || says === 'note')
    assign(facts, 'startedAt', earlier(facts.startedAt, at));
  if (says === 'finished')
    assign(facts, 'finishedAt', earlier(facts.finishedAt, at ?? new Date(0)));
  if (says === 'failed') assign(facts, 'failedAt', later(facts.failedAt, at ?? new Date(0)));
  if (says === 'loop') {
    addLoop(facts, at);
    assign(facts, 'startedAt', earlier(facts.startedAt, at));
    assign(facts, 'lastLoopAt', later(facts.lastLoopAt, at));
  }
  if (groups.pod) addPod(facts, groups.pod, groups.state ?? '', at);
  else addNote(facts, groups.note ?? groups.what, at);
}

function addLoop(facts: Facts, at: Date | undefined): void {
  facts.loops.add(at ? Math.floor(at.getTime() / 1000) : -facts.loops.size);
}

function addPod(facts: Facts, pod: string, state: string, at: Date | undefined): void {
  const time = at?.getTime() ?? 0;
  if ((facts.pods.get(pod)?.at ?? -1) <= time) facts.pods.set(pod, { state, at: time });
}

function addNote(facts: Facts, note: string | undefined, at: Date | undefined): void {
  if (!note || (facts.noteAt && at && at < facts.noteAt)) return;
  const [mirror] = mirrorErrors(plainText(note));
  facts.note = quoteLine(mirror ? `${mirror.mirror}: ${mirror.error}` : note).slice(0, 300);
  assign(facts, 'noteAt', at);
}

function assign(facts: Facts, key: TimeKey, value: Date | undefined): void {
  if (value) facts[key] = value;
}

/** What the record of its service says about a step; the record is whole, so it is read anew each time. */
export function factsOfRecord(step: BootstrapStep, entries: readonly ServiceRecordEntry[]): Facts {
  const facts = noFacts();
  for (const [index, entry] of entries.entries()) {
    if (step.stage !== undefined && entry.stage !== step.stage) continue;
    facts.evidence = true;
    const at = new Date(entry.timestamp);
    assign(facts, 'lastAt', later(facts.lastAt, at));
    if (entry.phase.endsWith('start')) assign(facts, 'startedAt', earlier(facts.startedAt, at));
    else if (entry.result === 'failure') addFailure(facts, entry, entries.slice(index + 1), at);
    else if (isEndOf(step, entry)) assign(facts, 'finishedAt', later(facts.finishedAt, at));
  }
  return facts;
}

/**
 * What the record says about a service that failed between its stages, where no stage can tell. Undefined
 * when none did, or when a later run came further.
 */
export function factsBetweenStages(
  entries: readonly ServiceRecordEntry[],
  isTolerated: (stage: string | undefined) => boolean,
): Facts | undefined {
  const last = entries.findLastIndex(({ phase }) => phase.startsWith('stage'));
  const stage = entries[last];
  if (stage?.result === 'failure' && !isTolerated(stage.stage)) return undefined;
  const rest = entries.slice(last + 1);
  const facts = noFacts();
  for (const [index, entry] of rest.entries()) {
    if (entry.phase !== 'service end' || entry.result !== 'failure') continue;
    const at = new Date(entry.timestamp);
    facts.evidence = true;
    assign(facts, 'startedAt', earlier(facts.startedAt, at));
    assign(facts, 'lastAt', later(facts.lastAt, at));
    addFailure(facts, entry, rest.slice(index + 1), at);
  }
  return facts.evidence ? facts : undefined;
}

/** Whether this end is the end of the step: of its stage, or of the whole service. */
function isEndOf(step: BootstrapStep, entry: ServiceRecordEntry): boolean {
  if (step.stage !== undefined) return entry.phase === 'stage end';
  return entry.phase === (step.endsBeforeService ? 'pre-command end' : 'service end');
}

/** A failure counts as an attempt when the service, or the stage, began again after it. */
function addFailure(
  facts: Facts,
  entry: ServiceRecordEntry,
  after: readonly ServiceRecordEntry[],
  at: Date,
): void {
  addNote(facts, entry.errorMessage?.split('\n').at(-1), at);
  const again = after.some(
    ({ phase, stage }) =>
      phase === 'service start' ||
      phase === 'pre-command start' ||
      (phase === 'stage start' && stage === entry.stage),
  );
  const ended = after.some(({ phase }) => phase === 'service end') || entry.phase === 'service end';
  const givesUp = entry.stage !== 'pull-release-image' && (ended || after.length > 0);
  if (again || !givesUp) {
    addLoop(facts, at);
    assign(facts, 'lastLoopAt', later(facts.lastLoopAt, at));
  } else assign(facts, 'failedAt', later(facts.failedAt, at));
}

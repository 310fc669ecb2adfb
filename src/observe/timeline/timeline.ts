import type { BootstrapStep, BootstrapVariant } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS, signalsOf } from '../../openshift/bootstrap/steps.ts';
import type { ApiObject } from '../formats/objects.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { valueAt } from '../rules/object-test.ts';
import { whereMatcher } from '../rules/where.ts';
import { withUnknownStages } from './extra-steps.ts';
import { addSignal, type Facts, factsOfRecord, later, noFacts } from './facts.ts';
import { createServiceFailures, UNIT_FAILED } from './service-failures.ts';
import { type BootstrapState, stateOf } from './state.ts';

/** One thing seen on the way, from a file or from a machine that is running. */
export type Observation =
  | {
      readonly kind: 'line';
      readonly origins: readonly string[];
      readonly text: string;
      readonly at?: Date | undefined;
    }
  | {
      readonly kind: 'record';
      readonly service: string;
      readonly entries: readonly ServiceRecordEntry[];
    }
  | { readonly kind: 'object'; readonly object: ApiObject; readonly at?: Date | undefined }
  /** The time of any other line: the evidence goes at least this far. */
  | { readonly kind: 'time'; readonly at: Date };

/** Observations in, in any order; state out, at any time. */
export interface Timeline {
  push(observation: Observation): void;
  /** Without `now` it is the newest time seen: the state when the evidence ends. */
  state(now?: Date): BootstrapState;
}

const compiled = (pattern: string, where: readonly string[]) => {
  const matchers = where.map(whereMatcher);
  return {
    pattern,
    where,
    regexp: new RegExp(pattern, 'i'),
    appliesTo: (origin: string) => matchers.some((matches) => matches(origin)),
  };
};

const SIGNALS = BOOTSTRAP_STEPS.flatMap((step) =>
  signalsOf(step).map(({ says, pattern, where }) => ({
    ...compiled(pattern, where),
    says,
    step: step.id,
  })),
);
const FAILURE = compiled(UNIT_FAILED.pattern, UNIT_FAILED.where);

/** What a timeline looks for in lines, in the form the readers of evidence want it. */
export const SIGNAL_PATTERNS = [...SIGNALS, FAILURE];

export function createTimeline(): Timeline {
  const fromLines = new Map<string, Facts>();
  const records = new Map<string, readonly ServiceRecordEntry[]>();
  const failures = createServiceFailures();
  let newest: Date | undefined;
  let installerSeen = false;

  const note = (at: Date | undefined) => {
    newest = later(newest, at);
  };
  const linesOf = (id: string): Facts => {
    const facts = fromLines.get(id) ?? noFacts();
    fromLines.set(id, facts);
    return facts;
  };

  function pushLine({ origins, text, at }: Extract<Observation, { kind: 'line' }>): void {
    note(at);
    installerSeen ||= origins.includes('installer-log');
    for (const { step, says, regexp, appliesTo } of SIGNALS) {
      const match = origins.some(appliesTo) && regexp.exec(text);
      if (match) addSignal(linesOf(step), says, match.groups ?? {}, at);
    }
    const failed = origins.some(FAILURE.appliesTo) && FAILURE.regexp.exec(text);
    if (failed) failures.add(failed.groups ?? {}, at);
  }

  function pushRecord(service: string, entries: readonly ServiceRecordEntry[]): void {
    records.set(service, entries);
    for (const { timestamp } of entries) note(new Date(timestamp));
  }

  /** The etcd operator itself says when the bootstrap member is gone. */
  function pushObject(object: ApiObject): void {
    const condition = 'status.conditions[type=EtcdBootstrapMemberRemoved]';
    if (object.kind !== 'Etcd' || valueAt(object, `${condition}.status`) !== 'True') return;
    const at = new Date(String(valueAt(object, `${condition}.lastTransitionTime`)));
    const known = Number.isNaN(at.getTime()) ? undefined : at;
    addSignal(linesOf('etcd-member-removed'), 'finished', {}, known);
    note(known);
  }

  return {
    push(observation) {
      if (observation.kind === 'line') pushLine(observation);
      else if (observation.kind === 'record') pushRecord(observation.service, observation.entries);
      else if (observation.kind === 'object') pushObject(observation.object);
      else note(observation.at);
    },
    state(now) {
      const factsOf = (step: BootstrapStep) =>
        mergedFacts(step, fromLines.get(step.id) ?? noFacts(), records.get(step.service ?? ''));
      const known = applicable((step) => factsOf(step).evidence);
      const steps = withUnknownStages(known, records);
      const facts = new Map(steps.map((step) => [step.id, factsOf(step)]));
      return stateOf({
        ...failures.applied({ steps, facts }, records),
        now: now ?? newest ?? new Date(0),
        installerSeen,
      });
    },
  };
}

/** The steps of this way to install: what only others do is left out until there is a sign of it. */
function applicable(isSeen: (step: BootstrapStep) => boolean): BootstrapStep[] {
  const ways = new Set<BootstrapVariant | undefined>(
    BOOTSTRAP_STEPS.filter((step) => step.only && isSeen(step)).map(({ only }) => only),
  );
  return BOOTSTRAP_STEPS.filter(
    ({ only, unless }) => (!only || ways.has(only)) && !(unless && ways.has(unless)),
  );
}

/** Records know best; lines add what records do not hold. */
function mergedFacts(
  step: BootstrapStep,
  lines: Facts,
  entries: readonly ServiceRecordEntry[] | undefined,
): Facts {
  const record = entries && factsOfRecord(step, entries);
  if (!record?.evidence) return lines;
  const lastAt = later(lines.lastAt, record.lastAt);
  const noteAt = later(lines.noteAt, record.noteAt);
  return {
    ...lines,
    ...record,
    loops: lines.loops.size > record.loops.size ? lines.loops : record.loops,
    pods: lines.pods,
    ...(lastAt ? { lastAt } : {}),
    ...(noteAt ? { noteAt } : {}),
    ...(lines.note ? { note: lines.note } : {}),
  };
}

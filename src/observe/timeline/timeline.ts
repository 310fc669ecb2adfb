import type { ApiObject } from '../formats/objects.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { valueAt } from '../rules/object-test.ts';
import { whereMatcher } from '../rules/where.ts';
import { addSignal, type Facts, factsOfRecord, noFacts } from './facts.ts';
import { SIGNALS } from './signals.ts';
import { type BootstrapState, stateOf } from './state.ts';
import { STEPS } from './step.ts';

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
  | { readonly kind: 'object'; readonly object: ApiObject; readonly at?: Date | undefined };

/** Observations in, in any order; state out, at any time. */
export interface Timeline {
  push(observation: Observation): void;
  /** Without `now` it is the time of the newest observation: the state when the evidence ends. */
  state(now?: Date): BootstrapState;
}

const COMPILED = SIGNALS.map((signal) => {
  const matchers = signal.where.map(whereMatcher);
  return {
    signal,
    regexp: new RegExp(signal.pattern, 'i'),
    appliesTo: (origin: string) => matchers.some((matches) => matches(origin)),
  };
});

/** The signals as patterns to look for, in the form the readers of evidence want them. */
export const SIGNAL_PATTERNS = COMPILED.map(({ signal, appliesTo }) => ({
  pattern: signal.pattern,
  where: signal.where,
  appliesTo,
}));

export function createTimeline(): Timeline {
  const fromLines = new Map<string, Facts>(STEPS.map(({ id }) => [id, noFacts()]));
  const records = new Map<string, readonly ServiceRecordEntry[]>();
  let newest: Date | undefined;
  let installerSeen = false;

  const note = (at: Date | undefined) => {
    if (at && (!newest || at > newest)) newest = at;
  };

  function pushLine({ origins, text, at }: Extract<Observation, { kind: 'line' }>): void {
    note(at);
    installerSeen ||= origins.includes('installer-log');
    for (const { signal, regexp, appliesTo } of COMPILED) {
      if (!origins.some(appliesTo)) continue;
      const match = regexp.exec(text);
      const facts = fromLines.get(signal.step);
      if (match && facts) addSignal(facts, signal, match.groups ?? {}, at);
    }
  }

  function pushRecord(service: string, entries: readonly ServiceRecordEntry[]): void {
    records.set(service, entries);
    for (const { timestamp } of entries) note(new Date(timestamp));
  }

  /** The etcd operator itself says when the bootstrap member is gone. */
  function pushObject(object: ApiObject): void {
    const condition = 'status.conditions[type=EtcdBootstrapMemberRemoved]';
    if (object.kind !== 'Etcd' || valueAt(object, `${condition}.status`) !== 'True') return;
    const facts = fromLines.get('etcd-member-removed');
    const at = new Date(String(valueAt(object, `${condition}.lastTransitionTime`)));
    const known = Number.isNaN(at.getTime()) ? undefined : at;
    if (facts) Object.assign(facts, { evidence: true, finishedAt: known ?? new Date(0) });
    note(known);
  }

  return {
    push(observation) {
      if (observation.kind === 'line') pushLine(observation);
      else if (observation.kind === 'record') pushRecord(observation.service, observation.entries);
      else pushObject(observation.object);
    },
    state(now) {
      const facts = new Map(STEPS.map((step) => [step.id, mergedFacts(step.id)]));
      return stateOf(facts, now ?? newest ?? new Date(0), installerSeen);
    },
  };

  /** Records know best; lines add what records do not hold. */
  function mergedFacts(id: string): Facts {
    const step = STEPS.find((one) => one.id === id);
    const lines = fromLines.get(id) ?? noFacts();
    const entries = step?.record && records.get(step.record.service);
    if (!step || !entries) return lines;
    const record = factsOfRecord(step, entries);
    if (!record.evidence) return lines;
    return {
      ...lines,
      ...record,
      loops: lines.loops.size > record.loops.size ? lines.loops : record.loops,
      pods: lines.pods,
      ...(lines.note ? { note: lines.note } : {}),
    };
  }
}

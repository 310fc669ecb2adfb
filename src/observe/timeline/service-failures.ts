import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS, BOOTSTRAP_UNITS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { withServiceStep, withUnknownUnit } from './extra-steps.ts';
import { type Facts, factsBetweenStages, noFacts } from './facts.ts';
import { createUnknownUnits } from './unknown-units.ts';

/** As long as systemd lets a name be: a run of such characters without an end is not searched again and again. */
const NAME = '[\\w@:.\\\\-]{1,255}';

/**
 * What systemd says when a unit failed, in its journal and in the list of failed units of a bundle; and when one
 * that had failed before ended well.
 */
export const UNIT_FAILED = {
  where: ['journal:bootstrap/*', 'file:failed-units.txt'],
  pattern: `(?<unit>${NAME})\\.service: Failed with result|^[*●]\\s+(?<listed>${NAME})\\.service\\s+loaded failed failed|(?<ended>${NAME})\\.service: Deactivated successfully`,
};

/** Steps with what is known of each. */
export interface StepFacts {
  readonly steps: readonly BootstrapStep[];
  readonly facts: ReadonlyMap<string, Facts>;
}

type ServiceRecords = ReadonlyMap<string, readonly ServiceRecordEntry[]>;

/** A list of failed units has no time: it was made when the logs were gathered, after all of them. */
const AT_THE_END = Number.POSITIVE_INFINITY;

/** Follows which services failed, so that a step of one that is gone is not shown as running. */
export function createServiceFailures() {
  const failed = new Map<string, number>();
  const unknown = createUnknownUnits();
  return {
    add({ unit, listed, ended }: Readonly<Record<string, string | undefined>>, at?: Date) {
      const service = unit ?? listed ?? ended ?? '';
      const time = listed !== undefined ? AT_THE_END : at?.getTime();
      if (time === undefined) return;
      if (ended !== undefined) unknown.end(service, time);
      else if (!isKnown(service)) unknown.fail(service, time);
      else failed.set(service, Math.max(failed.get(service) ?? 0, time));
    },
    /** The steps and facts with these failures in them, and with those between the stages of a record. */
    applied(known: StepFacts, records: ServiceRecords): StepFacts {
      if (known.steps.some(({ id, completes }) => completes && known.facts.get(id)?.finishedAt)) {
        return known;
      }
      let result = known;
      for (const [service, entries] of records) {
        const facts = isStaged(service) && factsBetweenStages(entries, isTolerated);
        if (facts) result = withFailure(result, service, facts);
      }
      for (const [service, at] of failed) {
        if (!wentOn(result, service, at, records.get(service) ?? [])) {
          result = stopped(result, service, at);
        }
      }
      return withUnknownUnits(
        result,
        unknown.failed().filter(([unit]) => !tellsOfFailure(records.get(unit))),
      );
    },
  };
}

/** A record that does is shown itself. */
const tellsOfFailure = (entries: readonly ServiceRecordEntry[] = []): boolean =>
  entries.some(({ result }) => result === 'failure');

const isTolerated = (stage: string | undefined): boolean =>
  BOOTSTRAP_STEPS.some((step) => step.stage === stage && step.tolerated);

const isKnown = (service: string): boolean =>
  BOOTSTRAP_STEPS.some((step) => step.service === service);

/** A service whose steps are its stages: of others the step is the service, and tells by itself. */
const isStaged = (service: string): boolean =>
  !BOOTSTRAP_STEPS.some((step) => step.service === service && step.stage === undefined);

/** Whether there are signs of the service, or of what comes after it, that are newer than its failure. */
function wentOn(
  { steps, facts }: StepFacts,
  service: string,
  at: number,
  entries: readonly ServiceRecordEntry[],
): boolean {
  const last = steps.findLastIndex((step) => step.service === service);
  const isNewer = (time: Date | undefined) => time !== undefined && time.getTime() > at;
  return (
    entries.some(({ timestamp }) => isNewer(new Date(timestamp))) ||
    steps.some((step, index) => {
      const counts = step.service === service || (index > last && !step.parallel);
      return counts && isNewer(facts.get(step.id)?.lastAt);
    })
  );
}

/**
 * The step its service was at is not running any more; where that one is done, the service itself failed. A service
 * that is one step was at that one, whether or not anything told that it began.
 */
function stopped({ steps, facts }: StepFacts, service: string, at: number): StepFacts {
  const failure = Number.isFinite(at) ? { failedAt: new Date(at) } : {};
  const own = steps.filter((step) => step.service === service && !step.tolerated);
  const last =
    own.findLast((step) => facts.get(step.id)?.evidence) ??
    own.find(({ stage }) => stage === undefined);
  const known = (last && facts.get(last.id)) ?? noFacts();
  if (!last || (last.stage !== undefined && known.finishedAt)) {
    return withFailure({ steps, facts }, service, { ...noFacts(), evidence: true, ...failure });
  }
  const changed = { ...known, ...failure, evidence: true, serviceFailed: true as const };
  return { steps, facts: new Map([...facts, [last.id, changed]]) };
}

/** Adds a step for the service itself, after the last of its own. */
function withFailure({ steps, facts }: StepFacts, service: string, failure: Facts): StepFacts {
  const after = steps.findLast((step) => step.service === service && facts.get(step.id)?.evidence);
  const isOver = !failure.startedAt || failure.failedAt;
  const own = { ...failure, ...(isOver ? { serviceFailed: true as const } : {}) };
  return {
    steps: withServiceStep(steps, service, after?.id),
    facts: new Map([...facts, [`${service}.service`, own]]),
  };
}

/** Adds units that have no step. */
function withUnknownUnits(
  known: StepFacts,
  units: readonly (readonly [unit: string, at: number])[],
): StepFacts {
  // By themselves they do not tell of a bootstrap: every machine has units that may fail.
  if (![...known.facts.values()].some(({ evidence }) => evidence)) return known;
  let { steps } = known;
  const facts = new Map(known.facts);
  for (const [unit, at] of units.toReversed()) {
    const time = Number.isFinite(at) ? { startedAt: new Date(at), failedAt: new Date(at) } : {};
    facts.set(`${unit}.service`, { ...noFacts(), evidence: true, ...time, serviceFailed: true });
    steps = withUnknownUnit(steps, unit, !holdsUp(known, unit, at));
  }
  return { steps, facts };
}

/** Only of units of a bootstrap is it known that something waits for them, and not where that went on. */
const holdsUp = ({ steps, facts }: StepFacts, unit: string, at: number): boolean =>
  BOOTSTRAP_UNITS.has(unit) &&
  !steps.some(({ id, parallel }) => !parallel && Number(facts.get(id)?.lastAt) > at);

import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { withServiceStep } from './extra-steps.ts';
import { type Facts, factsBetweenStages, noFacts } from './facts.ts';

/** What systemd says when a unit failed, in its journal and in the list of failed units of a bundle. */
export const UNIT_FAILED = {
  where: ['journal:bootstrap/*', 'file:failed-units.txt'],
  pattern:
    '(?<unit>[\\w@-]+)\\.service: Failed with result|^[*●]\\s+(?<listed>[\\w@-]+)\\.service\\s+loaded failed failed',
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
  return {
    add({ unit, listed }: Readonly<Record<string, string | undefined>>, at: Date | undefined) {
      const service = unit ?? listed ?? '';
      const time = listed !== undefined ? AT_THE_END : at?.getTime();
      if (time !== undefined) failed.set(service, Math.max(failed.get(service) ?? 0, time));
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
        if (isKnown(service) && !wentOn(result, service, at, records.get(service) ?? [])) {
          result = stopped(result, service, at);
        }
      }
      return result;
    },
  };
}

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

/** The step its service was at is not running any more; where that one is done, the service itself failed. */
function stopped({ steps, facts }: StepFacts, service: string, at: number): StepFacts {
  const failure = Number.isFinite(at) ? { failedAt: new Date(at) } : {};
  const last = steps.findLast(
    (step) => step.service === service && !step.tolerated && facts.get(step.id)?.evidence,
  );
  const known = last && facts.get(last.id);
  if (!last || !known || (last.stage !== undefined && known.finishedAt)) {
    return withFailure({ steps, facts }, service, { ...noFacts(), evidence: true, ...failure });
  }
  const changed = { ...known, ...failure, serviceFailed: true as const };
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

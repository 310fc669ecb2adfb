import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { quoteLine } from '../quote-line.ts';

/** A step the table does not have, and the one it comes after. */
interface ExtraStep {
  readonly step: BootstrapStep;
  readonly after: string | undefined;
}

type ServiceRecords = ReadonlyMap<string, readonly ServiceRecordEntry[]>;

/** Steps of unknown services are placed before the end of bootkube, which they may hold up. */
const LAST_PLACE = 'bootkube-complete';

/**
 * The steps with what service records tell of besides: a stage of a newer installer, or one of its own that
 * somebody added, is shown by its name where it happened.
 */
export function withUnknownStages(
  steps: readonly BootstrapStep[],
  records: ServiceRecords,
): BootstrapStep[] {
  const extra = [...records].flatMap(([service, entries]) => unknownStages(service, entries));
  return placed(steps, extra);
}

/** The steps with one for a service that failed where none of its stages did. */
export function withServiceStep(
  steps: readonly BootstrapStep[],
  service: string,
  after: string | undefined,
): BootstrapStep[] {
  return placed(steps, [{ step: serviceStep(service), after: after ?? anchorOf(service) }]);
}

/** The steps with one for a unit that failed and is none of theirs, beside the others. */
export function withUnknownUnit(
  steps: readonly BootstrapStep[],
  unit: string,
  isTolerated: boolean,
): BootstrapStep[] {
  const tolerated = isTolerated ? { tolerated: true as const } : {};
  return placed(steps, [{ step: { ...serviceStep(unit), ...tolerated }, after: anchorOf(unit) }]);
}

function serviceStep(service: string): BootstrapStep {
  const id = `${service}.service`;
  return { ...unknown(id, service), title: quoteLine(id).slice(0, 80) };
}

function unknownStages(service: string, entries: readonly ServiceRecordEntry[]): ExtraStep[] {
  const own = BOOTSTRAP_STEPS.filter((step) => step.service === service);
  const isKnown = (stage: string) =>
    own.some((step) => step.stage === undefined || step.stage === stage);
  const extra = new Map<string, ExtraStep>();
  let after = anchorOf(service);
  for (const { stage } of entries) {
    if (stage === undefined) continue;
    if (!isKnown(stage) && !extra.has(stage)) {
      extra.set(stage, { step: unknown(stage, service), after });
    }
    after = own.find((step) => step.stage === stage)?.id ?? extra.get(stage)?.step.id ?? after;
  }
  return [...extra.values()];
}

/** Before the first step of its service, or before the end where the service is not known. */
function anchorOf(service: string): string | undefined {
  const first = BOOTSTRAP_STEPS.findIndex((step) => step.service === service);
  const at = first >= 0 ? first : BOOTSTRAP_STEPS.findIndex(({ id }) => id === LAST_PLACE);
  return BOOTSTRAP_STEPS[at - 1]?.id;
}

function unknown(stage: string, service: string): BootstrapStep {
  const first = BOOTSTRAP_STEPS.find((step) => step.service === service);
  const name = quoteLine(stage).slice(0, 80);
  return {
    id: stage,
    title: `${name} (a stage of ${quoteLine(service).slice(0, 80)})`,
    lane: first?.lane ?? 'System',
    limitMinutes: 10,
    waitsFor: 'what its logs say',
    service,
    stage,
    ...(first ? {} : { parallel: true }),
  };
}

/** Each extra step right after the one it names, which may be an extra one too. */
function placed(steps: readonly BootstrapStep[], extra: readonly ExtraStep[]): BootstrapStep[] {
  const result = [...steps];
  for (const { step, after } of extra) {
    // What it comes after may be left out in this way to install: then the nearest one before that.
    const order = BOOTSTRAP_STEPS.findIndex(({ id }) => id === after);
    const before = new Set([after, ...BOOTSTRAP_STEPS.slice(0, order + 1).map(({ id }) => id)]);
    const at = result.findLastIndex(({ id }) => before.has(id)) + 1;
    result.splice(at, 0, { ...step, ...partAt(at, step, result) });
  }
  return result;
}

/** The abstract step of its neighbours in the same service: one that fails there has that one fail. */
function partAt(
  at: number,
  { service }: BootstrapStep,
  steps: readonly BootstrapStep[],
): Pick<BootstrapStep, 'part'> {
  const isOwn = (step: BootstrapStep) => step.service === service && step.part !== undefined;
  const { part } = steps.slice(0, at).findLast(isOwn) ?? steps.slice(at).find(isOwn) ?? {};
  return part === undefined ? {} : { part };
}

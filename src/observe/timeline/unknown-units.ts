/** How many are kept: a log that goes on for ever may name ever new ones. */
const MOST_FAILED = 50;
const MOST_ENDED = 1000;

/** What podman runs to ask a container how it is: it fails whenever the answer is bad, and belongs to no bootstrap. */
const HEALTH_CHECK = /^[0-9a-f]{64}/;

/** Follows units that have no step: which of them failed, and did not end well since. */
export function createUnknownUnits() {
  const failed = new Map<string, number>();
  const ended = new Map<string, number>();
  const keep = (units: Map<string, number>, most: number, unit: string, time: number) => {
    if (HEALTH_CHECK.test(unit) || (!units.has(unit) && units.size >= most)) return;
    units.set(unit, Math.max(units.get(unit) ?? 0, time));
  };
  return {
    fail: (unit: string, time: number) => keep(failed, MOST_FAILED, unit, time),
    end: (unit: string, time: number) => keep(ended, MOST_ENDED, unit, time),
    /** Those that are failed, with the time of their last failure, the earliest first. */
    failed: (): (readonly [unit: string, at: number])[] =>
      [...failed]
        .filter(([unit, at]) => at > (ended.get(unit) ?? -1))
        .toSorted(([a, first], [b, second]) => first - second || (a < b ? -1 : 1)),
  };
}

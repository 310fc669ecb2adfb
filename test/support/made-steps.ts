import { type Facts, noFacts } from '../../src/observe/timeline/facts.ts';
import { stateOf } from '../../src/observe/timeline/state.ts';
import type { BootstrapStep } from '../../src/openshift/bootstrap/step.ts';

/** A minute of the hour in which made steps happen. */
export const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));

/** A made-up step of a bootstrap. */
export const step = (id: string, row: Partial<BootstrapStep> = {}): BootstrapStep => ({
  id,
  title: `Title of ${id}`,
  lane: 'System',
  limitMinutes: 10,
  waitsFor: `what ${id} needs`,
  ...row,
});

/** What is known of steps, by their id. */
export type KnownOf = Readonly<Record<string, Partial<Facts>>>;

/** The state of a bootstrap of these steps, of which this much is known. */
export function stateWith(
  steps: readonly BootstrapStep[],
  known: KnownOf,
  { now = at(30), installerSeen = true } = {},
) {
  const facts = new Map(
    Object.entries(known).map(([id, own]) => [id, { ...noFacts(), evidence: true, ...own }]),
  );
  return stateOf({ steps, facts, now, installerSeen });
}

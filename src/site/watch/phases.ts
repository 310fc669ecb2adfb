import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { WatchFacts } from './causes.ts';

const MINUTE_MS = 60_000;

/** The parts of an install that people can see, with what they usually take. */
export const PHASES = {
  boot: { title: 'Machines boot', usualMs: 10 * MINUTE_MS },
  bootstrap: { title: 'The bootstrap machine starts a control plane', usualMs: 20 * MINUTE_MS },
  'control-plane': { title: 'The masters take over', usualMs: 20 * MINUTE_MS },
  operators: { title: 'Operators settle', usualMs: 40 * MINUTE_MS },
} as const;

export type PhaseId = keyof typeof PHASES;

export function phaseOf(facts: WatchFacts): PhaseId {
  if (facts.bootstrappedMs !== undefined) return 'operators';
  if (facts.answeredMs !== undefined) return 'control-plane';
  return facts.pulls.length > 0 ? 'bootstrap' : 'boot';
}

const STEP_OF = new Map(
  BOOTSTRAP_STEPS.flatMap(({ components, title }) =>
    (components ?? []).map((component) => [component, title] as const),
  ),
);

/** The step of the bootstrap that an image is pulled for: as far as one can see from outside. */
export function bootstrapStepFor(image: string): string | undefined {
  return STEP_OF.get(image);
}

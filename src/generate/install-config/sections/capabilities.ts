import { nearest } from '../../../core/nearest.ts';
import { sortedUnique } from '../../../core/order.ts';
import {
  CAPABILITY_NAMES,
  CAPABILITY_SETS,
  isOptional,
  releaseOfSet,
  setHas,
} from '../../../openshift/capabilities.ts';
import { isAtLeast } from '../../../openshift/version.ts';
import { type Fields, part, text, texts } from '../fields.ts';
import type { Surroundings } from '../traits.ts';
import { error, type Violation, when } from '../violation.ts';

export interface CapabilitiesInput {
  readonly baseline: string;
  readonly additional?: readonly string[] | undefined;
}

export const capabilityFields = {
  capabilities: part({ baselineCapabilitySet: text, additionalEnabledCapabilities: texts }),
};

export function buildCapabilities(input: CapabilitiesInput | undefined) {
  if (!input) return {};
  const added = sortedUnique(input.additional ?? []);
  return {
    capabilities: {
      baselineCapabilitySet: input.baseline,
      ...(added.length > 0 ? { additionalEnabledCapabilities: added } : {}),
    },
  };
}

const PATH = 'capabilities.additionalEnabledCapabilities';

/** What a cluster cannot do without, on its platform and together with what else it has. */
export function checkCapabilities(
  { capabilities }: Fields<typeof capabilityFields>,
  { facts, platform }: Surroundings,
): Violation[] {
  if (!capabilities) return [];
  const { baselineCapabilitySet = '', additionalEnabledCapabilities: added = [] } = capabilities;
  const has = (name: string) => added.includes(name) || setHas(baselineCapabilitySet, name);
  const needed = (name: string, why: string) =>
    when(!has(name) && isOptional(facts.version, name), () => error(PATH, why, `Add "${name}"`));
  return [
    ...checkBaseline(baselineCapabilitySet, facts.version),
    ...added.flatMap(checkName),
    ...needed('Ingress', 'without Ingress there is no cluster'),
    ...(has('marketplace')
      ? needed('OperatorLifecycleManager', 'marketplace needs OperatorLifecycleManager')
      : []),
    ...(platform?.capabilities ?? []).flatMap((name) =>
      needed(name, `the capability ${name} is needed on this platform`),
    ),
  ];
}

function checkName(name: string): Violation[] {
  const close = nearest(name, CAPABILITY_NAMES);
  const fix = close ? `Write "${close}"` : `Choose from ${CAPABILITY_NAMES.join(', ')}`;
  return when(!CAPABILITY_NAMES.includes(name), () =>
    error(PATH, `"${name}" is not a capability`, fix),
  );
}

function checkBaseline(baseline: string, version: Surroundings['facts']['version']): Violation[] {
  const path = 'capabilities.baselineCapabilitySet';
  if (!CAPABILITY_SETS.includes(baseline)) {
    const [first, last] = [CAPABILITY_SETS.at(1), CAPABILITY_SETS.at(-2)];
    const fix = `Write "None", "vCurrent" or "${first}" to "${last}"`;
    return [error(path, `"${baseline}" is not a set`, fix)];
  }
  const release = releaseOfSet(baseline);
  return when(release !== undefined && !isAtLeast(version, release), () =>
    error(
      path,
      `the release is older than "${baseline}"`,
      'Name the set of the release or an older one',
    ),
  );
}

import {
  CAPABILITY_NAMES,
  CAPABILITY_SETS,
  isOptional,
  releaseOfSet,
  setHas,
} from '../../openshift/capabilities.ts';
import { isAtLeast } from '../../openshift/version.ts';
import type { InstallFacts } from './facts.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

const PATH = 'capabilities.additionalEnabledCapabilities';

/** What a cluster cannot do without, on its platform and together with what else it has. */
export function checkCapabilities(
  { capabilities, platform }: InstallConfig,
  facts: InstallFacts,
): Violation[] {
  if (!capabilities) return [];
  const { baselineCapabilitySet = '', additionalEnabledCapabilities: added = [] } = capabilities;
  const has = (name: string) => added.includes(name) || setHas(baselineCapabilitySet, name);
  const onCloud = platform.none === undefined && platform.baremetal === undefined;
  const needed = (name: string, why: string) =>
    when(!has(name) && isOptional(facts.version, name), () => error(PATH, why, `Add "${name}"`));
  return [
    ...checkBaseline(baselineCapabilitySet, facts),
    ...added.flatMap(checkName),
    ...needed('Ingress', 'without Ingress there is no cluster'),
    ...(has('marketplace')
      ? needed('OperatorLifecycleManager', 'marketplace needs OperatorLifecycleManager')
      : []),
    ...(onCloud ? needed('CloudCredential', 'CloudCredential is needed on this platform') : []),
    ...(onCloud
      ? needed('CloudControllerManager', 'CloudControllerManager is needed on this platform')
      : []),
    ...(platform.baremetal
      ? needed('baremetal', 'the capability baremetal is needed on this platform')
      : []),
  ];
}

function checkName(name: string): Violation[] {
  return when(!CAPABILITY_NAMES.includes(name), () =>
    error(PATH, `"${name}" is not a capability`, `Choose from ${CAPABILITY_NAMES.join(', ')}`),
  );
}

function checkBaseline(baseline: string, facts: InstallFacts): Violation[] {
  const path = 'capabilities.baselineCapabilitySet';
  if (!CAPABILITY_SETS.includes(baseline)) {
    const [first, last] = [CAPABILITY_SETS.at(1), CAPABILITY_SETS.at(-2)];
    const fix = `Write "None", "vCurrent" or "${first}" to "${last}"`;
    return [error(path, `"${baseline}" is not a set`, fix)];
  }
  const release = releaseOfSet(baseline);
  return when(release !== undefined && !isAtLeast(facts.version, release), () =>
    error(
      path,
      `the release is older than "${baseline}"`,
      'Name the set of the release or an older one',
    ),
  );
}

import { isAtLeast } from '../../openshift/version.ts';
import type { InstallFacts } from './facts.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

/** The minor release of 4 that made each of them optional: from its set on, sets have it. */
const SINCE = {
  baremetal: 11,
  marketplace: 11,
  CloudCredential: 15,
  OperatorLifecycleManager: 15,
  CloudControllerManager: 16,
  Ingress: 16,
} as const;
const FIRST_SET = 11;
const LAST_SET = 18;
const PATH = 'capabilities.additionalEnabledCapabilities';

/** What a cluster cannot do without, on its platform and together with what else it has. */
export function checkCapabilities(
  { capabilities, platform }: InstallConfig,
  facts: InstallFacts,
): Violation[] {
  if (!capabilities) return [];
  const { baselineCapabilitySet = '', additionalEnabledCapabilities: added = [] } = capabilities;
  const has = (name: keyof typeof SINCE) =>
    added.includes(name) || setNumber(baselineCapabilitySet) >= SINCE[name];
  const lacks = (name: keyof typeof SINCE) =>
    !has(name) && isAtLeast(facts.version, `4.${SINCE[name]}` as `${number}.${number}`);
  const onCloud = platform.none === undefined && platform.baremetal === undefined;
  const needed = (name: keyof typeof SINCE, why: string) =>
    when(lacks(name), () => error(PATH, why, `Add "${name}"`));
  return [
    ...checkBaseline(baselineCapabilitySet, facts),
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

/** `v4.N` as N; a set that has all, or one we know nothing about, as infinity. */
function setNumber(baseline: string): number {
  if (baseline === 'None') return 0;
  const minor = /^v4\.(\d+)$/.exec(baseline)?.[1];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}

function checkBaseline(baseline: string, facts: InstallFacts): Violation[] {
  const path = 'capabilities.baselineCapabilitySet';
  if (baseline === 'None' || baseline === 'vCurrent') return [];
  const number = setNumber(baseline);
  if (number < FIRST_SET || number > LAST_SET) {
    const fix = `Write "None", "vCurrent" or "v4.${FIRST_SET}" to "v4.${LAST_SET}"`;
    return [error(path, `"${baseline}" is not a set`, fix)];
  }
  return when(!isAtLeast(facts.version, `4.${number}`), () =>
    error(
      path,
      `the release is older than "${baseline}"`,
      'Name the set of the release or an older one',
    ),
  );
}

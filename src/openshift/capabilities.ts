import { isAtLeast, type ReleaseVersion, type Since } from './version.ts';

interface Capability {
  /** The release that made it optional. Before, every cluster has it. */
  readonly since: Since;
  /** The first set that has it, where that is an older one. */
  readonly firstSet?: Since;
}

/** What a cluster can be installed without. */
const CAPABILITIES: Readonly<Record<string, Capability>> = {
  baremetal: { since: '4.11' },
  marketplace: { since: '4.11' },
  'openshift-samples': { since: '4.11' },
  Console: { since: '4.12' },
  CSISnapshot: { since: '4.12' },
  Insights: { since: '4.12' },
  Storage: { since: '4.12' },
  NodeTuning: { since: '4.13' },
  Build: { since: '4.14' },
  DeploymentConfig: { since: '4.14' },
  ImageRegistry: { since: '4.14' },
  MachineAPI: { since: '4.14', firstSet: '4.11' },
  CloudCredential: { since: '4.15' },
  OperatorLifecycleManager: { since: '4.15' },
  CloudControllerManager: { since: '4.16' },
  Ingress: { since: '4.16' },
  OperatorLifecycleManagerV1: { since: '4.18' },
  ClusterAPI: { since: '4.22' },
  CompatibilityRequirements: { since: '4.22' },
};

/** Sets that have a number; `None` has nothing and `vCurrent` all. */
const FIRST_SET = 11;
const LAST_SET = 18;

export const CAPABILITY_SETS: readonly string[] = [
  'None',
  ...Array.from({ length: LAST_SET - FIRST_SET + 1 }, (_, index) => `v4.${FIRST_SET + index}`),
  'vCurrent',
];

export const CAPABILITY_NAMES: readonly string[] = Object.keys(CAPABILITIES);

/** Whether clusters of this release can do without it. */
export function isOptional(version: ReleaseVersion | undefined, name: string): boolean {
  const capability = CAPABILITIES[name];
  return capability !== undefined && isAtLeast(version, capability.since);
}

/** What clusters of this release can do without. */
export function optionalCapabilities(version: ReleaseVersion): string[] {
  return CAPABILITY_NAMES.filter((name) => isOptional(version, name));
}

/** The release a set is named after; undefined for those without a number. */
export function releaseOfSet(set: string): Since | undefined {
  return /^v(?<since>\d+\.\d+)$/.exec(set)?.groups?.since as Since | undefined;
}

/** Whether a set has a capability. A set we do not know is taken for one that has all. */
export function setHas(set: string, name: string): boolean {
  const capability = CAPABILITIES[name];
  if (set === 'None' || !capability) return false;
  const release = releaseOfSet(set);
  if (release === undefined) return true;
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return isAtLeast({ major, minor }, capability.firstSet ?? capability.since);
}

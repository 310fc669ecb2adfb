import { BOOTSTRAP_STEPS } from './bootstrap/steps.ts';
import { defaultOsImageStream } from './features.ts';
import type { ReleaseVersion } from './version.ts';

/** Components the bootstrap machine pulls in every install, in the order in which it needs them. */
export const BOOTSTRAP_COMPONENTS: readonly string[] = [
  ...new Set(
    BOOTSTRAP_STEPS.flatMap(({ only, components = [] }) => (only === undefined ? components : [])),
  ),
];

/** What every node of the cluster runs. */
export const NODE_COMPONENTS: readonly string[] = [
  'rhel-coreos',
  'machine-config-operator',
  'pod',
  'multus-cni',
  'ovn-kubernetes',
  'coredns',
  'kube-proxy',
  'network-metrics-daemon',
  'prometheus-node-exporter',
  'cluster-node-tuning-operator',
  'cli',
];

const OS_COMPONENT = /^(?:rhel|stream)[a-zA-Z0-9.-]*-coreos[a-zA-Z0-9.-]*$/;
const OS_SOURCE = 'github.com/openshift/os';

/** Whether a component is the system of nodes or its extensions: the cluster reads the streams from their labels. */
export function isOsComponent(component: {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}): boolean {
  const built = component.annotations['io.openshift.build.source-location'] ?? '';
  return OS_COMPONENT.test(component.name) || built.includes(OS_SOURCE);
}

/** The component that nodes of a release run as their system: that of their stream, else of the usual one. */
export function nodeImageComponent(version: ReleaseVersion | undefined, stream?: string): string {
  const chosen = stream ?? (version && defaultOsImageStream(version));
  return chosen === 'rhel-10' ? 'rhel-coreos-10' : 'rhel-coreos';
}

/** What every control plane node runs besides; the version operator runs from the release image itself. */
export const CONTROL_PLANE_COMPONENTS: readonly string[] = [
  'etcd',
  'hyperkube',
  'oauth-apiserver',
  'openshift-apiserver',
];

import {
  BOOTSTRAP_COMPONENTS,
  CONTROL_PLANE_COMPONENTS,
  NODE_COMPONENTS,
} from '../../openshift/components.ts';

/** The components of a lab release: those that machines ask for by name, and some of the rest. */
export const COMPONENTS: readonly string[] = [
  ...new Set([
    ...BOOTSTRAP_COMPONENTS,
    ...NODE_COMPONENTS,
    ...CONTROL_PLANE_COMPONENTS,
    'cli-artifacts',
    'cluster-network-operator',
    'cluster-version-operator',
    'console',
    'haproxy-router',
    'installer',
    'installer-artifacts',
    'oauth-server',
    'prometheus',
  ]),
].toSorted();

/** What changes from one lab release to the next; the rest is shared, as between real z-streams. */
export const CHANGING: ReadonlySet<string> = new Set([
  'etcd',
  'hyperkube',
  'machine-config-operator',
  'rhel-coreos',
]);

/** Operators whose Deployment is in the payload: what the version operator rolls out. */
export const OPERATORS: readonly string[] = COMPONENTS.filter((name) => name.endsWith('-operator'));

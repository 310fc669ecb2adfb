import { unitOf } from './formats/journal-text.ts';

/** The origin of text nobody can place: every rule may look at it. */
export const ANYWHERE = 'text:unknown';

/** How the lines of a file are to be read. */
export type Format =
  | 'journal'
  | 'journal-json'
  | 'journal-export'
  | 'journal-fields'
  | 'journal-list'
  | 'logrus'
  | 'oc-mirror'
  | 'own-events'
  | 'plain'
  | 'record'
  | 'objects-json'
  | 'objects-yaml';

/** Which machine wrote a journal; a file alone may not tell. */
export type Machine = 'bootstrap' | 'node' | 'bastion';

/**
 * What a file is: its format, and its origins in the words of the catalogue (`journal:bootstrap/crio`,
 * `installer-log`, `pod:openshift-etcd/etcd`). A journal of many units has its origin line by line.
 */
export interface FileKind {
  readonly format: Format;
  readonly origins: readonly string[];
  readonly machine?: Machine | undefined;
  /** The name of the service, for a service record. */
  readonly service?: string | undefined;
  /** Guessed from the content or from a name anybody may give: each line tells better where it comes from. */
  readonly guessed?: true | undefined;
}

type Parts = Readonly<Record<string, string>>;
type Row = readonly [pattern: RegExp, kind: (parts: Parts) => FileKind | undefined];

const journal = (machine: Machine, unit: string): FileKind => ({
  format: 'journal',
  origins: [`journal:${machine}/${unit}`],
  machine,
});
const plain = (...origins: string[]): FileKind => ({ format: 'plain', origins });
/** A name people give: what is in the file may come from elsewhere as well. */
const tool = (name: string): FileKind => ({ ...plain(`cli:${name}`, ANYWHERE), guessed: true });
const IGNORED = undefined;

/** First match wins. Paths are relative to the bundle, whatever folder it is in. */
const ROWS: readonly Row[] = [
  [/(?:^|\/)rendered-assets\//, () => IGNORED],
  [/\.(?:inspect|ign|crt|pem|tar|tgz|png|db|html)$/, () => IGNORED],
  [
    /(?:^|\/)(?:services|var\/log\/openshift)\/(?<service>[\w-]+)\.json$/,
    ({ service = '' }) => ({ format: 'record', origins: [`record:${service}`], service }),
  ],
  [
    /(?:^|\/)bootstrap\/journals\/journal\.log(?:\.gz)?$/,
    () => ({ format: 'journal', origins: [], machine: 'bootstrap' }),
  ],
  [
    /(?:^|\/)control-plane\/[^/]+\/journals\/journal\.log(?:\.gz)?$/,
    () => ({ format: 'journal', origins: [], machine: 'node' }),
  ],
  [
    /(?:^|\/)control-plane\/[^/]+\/journals\/(?<unit>[^/]+)\.log$/,
    ({ unit = '' }) => journal('node', unit),
  ],
  [
    /(?:^|\/)control-plane\/[^/]+\/unit-status\/(?<unit>[^/]+?)\.service\.(?:log|txt)$/,
    ({ unit = '' }) => journal('node', unit),
  ],
  [
    /(?:^|\/)(?<path>control-plane\/[^/]+\/failed-units\.txt)$/,
    ({ path = '' }) => plain(`file:${path}`),
  ],
  [
    /(?:^|\/)bootstrap\/journals\/(?<unit>[^/]+)\.log$/,
    ({ unit = '' }) => journal('bootstrap', unitOf(unit)),
  ],
  [/(?:^|\/)bastion\/journals\/(?<unit>[^/]+)\.log$/, ({ unit = '' }) => journal('bastion', unit)],
  [
    /(?:^|\/)unit-status\/(?<unit>[^/]+?)\.service\.(?:log|txt)$/,
    ({ unit = '' }) => journal('bootstrap', unit),
  ],
  [/(?:^|\/)failed-units\.txt$/, () => plain('file:failed-units.txt')],
  [/(?:^|\/)(?<path>serial\/[^/]+)$/, ({ path = '' }) => plain(...consoleOf(path), `file:${path}`)],
  [
    /(?<path>[^/]*(?:console[-_](?:log|output)|serial)[^/]*)$/i,
    ({ path = '' }) => ({ ...plain(...consoleOf(path), ANYWHERE), guessed: true }),
  ],
  [
    /(?:^|\/)(?<path>bootstrap\/containers\/(?:.*\/)?(?<name>[a-z][a-z0-9-]*?)(?:-[0-9a-f]{12,64})?\.log)$/,
    ({ path = '', name = '' }) => plain(podOf(name), `file:${path}`),
  ],
  [
    /(?:^|\/)control-plane\/[^/]+\/containers\/(?<name>[a-z][a-z0-9-]*?)(?:-[0-9a-f]{12,64})?\.log$/,
    ({ name = '' }) => plain(podOf(name)),
  ],
  [/(?:^|\/)bootstrap\/pods\/[^/]+\.log$/, () => plain('journal:bootstrap/bootkube')],
  [
    /(?:^|\/)namespaces\/(?<namespace>[^/]+)\/pods\/(?<pod>[^/]+)\/.*\.log$/,
    ({ namespace, pod }) => plain(`pod:${namespace}/${pod}`),
  ],
  [
    /(?:^|\/)host_service_logs\/[^/]+\/(?<unit>[\w-]+?)_service\.log$/,
    ({ unit = '' }) => journal('node', unit),
  ],
  [
    /(?:^|\/)(?:resources\/[^/]+|[^/]*stack-events[^/]*)\.json(?:\.gz)?$/,
    () => ({ format: 'objects-json', origins: [] }),
  ],
  [
    /(?:^|\/)(?:cluster-scoped-resources|namespaces)\/.*\.ya?ml$/,
    () => ({ format: 'objects-yaml', origins: [] }),
  ],
  [/\.openshift_install[^/]*\.log$|(?:^|\/)clusterapi\/.*\.log$/, () => logrus('installer-log')],
  [
    /(?:^|\/)(?<name>mirroring_errors?_[^/]*\.txt)$/,
    ({ name = '' }) => ({
      format: 'oc-mirror',
      origins: ['cli:oc-mirror', `file:working-dir/logs/${name}`],
    }),
  ],
  [
    /oc-mirror[^/]*\.(?:log|txt)$/,
    () => ({ format: 'oc-mirror', origins: ['cli:oc-mirror', ANYWHERE], guessed: true }),
  ],
  [/(?:^|\/)events\.ndjson$/, () => ({ format: 'own-events', origins: ['cli:atoll'] })],
  [/issue\.d\/(?<name>[^/]+\.issue)$/, ({ name }) => plain(`file:/etc/issue.d/${name}`)],
  [/(?:mirror-registry|quay-install)[^/]*\.(?:log|txt)$/, () => tool('mirror-registry')],
  [/(?:oc-adm-release|release-mirror)[^/]*\.(?:log|txt)$/, () => tool('oc-adm-release-mirror')],
  [/analyze[^/]*\.(?:log|txt)$/, () => tool('openshift-install-analyze')],
  [/(?:^|\/)oc(?:[-_][^/]*)?\.(?:log|txt)$/, () => tool('oc')],
  [/podman[^/]*\.(?:log|txt)$/, () => tool('podman')],
  [/skopeo[^/]*\.(?:log|txt)$/, () => tool('skopeo')],
];

/** Containers of a control plane by the name in the file, and the pod that owns each. */
const POD_OF_CONTAINER: Readonly<Record<string, string>> = {
  etcd: 'openshift-etcd/etcd',
  etcdctl: 'openshift-etcd/etcd',
  'kube-apiserver': 'openshift-kube-apiserver/kube-apiserver',
  'kube-controller-manager': 'openshift-kube-controller-manager/kube-controller-manager',
  'kube-scheduler': 'openshift-kube-scheduler/openshift-kube-scheduler',
  'cluster-version-operator': 'openshift-cluster-version/cluster-version-operator',
  'machine-config-server': 'openshift-machine-config-operator/machine-config-server',
  'machine-config-controller': 'openshift-machine-config-operator/machine-config-controller',
  'machine-config-daemon': 'openshift-machine-config-operator/machine-config-daemon',
};

/** What a master says on its console is nothing the bootstrap machine did. */
const consoleOf = (path: string): string[] => [
  'console:node',
  'aws:ec2-console-output',
  ...(/bootstrap|^(?!serial\/)(?!.*(?:master|worker|control|compute))/i.test(path)
    ? ['console:bootstrap']
    : []),
];

const podOf = (container: string): string =>
  `pod:${POD_OF_CONTAINER[container] ?? `unknown/${container}`}`;

const logrus = (origin: string): FileKind => ({ format: 'logrus', origins: [origin] });

/** What the path says. `ignored` files hold no log; undefined means that the content must tell. */
export function kindOfPath(path: string): FileKind | 'ignored' | undefined {
  for (const [pattern, kind] of ROWS) {
    const match = pattern.exec(path);
    if (match) return kind((match.groups as Parts | undefined) ?? {}) ?? 'ignored';
  }
  return undefined;
}

import { KINDS } from '../../../src/cluster/api/kinds.ts';
import { type KubeObject, keyOf, objectSchema } from '../../../src/cluster/api/object.ts';
import type { Kind, Resources } from '../../../src/cluster/api/resources.ts';
import { watch } from '../../../src/cluster/api/watch.ts';
import { type Context, silentContext } from '../../../src/core/context.ts';
import { readMirrorSet } from '../../../src/generate/mirror-set-migration.ts';
import { registriesConf } from '../../../src/generate/registries-conf.ts';
import { digestOf } from '../../../src/oci/digest.ts';

export const RELEASE_DIGEST = digestOf('a release');
export const VERSION = '4.20.3';
const RELEASE = `quay.io/openshift-release-dev/ocp-release@${RELEASE_DIGEST}`;
const COMPONENTS = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev';

const NODES: Readonly<Record<string, string>> = {
  'master-0': 'master',
  'master-1': 'master',
  'master-2': 'master',
  'worker-0': 'worker',
};
const NAMESPACES = [
  'openshift-config',
  'openshift-config-managed',
  'openshift-marketplace',
  'openshift-monitoring',
  'openshift-update-service',
  'openshift-etcd',
];

const condition = (type: string, status: boolean, reason = 'AsExpected', message = '') => ({
  type,
  status: status ? 'True' : 'False',
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const WELL = [
  condition('Available', true),
  condition('Progressing', false),
  condition('Degraded', false),
];

/** What the operators play to have installed. */
export interface FakeRelease {
  readonly version: string;
  readonly release: string;
  /** The image that machines of a role run. */
  readonly image: (role: string) => string;
}

/** The operators that are played, in the order in which they settle. */
export const OPERATORS = ['etcd', 'monitoring', 'marketplace'] as const;

/**
 * Plays what no test can own: the operators of OpenShift and the machines that follow them. It is a
 * fake that writes to a real API what they would write: it boots nothing, and pulls nothing.
 */
export class FakeOperators {
  readonly #facts: FakeRelease;
  readonly #resources: Resources;
  readonly #ctx: Context;
  readonly #over = new AbortController();
  readonly #stuck = new Map<string, string>();
  #playing: Promise<unknown> = Promise.resolve();

  constructor(resources: Resources, facts: Partial<FakeRelease> = {}) {
    const image = (role: string) => `${COMPONENTS}@${digestOf(role)}`;
    this.#facts = { version: VERSION, release: RELEASE, image, ...facts };
    this.#resources = resources;
    this.#ctx = silentContext({ signal: this.#over.signal });
  }

  /** A cluster right after its install: well, and without a mirror. */
  async install(options: { readonly without?: readonly string[] } = {}): Promise<void> {
    await this.begin();
    await this.version([]);
    for (const name of OPERATORS) await this.settle(name);
    for (const name of Object.keys(NODES)) {
      if (!options.without?.includes(name)) await this.join(name);
    }
  }

  /** The API of a bootstrap machine: nothing is well yet, and there are no nodes. */
  async begin(): Promise<void> {
    for (const name of NAMESPACES)
      await this.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const start = [condition('Available', false), condition('Progressing', true)];
    for (const name of OPERATORS) await this.operator(name, start);
    for (const role of ['master', 'worker']) await this.render(role, []);
    for (const [kind, spec] of [
      [KINDS.operatorHub, {}],
      [KINDS.image, {}],
    ] as const) {
      await this.put({ ...kind, metadata: { name: 'cluster' }, spec });
    }
    // The operator writes its own default, under its own name.
    const samples = { metadata: { name: 'cluster' }, spec: { managementState: 'Managed' } };
    await this.put({ ...KINDS.samples, ...samples }, 'cluster-samples-operator');
  }

  /** A machine is a node, and runs what its role runs. */
  async join(name: string): Promise<void> {
    const role = NODES[name] ?? 'worker';
    await this.node(name, role);
    await this.pod(`etcd-${name}`, name, this.#facts.image(role));
  }

  async settle(operator: string): Promise<void> {
    await this.operator(operator, WELL);
  }

  /** While the version operator still rolls out, in its words. */
  async progressing(message: string): Promise<void> {
    await this.version([condition('Progressing', true, 'UpdatingVersion', message)], {
      state: 'Partial',
    });
  }

  /** Follows the objects that come, as the operators do, until `stop`. */
  play(): void {
    const follow = async (kind: Kind, react: (object: KubeObject) => Promise<void>) => {
      for await (const { type, object } of watch(this.#ctx, this.#resources, kind, {
        retryMs: 100,
      }))
        if (type !== 'deleted') await react(object);
    };
    const mirrors = () => this.#renderAll();
    this.#playing = Promise.allSettled([
      follow(KINDS.digestMirrors, mirrors),
      follow(KINDS.tagMirrors, mirrors),
      follow(KINDS.catalogSource, (object) => this.#serveCatalogSource(object)),
      follow(KINDS.clusterCatalog, (object) => this.#serveClusterCatalog(object)),
    ]);
  }

  async stop(): Promise<void> {
    this.#over.abort(new Error('the play is over'));
    await this.#playing;
  }

  /** From now on nodes of this pool fail to take a configuration. */
  stick(pool: string, message: string): void {
    this.#stuck.set(pool, message);
  }

  async version(
    extra: readonly object[],
    history: { readonly state?: string } = {},
  ): Promise<void> {
    const name = 'version';
    const clusterID = '6a3f0b84-7b7f-4c0d-9d0d-000000000000';
    await this.put({ ...KINDS.clusterVersion, metadata: { name }, spec: { clusterID } });
    const entry = {
      state: history.state ?? 'Completed',
      version: this.#facts.version,
      image: this.#facts.release,
      verified: true,
      startedTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T01:00:00Z',
    };
    await this.status(
      { ...KINDS.clusterVersion, metadata: { name } },
      {
        desired: { version: this.#facts.version, image: this.#facts.release },
        observedGeneration: 1,
        versionHash: 'fake',
        availableUpdates: [],
        history: [entry],
        conditions: [
          condition('Available', history.state !== 'Partial'),
          ...(history.state === 'Partial' ? [] : [condition('Progressing', false)]),
          ...extra,
        ],
      },
    );
  }

  async operator(name: string, conditions: readonly object[]): Promise<void> {
    const object = { ...KINDS.clusterOperator, metadata: { name }, spec: {} };
    await this.put(object);
    await this.status(object, {
      conditions,
      versions: [{ name: 'operator', version: this.#facts.version }],
    });
  }

  async degrade(name: string, message: string): Promise<void> {
    const degraded = condition('Degraded', true, 'SyncError', message);
    await this.operator(name, [
      condition('Available', true),
      condition('Progressing', false),
      degraded,
    ]);
  }

  async node(name: string, role: string): Promise<void> {
    const labels = { [`node-role.kubernetes.io/${role}`]: '', 'kubernetes.io/hostname': name };
    const object = { ...KINDS.node, metadata: { name, labels } };
    await this.put(object);
    const times = { lastHeartbeatTime: '2026-01-01T00:00:00Z' };
    await this.status(object, {
      addresses: [
        { type: 'InternalIP', address: '192.0.2.10' },
        { type: 'Hostname', address: name },
      ],
      conditions: [{ ...condition('Ready', true, 'KubeletReady'), ...times }],
    });
  }

  async pod(name: string, node: string, image: string, waiting?: string): Promise<void> {
    const metadata = { name, namespace: 'openshift-etcd' };
    const object = {
      ...KINDS.pod,
      metadata,
      spec: { nodeName: node, containers: [{ name: 'a', image }] },
    };
    await this.put(object);
    const digest = image.split('@')[1] ?? digestOf(image);
    await this.status(object, {
      phase: waiting ? 'Pending' : 'Running',
      containerStatuses: [
        {
          name: 'a',
          image,
          imageID: waiting ? '' : `${image.replace(/[@:][^/]*$/, '')}@${digest}`,
          ready: !waiting,
          restartCount: 0,
          state: waiting ? { waiting: { reason: waiting } } : { running: {} },
        },
      ],
    });
  }

  /** What the machine config operator does for a pool: render, then let node after node take it. */
  async render(pool: string, files: readonly object[]): Promise<void> {
    const config = { ignition: { version: '3.4.0' }, storage: { files } };
    const rendered = `rendered-${pool}-${digestOf(JSON.stringify(config)).slice(7, 23)}`;
    await this.put({ ...KINDS.machineConfig, metadata: { name: rendered }, spec: { config } });
    const object = { ...KINDS.pool, metadata: { name: pool } };
    const before = await this.#resources.get(this.#ctx, keyOf(objectSchema.parse(object)));
    await this.put({
      ...object,
      spec: { ...(before?.spec ?? {}), configuration: { name: rendered } },
    });
    const machines = Object.values(NODES).filter((role) => role === pool).length;
    const stuck = this.#stuck.get(pool);
    if (before) await this.#poolStatus(object, machines, 0, undefined, stuck);
    if (stuck === undefined) await this.#poolStatus(object, machines, machines, rendered);
  }

  async #poolStatus(
    object: Kind & { metadata: { name: string } },
    machineCount: number,
    updated: number,
    configuration?: string,
    degraded?: string,
  ): Promise<void> {
    const done = updated === machineCount;
    await this.status(object, {
      machineCount,
      updatedMachineCount: updated,
      readyMachineCount: updated,
      unavailableMachineCount: machineCount - updated,
      degradedMachineCount: degraded === undefined ? 0 : 1,
      ...(configuration ? { configuration: { name: configuration } } : {}),
      conditions: [
        condition('Updated', done),
        condition('Updating', !done),
        condition('NodeDegraded', degraded !== undefined, 'NodeFailed', degraded),
        condition('Degraded', degraded !== undefined),
      ],
    });
  }

  async #renderAll(): Promise<void> {
    const list = async (kind: Kind) => (await this.#resources.list(this.#ctx, kind)).objects;
    const rules = (objects: readonly KubeObject[]) =>
      objects.flatMap((object) => readMirrorSet(object)?.rules ?? []);
    const text = registriesConf({
      rules: rules(await list(KINDS.digestMirrors)),
      tagRules: rules(await list(KINDS.tagMirrors)),
    });
    const source = `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
    const file = { path: '/etc/containers/registries.conf', contents: { source } };
    for (const role of ['master', 'worker']) await this.render(role, [file]);
  }

  async #serveCatalogSource(object: KubeObject): Promise<void> {
    await this.status(object, {
      connectionState: {
        address: `${object.metadata.name}.openshift-marketplace.svc:50051`,
        lastConnect: '2026-01-01T00:00:00Z',
        lastObservedState: 'READY',
      },
    });
  }

  async #serveClusterCatalog(object: KubeObject): Promise<void> {
    await this.status(object, { conditions: [condition('Serving', true, 'Available')] });
  }

  /** Makes an object, or replaces the one that is there. */
  async put(object: object, fieldManager = 'fake-operators'): Promise<void> {
    const parsed = objectSchema.parse(object);
    await this.#patch(parsed, '', {
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager, force: 'true', fieldValidation: 'Strict' },
      body: parsed,
    });
  }

  /** Removes an object at once, as a kubelet lets a pod go. */
  async remove(object: KubeObject): Promise<void> {
    const path = await this.#resources.pathOf(silentContext(), keyOf(object));
    const query = { gracePeriodSeconds: '0' };
    const what = `play the end of ${object.kind} ${object.metadata.name}`;
    const request = { method: 'DELETE', path, query, what } as const;
    await this.#resources.client.json(silentContext(), request);
  }

  async status(object: object, status: object): Promise<void> {
    await this.#patch(objectSchema.parse(object), '/status', {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'fake-operators' },
      body: { status },
    });
  }

  async #patch(
    object: KubeObject,
    part: string,
    request: { contentType: string; query: Record<string, string>; body: unknown },
  ): Promise<void> {
    const path = `${await this.#resources.pathOf(this.#ctx, keyOf(object))}${part}`;
    const what = `play ${object.kind} ${object.metadata.name}`;
    await this.#resources.client.json(this.#ctx, { ...request, method: 'PATCH', path, what });
  }
}

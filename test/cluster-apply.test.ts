import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { KINDS } from '../src/cluster/api/kinds.ts';
import { type KubeObject, keyOf, objectSchema } from '../src/cluster/api/object.ts';
import { applyAll } from '../src/cluster/apply/apply.ts';
import { applyObject } from '../src/cluster/apply/apply-object.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import {
  catalogSource,
  clusterCatalog,
  clusterCatalogOff,
  operatorHub,
} from '../src/generate/cluster/catalogs.ts';
import { clusterVersionPatch, updateService } from '../src/generate/cluster/cluster-version.ts';
import { imageConfig, trustedCaConfigMap } from '../src/generate/cluster/image-config.ts';
import { imagePolicy } from '../src/generate/cluster/image-policy.ts';
import { telemetryOff } from '../src/generate/cluster/monitoring-config.ts';
import { pinnedImageSets } from '../src/generate/cluster/pinned-images.ts';
import { releaseSignatures } from '../src/generate/cluster/release-signatures.ts';
import { samplesConfig } from '../src/generate/cluster/samples-config.ts';
import { textFile } from '../src/generate/ignition/config.ts';
import { machineConfig } from '../src/generate/machine-config.ts';
import {
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
} from '../src/generate/mirror-sets.ts';
import { digestOf } from '../src/oci/digest.ts';
import { INDEX, MIRROR, QUICK, useCluster } from './support/cluster/use-cluster.ts';
import { describeWithPeers } from './support/peers.ts';

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
  type: 'spki',
  format: 'pem',
}) as string;
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const RULES = [
  {
    source: 'quay.io/openshift-release-dev/ocp-release',
    mirrors: [`${MIRROR}/openshift/release-images`],
    policy: 'NeverContactSource' as const,
  },
  {
    source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
    mirrors: [`${MIRROR}/openshift/release`],
  },
];
const TAGS = [{ source: 'registry.redhat.io/ubi9', mirrors: [`${MIRROR}/ubi9`] }];

const parsed = (...objects: readonly object[]): KubeObject[] =>
  objects.map((object) => objectSchema.parse(object));

/** One of each kind that atoll writes, with every field that it can write. */
const EVERYTHING = parsed(
  trustedCaConfigMap('mirror-ca', { [MIRROR]: PEM }),
  imageConfig({ additionalTrustedCA: 'mirror-ca', blockedRegistries: ['docker.io'] }),
  imageDigestMirrorSet('idms-release-0', RULES),
  imageTagMirrorSet('itms-generic-0', TAGS),
  imageContentSourcePolicy('old-0', RULES),
  operatorHub({ defaultsOff: true }),
  catalogSource({
    image: INDEX,
    displayName: 'Mirror',
    publisher: 'Example',
    pollInterval: '30m',
    priority: 5,
  }),
  clusterCatalog({ image: INDEX, pollInterval: '2h', priority: 5 }),
  samplesConfig({ removed: true }),
  releaseSignatures([{ digest: digestOf('a'), bytes: Buffer.from('signature') }]),
  updateService({
    releases: `${MIRROR}/openshift/release-images`,
    graphDataImage: `${MIRROR}/openshift/graph-image:latest`,
  }),
  telemetryOff(),
  imagePolicy({
    name: 'team',
    scopes: ['quay.io/team'],
    publicKey: KEY,
    signedAs: { prefix: 'quay.io/team', signedPrefix: 'quay.io/other' },
  }),
  ...pinnedImageSets({
    ...{ name: 'kept', pools: ['worker'] },
    images: [`quay.io/a@${digestOf('a')}`],
  }),
  imagePolicy({ name: 'team', namespace: 'default', scopes: [MIRROR], publicKey: KEY }),
  machineConfig({
    name: '99-worker-chrony',
    role: 'worker',
    files: [textFile('/etc/chrony.conf', 'server a\n')],
  }),
);

describeWithPeers(['etcd', 'kube-apiserver'], 'apply to a real API', () => {
  const cluster = useCluster(async ({ resources }) => {
    for (const object of EVERYTHING) await resources.remove(silentContext(), keyOf(object));
  });

  test.each(
    EVERYTHING.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const),
  )('the API takes %s strictly and loses no field', async (_title, object) => {
    await applyObject(silentContext(), cluster.resources, object);

    const found = await cluster.resources.get(silentContext(), keyOf(object));

    expect(found).toMatchObject(object);
  });

  test('the API takes the patch of a ClusterVersion strictly', async () => {
    const patch = clusterVersionPatch({
      channel: 'stable-4.20',
      upstream: 'https://updates.example/graph',
      overrides: [{ group: 'config.openshift.io', kind: 'DNS', name: 'cluster', namespace: '' }],
    });
    const [object] = parsed({
      apiVersion: 'config.openshift.io/v1',
      kind: 'ClusterVersion',
      metadata: { name: 'version' },
      ...patch,
    });
    if (!object) throw new Error('no object');

    await applyObject(silentContext(), cluster.resources, {
      ...object,
      spec: { ...patch.spec, clusterID: '6a3f0b84-7b7f-4c0d-9d0d-000000000000' },
    });

    expect(await cluster.resources.get(silentContext(), keyOf(object))).toMatchObject(patch);
  });

  test('a field that the API does not know is an error', async () => {
    const [object] = parsed({ ...operatorHub({ defaultsOff: true }), spec: { disableAll: true } });
    if (!object) throw new Error('no object');

    await expect(applyObject(silentContext(), cluster.resources, object)).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      message: expect.stringContaining('disableAll'),
    });
  });

  test('all of it goes to a cluster, nodes and catalogs follow, and a second run changes nothing', async () => {
    cluster.operators.play();
    const ctx = recordingContext();

    const first = await applyAll(ctx, cluster.resources, EVERYTHING, { wait: QUICK });
    const second = await applyAll(ctx, cluster.resources, EVERYTHING, { wait: QUICK });

    expect(first.objects.map(({ object }) => object).slice(0, 5)).toEqual([
      'ConfigMap openshift-config/mirror-ca',
      'Image cluster',
      'ClusterImagePolicy team',
      'ImageDigestMirrorSet idms-release-0',
      'ImagePolicy default/team',
    ]);
    expect(first.objects.filter(({ result }) => result === 'skipped')).toEqual([]);
    expect(new Set(second.objects.map(({ result }) => result))).toEqual(new Set(['unchanged']));
    const finished = ctx.events.flatMap((event) =>
      event.type === 'task.finished' ? event.task : [],
    );
    expect(finished.slice(0, 2)).toEqual(['machine-config-pools', 'catalogs']);
  });

  test('pinned images are waited for until every node has this very set of them', async () => {
    const images = [`quay.io/a@${digestOf('a')}`];
    const sets = parsed(...pinnedImageSets({ name: 'release', pools: ['worker'], images }));
    const node = {
      apiVersion: KINDS.machineConfigNode.apiVersion,
      kind: KINDS.machineConfigNode.kind,
      metadata: { name: 'worker-0' },
      spec: {
        node: { name: 'worker-0' },
        pool: { name: 'worker' },
        configVersion: { desired: 'x' },
      },
    };
    const has = (generations: object) =>
      cluster.operators.status(node, {
        configVersion: { current: 'x', desired: 'x' },
        pinnedImageSets: [{ name: 'worker-release', desiredGeneration: 1, ...generations }],
      });
    await cluster.operators.put(node);
    await has({ lastFailedGeneration: 1, lastFailedGenerationError: 'no space left' });
    // The node has it only after its failure was seen.
    let seen = () => {};
    const failure = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const ctx = silentContext({
      emit: (event) => {
        if (event.type === 'task.progressed' && event.note?.includes('no space left')) seen();
      },
    });

    const applying = applyAll(ctx, cluster.resources, sets, { wait: QUICK });
    await failure;
    await has({ currentGeneration: 1 });
    const { objects } = await applying;

    expect(objects).toMatchObject([{ object: 'PinnedImageSet worker-release', result: 'created' }]);
    for (const object of [...sets, ...parsed(node)])
      await cluster.resources.remove(silentContext(), keyOf(object));
  });

  test('a dry run changes nothing, and is checked by the API all the same', async () => {
    const set = parsed(imageDigestMirrorSet('idms-release-0', RULES));

    const { objects } = await applyAll(silentContext(), cluster.resources, set, { dryRun: true });

    expect(objects).toMatchObject([{ result: 'created' }]);
    expect(
      await cluster.resources.get(silentContext(), keyOf(set[0] as KubeObject)),
    ).toBeUndefined();
  });

  test('a field of somebody else is told, and taken only when asked', async () => {
    await cluster.operators.put({ ...operatorHub({ defaultsOff: false }) });
    const wanted = parsed(operatorHub({ defaultsOff: true }));

    await expect(applyAll(silentContext(), cluster.resources, wanted)).rejects.toMatchObject({
      code: 'CLUSTER_CONFLICT',
      message: expect.stringContaining(
        '.spec.disableAllDefaultSources belongs to "fake-operators"',
      ),
    });
    const { objects } = await applyAll(silentContext(), cluster.resources, wanted, { force: true });

    expect(objects).toMatchObject([{ result: 'changed' }]);
    await cluster.operators.put({ ...operatorHub({ defaultsOff: true }) });
  });

  test('a pool that is stuck ends the wait with its own words', async () => {
    cluster.operators.stick('worker', 'node worker-0: unexpected on-disk state');
    cluster.operators.play();

    const applying = applyAll(
      silentContext(),
      cluster.resources,
      parsed(imageDigestMirrorSet('idms-release-0', RULES)),
      {
        wait: QUICK,
      },
    );

    await expect(applying).rejects.toMatchObject({
      code: 'CLUSTER_FAILED',
      message: expect.stringContaining('worker: degraded: node worker-0: unexpected on-disk state'),
      hint: expect.stringContaining('oc describe mcp worker'),
    });
  });

  test('a pool that is paused will not follow, which is told at once', async () => {
    await cluster.operators.put({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name: 'worker' },
      spec: { paused: true },
    });

    const applying = applyAll(
      silentContext(),
      cluster.resources,
      parsed(imageDigestMirrorSet('idms-release-0', RULES)),
      {
        wait: QUICK,
      },
    );

    await expect(applying).rejects.toMatchObject({
      message: expect.stringContaining('worker: it is paused'),
      hint: expect.stringContaining('"paused":false'),
    });
  });

  test('what is not wanted any more goes only when asked, and not what others manage too', async () => {
    const old = parsed(
      imageDigestMirrorSet('idms-release-0', RULES),
      imageTagMirrorSet('itms-generic-0', TAGS),
    );
    const kept = parsed(operatorHub({ defaultsOff: true }));
    const ctx = recordingContext();
    await applyAll(silentContext(), cluster.resources, [...old, ...kept]);
    await cluster.operators.put(imageTagMirrorSet('itms-generic-0', TAGS));

    const without = await applyAll(silentContext(), cluster.resources, kept);
    const refused = await applyAll(silentContext(), cluster.resources, kept, {
      prune: async () => false,
    });
    const pruned = await applyAll(ctx, cluster.resources, kept, { prune: async () => true });

    expect([without.removed, refused.removed]).toEqual([[], []]);
    expect(pruned.removed).toEqual(['ImageDigestMirrorSet idms-release-0']);
    expect(ctx.events).toContainEqual(
      expect.objectContaining({
        type: 'warning.raised',
        subject: 'ImageTagMirrorSet itms-generic-0',
      }),
    );
  });

  test('signatures of earlier releases stay', async () => {
    const at = (text: string) =>
      releaseSignatures([{ digest: digestOf(text), bytes: Buffer.from(text) }]);
    await applyAll(silentContext(), cluster.resources, parsed(at('a')));

    await applyAll(silentContext(), cluster.resources, parsed(at('b')));

    const key = keyOf(objectSchema.parse(at('a')));
    const found = (await cluster.resources.get(silentContext(), key)) as
      | { binaryData?: object }
      | undefined;
    expect(Object.keys(found?.binaryData ?? {})).toHaveLength(2);
  });

  test('a catalog of the cluster is switched off where it is there, and passed over elsewhere', async () => {
    const off = parsed(clusterCatalogOff('openshift-redhat-operators'));
    const absent = await applyAll(silentContext(), cluster.resources, off);
    await cluster.operators.put(
      clusterCatalog({ name: 'openshift-redhat-operators', image: 'registry.redhat.io/a:v1' }),
    );

    const there = await applyAll(silentContext(), cluster.resources, off, { wait: QUICK });

    expect([absent, there].map(({ objects }) => objects[0]?.result)).toEqual([
      'skipped',
      'changed',
    ]);
    await cluster.resources.remove(silentContext(), keyOf(off[0] as KubeObject));
  });
});

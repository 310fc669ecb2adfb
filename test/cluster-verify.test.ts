import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { KINDS } from '../src/cluster/api/kinds.ts';
import { keyOf, objectSchema } from '../src/cluster/api/object.ts';
import { applyAll } from '../src/cluster/apply/apply.ts';
import { runningImages } from '../src/cluster/running-images.ts';
import type { CheckResult } from '../src/cluster/verify/check.ts';
import type { Expectation } from '../src/cluster/verify/snapshot.ts';
import { verifyCluster } from '../src/cluster/verify/verify.ts';
import { silentContext } from '../src/core/context.ts';
import { toYaml } from '../src/core/yaml.ts';
import { catalogSource, clusterCatalog, operatorHub } from '../src/generate/cluster/catalogs.ts';
import { trustedCaConfigMap } from '../src/generate/cluster/image-config.ts';
import { telemetryOff } from '../src/generate/cluster/monitoring-config.ts';
import { pinnedImageSets } from '../src/generate/cluster/pinned-images.ts';
import { releaseSignatures } from '../src/generate/cluster/release-signatures.ts';
import { samplesConfig } from '../src/generate/cluster/samples-config.ts';
import { imageDigestMirrorSet } from '../src/generate/mirror-sets.ts';
import { digestOf } from '../src/oci/digest.ts';
import { makeClientAuthority } from './support/cluster/client-authority.ts';
import { RELEASE_DIGEST, VERSION } from './support/cluster/fake-operators.ts';
import { INDEX, MIRROR, QUICK, useCluster } from './support/cluster/use-cluster.ts';
import { fakeProcess } from './support/fake-process.ts';
import { describeWithPeers } from './support/peers.ts';
import { tempDir } from './support/temp.ts';

const COMPONENTS = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev';
const rules = (policy?: 'NeverContactSource') => [
  {
    source: 'quay.io/openshift-release-dev',
    mirrors: [`${MIRROR}/openshift`],
    ...(policy ? { policy } : {}),
  },
];
const DAY_MS = 86_400_000;

/** What a site applies after its install. */
const GOOD = [
  imageDigestMirrorSet('idms-release-0', rules('NeverContactSource')),
  operatorHub({ defaultsOff: true }),
  catalogSource({ image: INDEX }),
  clusterCatalog({ image: INDEX }),
  samplesConfig({ removed: true }),
  releaseSignatures([{ digest: RELEASE_DIGEST, bytes: Buffer.from('signature') }]),
  telemetryOff(),
].map((object) => objectSchema.parse(object));

async function atoll(argv: readonly string[]) {
  const process = fakeProcess();
  const status = await runCommandLine([...argv], { commands: COMMANDS, groups: GROUPS }, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

describeWithPeers(['etcd', 'kube-apiserver'], 'verify against a real API', () => {
  const cluster = useCluster(async ({ resources, operators }) => {
    const { objects: pods } = await resources.list(silentContext(), KINDS.pod);
    const { objects: nodes } = await resources.list(silentContext(), KINDS.node);
    const { objects: requests } = await resources.list(silentContext(), KINDS.certificateRequest);
    for (const object of [...pods, ...nodes, ...requests]) await operators.remove(object);
    for (const object of GOOD) await resources.remove(silentContext(), keyOf(object));
  });
  beforeEach(async () => {
    cluster.operators.play();
    await applyAll(silentContext(), cluster.resources, GOOD, { wait: QUICK });
  });

  const verify = (expected: Expectation = {}) =>
    verifyCluster(silentContext(), cluster.resources, expected);

  /** The checks that do not hold. */
  async function failing(expected?: Expectation): Promise<CheckResult[]> {
    const { holds, checks } = await verify(expected);
    const bad = checks.filter(({ outcome }) => outcome !== 'holds');
    expect(holds).toBe(bad.length === 0);
    return bad;
  }

  test('holds for a cluster that lives from the mirror', async () => {
    const mirrored = new Set([digestOf('master'), digestOf('worker')]);

    const bad = await failing({ mirror: MIRROR, mirrored, version: VERSION, nodes: ['worker-0'] });

    expect(bad).toEqual([]);
  });

  test('runningImages names what containers run, the release, and the systems of nodes', async () => {
    await cluster.operators.put({
      apiVersion: KINDS.machineConfig.apiVersion,
      kind: KINDS.machineConfig.kind,
      metadata: { name: 'rendered-worker-system' },
      spec: { osImageURL: `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digestOf('system')}` },
    });

    const running = [...(await runningImages(silentContext(), cluster.resources))].join(' ');

    const expected = [digestOf('master'), digestOf('worker'), RELEASE_DIGEST, digestOf('system')];
    for (const name of [...expected, INDEX]) expect(running).toContain(name);
  });

  test('fails when the certificate of the API itself runs out soon', async () => {
    const inAYear = { ...silentContext(), now: () => new Date(Date.now() + 350 * DAY_MS) };

    const { checks } = await verifyCluster(inAYear, cluster.resources, {});

    expect(checks.find(({ check }) => check === 'certificates')).toMatchObject({
      outcome: 'fails',
      evidence: [expect.stringContaining("the API's own runs out in")],
    });
  });

  test('fails for an operator that is degraded, in its words', async () => {
    await cluster.operators.degrade('etcd', 'EtcdMembers: 1 of 3 members are available');

    expect(await failing()).toMatchObject([
      {
        check: 'operators',
        evidence: ['etcd: Degraded=True (SyncError): EtcdMembers: 1 of 3 members are available'],
        commands: ['oc describe co etcd'],
      },
    ]);
  });

  test('fails for a node that never joined', async () => {
    expect(await failing({ nodes: ['worker-0', 'worker-1'] })).toMatchObject([
      { check: 'nodes', evidence: ['worker-1: it never joined'] },
    ]);
  });

  test('fails for another version than the expected one', async () => {
    expect(await failing({ version: '4.20.9' })).toMatchObject([
      { check: 'version', evidence: [`it runs ${VERSION}, expected is 4.20.9`] },
    ]);
  });

  test('fails for an update that is under way', async () => {
    await cluster.operators.version([], { state: 'Partial' });

    expect(await failing()).toMatchObject([{ check: 'version' }]);
  });

  test('fails for a pool that is stuck, though its operator is well', async () => {
    cluster.operators.stick('worker', 'node worker-0: disk full');
    await cluster.operators.render('worker', []);

    const bad = await failing();

    expect(bad.find(({ check }) => check === 'pools')).toMatchObject({
      evidence: ['worker: degraded: node worker-0: disk full'],
    });
  });

  test('fails for a pool whose nodes do not know the mirror, whatever it says of itself', async () => {
    await cluster.operators.render('worker', []);

    const bad = await failing();

    expect(bad.map(({ check }) => check)).toEqual(['pools', 'provenance']);
    expect(bad[0]?.evidence).toEqual([
      `worker: nodes do not know ${MIRROR}/openshift for quay.io/openshift-release-dev`,
    ]);
  });

  test('fails for an image that no rule leads to the mirror', async () => {
    await cluster.operators.pod(
      'visitor',
      'worker-0',
      `docker.io/library/nginx@${digestOf('nginx')}`,
    );

    expect(await failing({ mirror: MIRROR })).toMatchObject([
      {
        check: 'provenance',
        evidence: [expect.stringContaining('no rule of worker-0 leads to the mirror')],
      },
    ]);
  });

  test('fails for an image that the mirror never got', async () => {
    const mirrored = new Set<string>([digestOf('master')]);

    expect(await failing({ mirror: MIRROR, mirrored })).toMatchObject([
      { check: 'provenance', evidence: [expect.stringContaining('is not in the mirror')] },
    ]);
  });

  test('fails for images that could have come from outside, unless there is no way out', async () => {
    const open = objectSchema.parse(imageDigestMirrorSet('idms-release-0', rules()));
    await applyAll(silentContext(), cluster.resources, [open], { wait: QUICK });
    const before = await vi.waitFor(async () => {
      const bad = await failing();
      expect(bad).toMatchObject([{ check: 'provenance' }]);
      return bad;
    }, 30_000);

    const away = { type: 'RetrievedUpdates', status: 'False', reason: 'RemoteFailed', message: '' };
    await cluster.operators.version([{ ...away, lastTransitionTime: '2026-01-01T00:00:00Z' }]);

    expect(before[0]?.commands).toEqual([expect.stringContaining('NeverContactSource')]);
    expect(await failing()).toEqual([]);
  });

  test('fails for a pod without its image', async () => {
    await cluster.operators.pod(
      'waits',
      'worker-0',
      `${COMPONENTS}@${digestOf('x')}`,
      'ImagePullBackOff',
    );

    expect(await failing()).toMatchObject([
      { check: 'pulls', evidence: ['openshift-etcd/waits a: ImagePullBackOff'] },
    ]);
  });

  test('fails for what wants to get out', async () => {
    await cluster.operators.put(operatorHub({ defaultsOff: false }));
    await cluster.resources.remove(silentContext(), keyOf(objectSchema.parse(telemetryOff())));

    const bad = await failing();

    expect(bad).toMatchObject([
      {
        check: 'egress',
        evidence: [
          'OperatorHub: the catalogs on the internet are on',
          'monitoring: telemetry is not switched off',
        ],
      },
    ]);
  });

  test('fails without the signature of the release', async () => {
    await cluster.resources.remove(
      silentContext(),
      keyOf(objectSchema.parse(releaseSignatures([]))),
    );

    expect(await failing()).toMatchObject([{ check: 'signatures' }]);
  });

  test('fails for a CA that runs out soon', async () => {
    const authority = await makeClientAuthority();
    const { cert } = await authority.client('mirror', 'example', new Date(Date.now() + 5 * DAY_MS));
    const map = trustedCaConfigMap('mirror-ca', { [MIRROR]: cert });
    await cluster.operators.put(map);

    const bad = await failing();
    await cluster.resources.remove(silentContext(), keyOf(objectSchema.parse(map)));

    expect(bad).toMatchObject([
      { check: 'certificates', evidence: [expect.stringMatching(/runs out in \d days/)] },
    ]);
  });

  test('fails for the certificate of the routers when it runs out soon', async () => {
    const authority = await makeClientAuthority();
    const { cert } = await authority.client('*.apps', 'example', new Date(Date.now() + 5 * DAY_MS));
    const map = {
      ...KINDS.configMap,
      metadata: { name: 'default-ingress-cert', namespace: 'openshift-config-managed' },
      data: { 'ca-bundle.crt': cert },
    };
    await cluster.operators.put(map);

    const bad = await failing();
    await cluster.resources.remove(silentContext(), keyOf(objectSchema.parse(map)));

    expect(bad).toMatchObject([
      {
        check: 'certificates',
        evidence: [expect.stringMatching(/default-ingress-cert.* runs out in \d days/)],
        commands: expect.arrayContaining(['oc get co ingress']),
      },
    ]);
  });

  test('fails for a node whose kubelet shows a certificate that ran out, and tells of one it cannot see', async () => {
    const authority = await makeClientAuthority();
    const old = await authority.client('system:node:worker-0', 'nodes', new Date('2026-01-01'));
    const kubelet = createServer(old);
    onTestFinished(() => void kubelet.close());
    await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
    const { port } = kubelet.address() as AddressInfo;
    const listensAt = (node: string, Port: number) =>
      cluster.operators.status(
        { ...KINDS.node, metadata: { name: node } },
        {
          addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
          daemonEndpoints: { kubeletEndpoint: { Port } },
        },
      );
    await listensAt('worker-0', port);

    const evidence = ['worker-0: that of its kubelet ran out on 2026-01-01T00:00:00.000Z'];
    expect(await failing()).toMatchObject([{ check: 'certificates', evidence }]);

    await listensAt('worker-0', 1);
    const { checks } = await verify();
    expect(checks.find(({ check }) => check === 'certificates')).toMatchObject({
      outcome: 'holds',
      message: expect.stringContaining('of 1 node it cannot be seen from here'),
    });
  });

  test('fails while a node has not got what is pinned', async () => {
    const images = [`quay.io/a@${digestOf('a')}`];
    const sets = pinnedImageSets({ name: 'release', pools: ['worker'], images });
    const [set] = sets.map((one) => objectSchema.parse(one));
    const node = {
      ...KINDS.machineConfigNode,
      metadata: { name: 'worker-0' },
      spec: {
        ...{ node: { name: 'worker-0' }, pool: { name: 'worker' } },
        configVersion: { desired: 'x' },
      },
    };
    if (!set) throw new Error('no set');
    await cluster.operators.put(node);
    await cluster.operators.put(set);

    const bad = await failing();
    for (const object of [set, objectSchema.parse(node)])
      await cluster.resources.remove(silentContext(), keyOf(object));

    expect(bad).toMatchObject([
      { check: 'pinned', evidence: ['worker-0: worker-release: it is still pulling'] },
    ]);
  });

  test('does not take what it may not read for good', async () => {
    const reader = await cluster.api.resources('reader');

    const { holds, checks } = await verifyCluster(silentContext(), reader);

    expect(holds).toBe(false);
    expect(new Set(checks.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
  });

  test('the commands apply and verify end with 0, and verify with 6 when it does not hold', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'all.yaml'), toYaml(...GOOD));
    const kubeconfig = await cluster.api.kubeconfig();
    const access = ['--kubeconfig', kubeconfig];

    const applied = await atoll(['apply', folder, ...access, '--output', 'json']);
    const good = await atoll(['verify', '--mirror', MIRROR, ...access]);
    await cluster.operators.degrade('etcd', 'no quorum');
    const bad = await atoll(['verify', '--mirror', MIRROR, ...access]);

    expect([applied.status, good.status, bad.status]).toEqual([0, 0, 6]);
    expect(JSON.parse(applied.stdout).objects).toHaveLength(GOOD.length);
    expect(good.stdout).toContain('holds');
    expect(bad.stdout).toContain('etcd: Degraded=True (SyncError): no quorum');
    expect(bad.stdout).toContain('next oc describe co etcd');
  });

  test('atoll apply without a path takes what the site wrote, its own settings included', async () => {
    const folder = await tempDir();
    const site = join(folder, 'atoll.yaml');
    const flags = ['--name', 'north', '--release', VERSION, '--platform', 'none'];
    const names = ['--base-domain', 'example.com', '--registry-host', 'mirror.example'];
    await atoll(['init', '--to', site, ...flags, ...names]);
    const written = join(folder, '.atoll', 'mirror', 'working-dir', 'cluster-resources');
    await mkdir(written, { recursive: true });
    await writeFile(join(written, 'idms-oc-mirror.yaml'), toYaml(GOOD[0]));

    const kubeconfig = await cluster.api.kubeconfig();
    const { status, stdout, stderr } = await atoll([
      'apply',
      '--site',
      site,
      '--kubeconfig',
      kubeconfig,
    ]);

    expect([status, stderr]).toEqual([0, expect.stringContaining('machine config pools')]);
    expect(stdout).toContain('unchanged ImageDigestMirrorSet idms-release-0');
    expect(stdout).toContain('unchanged OperatorHub cluster');
    expect(stdout).toContain('unchanged Config cluster');
    expect(stdout).toContain('skipped   ClusterCatalog openshift-redhat-operators');
  });
});

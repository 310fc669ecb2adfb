import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { objectSchema } from '../src/cluster/api/object.ts';
import { silentContext } from '../src/core/context.ts';
import { catalogSource, clusterCatalog } from '../src/generate/cluster/catalogs.ts';
import { pinnedImageSets } from '../src/generate/cluster/pinned-images.ts';
import type { DeleteResult } from '../src/mirror/flow/delete/execute-delete.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { formatReference } from '../src/oci/reference.ts';
import { FakeOperators } from './support/cluster/fake-operators.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

const QUAY = 'quay.io/openshifttest';
const EXTRAS = ['hello-openshift:multiarch', 'helm:3.17.0'];
const CATALOG = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';
const channel = (version: string) =>
  `  platform: {channels: [{name: stable-4.18, minVersion: ${version}, maxVersion: ${version}}]}\n`;
const OPERATORS = `  operators: [{catalog: "${CATALOG}", packages: [{name: quay-operator}]}]\n`;
const ADDED = `  additionalImages: [${EXTRAS.map((name) => `{name: "${QUAY}/${name}"}`).join(', ')}]\n`;
const OLD = `mirror:\n${channel('4.18.1')}${OPERATORS}${ADDED}`;
const NEW = `mirror:\n${channel('4.18.2')}`;
const NAMESPACE = 'openshift-etcd';

describeWithPeers(['docker-registry', 'etcd', 'kube-apiserver'], 'prune beside a cluster', () => {
  // A whole API and a mirror start here, and a busy machine takes its time.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
  let lab: MirrorLab;
  let mirror: EmbeddedRegistry;
  let api: KubeApi;
  let operators: FakeOperators;
  let at: string;
  let dir: string;
  const run = async (verb: string, set: string, to: string, ...more: string[]) =>
    lab.atoll(
      ...[verb, '-c', await lab.imageSet(set), to, at, '--dir', dir],
      ...[...lab.collectFlags, ...more],
    );
  const prune = async (...more: string[]) => {
    const done = await run('prune', NEW, '--at', ...more);
    return { ...done, outcome: done.result as { images: string[]; inUse: number } };
  };
  const inMirror = (repository: string, tag: string) =>
    lab.digestAt(mirror.host, `ocp/${repository}`, tag);
  const mirrored = async () => await new WorkingDir(dir).mirrored();
  const component = async (name: string, version: string) => {
    const found = (await mirrored()).find(
      ({ image }) => image.component === name && image.release?.version === version,
    );
    return found ? formatReference(found.image.source) : '';
  };

  beforeAll(async () => {
    [lab, mirror, api] = await Promise.all([
      startMirrorLab(),
      startEmbeddedRegistry(),
      startKubeApi(),
    ]);
    at = `docker://${mirror.host}/ocp`;
    dir = await lab.folder('memory');
    for (const set of [OLD, NEW]) expect((await run('sync', set, '--to')).status).toBe(0);
    const release = (await mirrored()).find(
      ({ image }) => image.kind === 'release' && image.release?.version === '4.18.1',
    );
    const etcd = await component('etcd', '4.18.1');
    operators = new FakeOperators(await api.resources(), {
      version: '4.18.1',
      release: release ? formatReference(release.image.source) : '',
      image: () => etcd,
    });
    await operators.install();
  });
  afterAll(async () => {
    await operators?.stop();
    await Promise.all([lab?.stop(), mirror?.stop(), api?.stop()]);
  });

  const metadata = (name: string) => ({ name, namespace: NAMESPACE });
  const template = (image: string, restartPolicy = 'Always') => ({
    metadata: { labels: { app: 'later' } },
    spec: { restartPolicy, containers: [{ name: 'a', image }] },
  });
  const nightly = (image: string) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata('nightly'),
    spec: {
      schedule: '0 3 * * *',
      jobTemplate: { spec: { template: template(image, 'Never') } },
    },
  });
  const resting = (image: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('resting'),
    spec: { replicas: 0, selector: { matchLabels: { app: 'later' } }, template: template(image) },
  });

  test('removes what is not wanted, and nothing that the cluster runs, will run or could go back to', async () => {
    const kubeconfig = ['--kubeconfig', await api.kubeconfig()];
    const unseen = await prune();
    // By the name upstream has, by the mirror's own name under another host, by its catalog alone.
    await operators.put(nightly(`${QUAY}/hello-openshift:multiarch`));
    await operators.put(resting('mirror.example.com/ocp/openshifttest/helm:3.17.0'));
    const place = `mirror.example.com/ocp/redhat/redhat-operator-index:v4.18`;
    for (const object of [catalogSource({ image: place }), clusterCatalog({ image: place })])
      await operators.put(object);

    const seen = await prune(...kubeconfig, '--execute', '--yes');

    expect(unseen.outcome.images.join()).toContain('hello-openshift');
    expect(unseen.events).toContainEqual(
      expect.objectContaining({ message: 'No cluster was asked what it uses' }),
    );
    const left = unseen.outcome.images.filter((image) => !seen.outcome.images.includes(image));
    expect(left.filter((image) => image.includes('4.18.1-x86_64')).length).toBeGreaterThan(20);
    expect(await inMirror('openshift/release-images', '4.18.1-x86_64')).toBeDefined();
    expect(await inMirror('openshifttest/hello-openshift', 'multiarch')).toBeDefined();
    expect(await inMirror('openshifttest/helm', '3.17.0')).toBeDefined();
    expect(await inMirror('redhat/redhat-operator-index', 'v4.18')).toBeDefined();
    expect(seen.text).toContain(`${seen.outcome.inUse} stay because a cluster needs them`);
    const { failures } = (seen.result as { result: DeleteResult }).result;
    expect(failures).toEqual([]);
  });

  test('keeps what a pod still waits for and what nodes hold ready, and lets go what nobody needs any more', async () => {
    const kubeconfig = ['--kubeconfig', await api.kubeconfig()];
    const resources = await api.resources();
    for (const object of [nightly(''), resting('')])
      await resources.remove(silentContext(), { ...object, ...object.metadata });
    await operators.pod('waits', 'worker-0', `${QUAY}/helm:3.17.0`, 'ImagePullBackOff');
    const hello = (await mirrored()).find(({ target }) => target.repository.endsWith('-openshift'));
    const images = [`${QUAY}/hello-openshift@${hello?.digest}`];
    const pinned = pinnedImageSets({ name: 'extra', pools: ['worker'], images });
    for (const object of pinned) await operators.put(object);

    const waiting = await prune(...kubeconfig);
    for (const object of pinned.map((each) => objectSchema.parse(each)))
      await resources.remove(silentContext(), { ...object, ...object.metadata });
    const done = await prune(...kubeconfig, '--execute', '--yes');

    expect(waiting.outcome.images).toEqual([]);
    expect(done.outcome.images.map((image) => image.split('/').at(-1))).toEqual([EXTRAS[0]]);
    expect(await inMirror('openshifttest/hello-openshift', 'multiarch')).toBeUndefined();
    expect(await inMirror('openshifttest/helm', '3.17.0')).toBeDefined();
  });

  test.each([
    ['nobody', 401],
    ['stranger', 403],
  ] as const)(
    'removes nothing when the cluster does not say what it uses (%s asks: %i)',
    async (user, status) => {
      const before = (await mirrored()).length;

      await expect(
        prune('--kubeconfig', await api.kubeconfig(user), '--execute', '--yes'),
      ).rejects.toMatchObject({ status });

      expect((await mirrored()).length).toBe(before);
    },
  );
});

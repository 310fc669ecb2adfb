import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ApiClient } from '../src/cluster/api/client.ts';
import { KINDS } from '../src/cluster/api/kinds.ts';
import { readKubeconfig } from '../src/cluster/api/kubeconfig.ts';
import { objectSchema } from '../src/cluster/api/object.ts';
import { Resources } from '../src/cluster/api/resources.ts';
import { waitFor } from '../src/cluster/api/wait.ts';
import { type Change, watch } from '../src/cluster/api/watch.ts';
import { applyObject } from '../src/cluster/apply/apply-object.ts';
import { withCluster } from '../src/cluster/connect.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { cuttableWay } from './support/cluster/cuttable.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { describeWithPeers } from './support/peers.ts';

// A whole API starts here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const DAY_MS = 86_400_000;
const map = (name: string) =>
  objectSchema.parse({ ...KINDS.configMap, metadata: { name, namespace: 'default' }, data: {} });

describeWithPeers(['etcd', 'kube-apiserver'], 'a real API', () => {
  let api: KubeApi;
  let admin: Resources;

  beforeAll(async () => {
    api = await startKubeApi();
    admin = await api.resources();
  });
  afterAll(() => api?.stop());

  const make = (name: string) => applyObject(silentContext(), admin, map(name));

  /** A watch of ConfigMaps that runs until the test is over; the names as they come. */
  async function watching(resources: Resources, label: string) {
    const over = new AbortController();
    const ctx = recordingContext({ signal: over.signal });
    const names: string[] = [];
    const follow = async () => {
      const options = { namespace: 'default', retryMs: 50 };
      for await (const { type, object } of watch(ctx, resources, KINDS.configMap, options)) {
        if (object.metadata.name.startsWith(label)) names.push(said({ type, object }));
      }
    };
    const running = follow().catch(() => undefined);
    onTestFinished(async () => {
      over.abort(new Error('the test is over'));
      await running;
    });
    const saw = (text: string) => vi.waitFor(() => expect(names).toContain(text), 60_000);
    return { ctx, names, saw };
  }

  const said = ({ type, object }: Change) => `${type} ${object.metadata.name}`;

  test('is reached with a client certificate', async () => {
    const kubeconfig = await api.certificateKubeconfig(new Date(Date.now() + DAY_MS));

    const nodes = await withCluster(silentContext(), { kubeconfig }, (resources) =>
      resources.list(silentContext(), KINDS.node),
    );

    expect(nodes.objects).toEqual([]);
  });

  test('is not even asked with a certificate that ran out', async () => {
    const kubeconfig = await api.certificateKubeconfig(new Date(Date.now() - DAY_MS));

    await expect(
      withCluster(silentContext(), { kubeconfig }, async () => undefined),
    ).rejects.toMatchObject({
      code: 'CLUSTER_DENIED',
      message: expect.stringContaining('its client certificate expired on'),
    });
  });

  test('refuses a token that ran out, and one that may not look', async () => {
    const nobody = await api.resources('nobody');
    const reader = await api.resources('reader');

    await expect(nobody.list(silentContext(), KINDS.node)).rejects.toMatchObject({
      code: 'CLUSTER_DENIED',
      status: 401,
    });
    await expect(reader.list(silentContext(), KINDS.node)).rejects.toMatchObject({
      code: 'CLUSTER_DENIED',
      message: expect.stringContaining('nodes is forbidden'),
    });
  });

  test('is not trusted when another CA signed it', async () => {
    const access = await readKubeconfig(await api.kubeconfig(), { now: new Date() });
    const client = new ApiClient({ ...access, ca: undefined }, { env: {}, retry: { attempts: 1 } });
    onTestFinished(() => client.close());

    const listing = new Resources(client).list(silentContext(), KINDS.node);

    await expect(listing).rejects.toMatchObject({
      code: 'TLS_UNTRUSTED',
      hint: expect.stringContaining('is that the right cluster?'),
    });
  });

  test('lists more objects than one page holds', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `many-${index}`);
    for (let start = 0; start < names.length; start += 50)
      await Promise.all(names.slice(start, start + 50).map(make));

    const { objects } = await admin.list(silentContext(), KINDS.configMap, {
      namespace: 'default',
    });

    const found = objects.filter(({ metadata }) => metadata.name.startsWith('many-'));
    expect(found).toHaveLength(501);
  });

  test('is watched on after every connection was cut', async () => {
    const way = await cuttableWay(api.url);
    onTestFinished(() => way.stop());
    const { ctx, names, saw } = await watching(await api.resources('admin', way.url), 'cut');
    await make('cut-a');
    await saw('added cut-a');

    way.cut();
    await make('cut-b');
    await admin.remove(silentContext(), {
      ...KINDS.configMap,
      namespace: 'default',
      name: 'cut-a',
    });
    await saw('deleted cut-a');

    expect(names).toEqual(['added cut-a', 'added cut-b', 'deleted cut-a']);
    expect(ctx.events).toContainEqual(
      expect.objectContaining({ type: 'attempt.failed', code: 'CLUSTER_UNAVAILABLE' }),
    );
  });

  test('is watched and waited for while it is away, and nothing is missed', async () => {
    const { ctx, names, saw } = await watching(await api.resources(), 'away');
    await make('away-a');
    await saw('added away-a');
    const waiting = recordingContext();
    const waited = waitFor(waiting, {
      task: 'wait',
      title: 'a ConfigMap',
      timeoutMs: 120_000,
      everyMs: 50,
      hint: '',
      look: async () => {
        const key = { ...KINDS.configMap, namespace: 'default', name: 'away-b' };
        const value = await admin.get(waiting, key);
        return value ? { done: true, value } : { done: false, reason: 'it is not there' };
      },
    });

    await api.away();
    await vi.waitFor(() => expect(notes(waiting.events)).toContainEqual(UNREACHABLE), 60_000);
    await api.back();
    await make('away-b');
    await waited;
    await saw('added away-b');

    expect(names.filter((name) => name === 'added away-a')).toHaveLength(1);
    expect(ctx.events).toContainEqual(expect.objectContaining({ type: 'attempt.failed' }));
  });

  const UNREACHABLE = expect.stringContaining('Cannot reach');
  const notes = (events: ReturnType<typeof recordingContext>['events']) =>
    events.flatMap((event) => (event.type === 'task.progressed' ? (event.note ?? []) : []));
});

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { KINDS } from '../src/cluster/api/kinds.ts';
import type { Resources } from '../src/cluster/api/resources.ts';
import { approvePending, approveRequests } from '../src/cluster/csr/approve.ts';
import { stateOf } from '../src/cluster/csr/certificate-request.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import {
  allowRequests,
  askForCertificate,
  CLIENT,
  SERVING,
} from './support/cluster/certificate-requests.ts';
import type { RequestNames } from './support/cluster/client-authority.ts';
import { FakeOperators } from './support/cluster/fake-operators.ts';
import { type ApiUser, type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { describeWithPeers } from './support/peers.ts';

// A whole API starts here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const WORKER = { subject: 'CN=system:node:worker-0, O=system:nodes' };

describeWithPeers(['etcd', 'kube-apiserver'], 'requests for certificates', () => {
  let api: KubeApi;
  let admin: Resources;
  let operators: FakeOperators;

  beforeAll(async () => {
    api = await startKubeApi();
    admin = await api.resources();
    operators = new FakeOperators(admin);
    await allowRequests(operators);
  });
  afterAll(() => api?.stop());

  const ask = (user: ApiUser, name: string, what: typeof CLIENT, names: RequestNames) =>
    askForCertificate(api, user, { name, what, names });

  const state = async (name: string) => {
    const found = await admin.get(silentContext(), { ...KINDS.certificateRequest, name });
    return found && stateOf(found);
  };

  test('are granted to the expected machine, first to join and then to serve', async () => {
    const over = new AbortController();
    const ctx = recordingContext({ signal: over.signal });
    const running = approveRequests(ctx, admin, { expected: [{ name: 'worker-0' }], retryMs: 50 });
    const ended = running.catch(() => undefined);
    onTestFinished(async () => {
      over.abort(new Error('the test is over'));
      await ended;
    });

    await ask('stranger', 'csr-stranger', CLIENT, WORKER);
    await ask('bootstrapper', 'csr-unknown', CLIENT, {
      subject: 'CN=system:node:evil, O=system:nodes',
    });
    await ask('bootstrapper', 'csr-join', CLIENT, WORKER);
    await ask('worker-0', 'csr-api', SERVING, { ...WORKER, dns: ['api.example'] });
    await ask('worker-0', 'csr-serve', SERVING, {
      ...WORKER,
      dns: ['worker-0'],
      ip: ['192.0.2.10'],
    });
    await vi.waitFor(async () => expect(await state('csr-join')).toBe('approved'), 60_000);
    const early = await state('csr-serve');
    // Only now the machine is a node, and what waited for that is looked at again.
    await operators.node('worker-0', 'worker');
    await vi.waitFor(async () => expect(await state('csr-serve')).toBe('approved'), 60_000);

    expect(early).toBe('pending');
    const left = ['csr-stranger', 'csr-unknown', 'csr-api'];
    expect(await Promise.all(left.map(state))).toEqual(['pending', 'pending', 'pending']);
    const warned = ctx.events.flatMap((event) =>
      event.type === 'warning.raised' ? event.message : [],
    );
    expect(warned).toContainEqual(
      expect.stringContaining('csr-stranger is left pending: "stranger" asks'),
    );
    expect(warned).toContainEqual(expect.stringContaining('no machine "evil" is expected'));
    expect(warned).toContainEqual(expect.stringContaining('api.example is not of that node'));
  });

  test('are left when the node has joined already', async () => {
    await operators.node('worker-0', 'worker');
    await ask('bootstrapper', 'csr-again', CLIENT, WORKER);

    const judged = await approvePending(silentContext(), admin, [{ name: 'worker-0' }]);

    expect(judged).toContainEqual({
      request: 'csr-again',
      verdict: 'leave',
      node: 'worker-0',
      reason: 'a node "worker-0" has joined already',
    });
    expect(await state('csr-again')).toBe('pending');
  });
});

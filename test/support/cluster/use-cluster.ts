import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import type { Resources } from '../../../src/cluster/api/resources.ts';
import { FakeOperators } from './fake-operators.ts';
import { type KubeApi, startKubeApi } from './kube-api.ts';

export const MIRROR = 'mirror.example:5000';
export const INDEX = `${MIRROR}/redhat/redhat-operator-index:v4.20`;

/** Waits as `apply` takes them, for operators that are played fast. */
export const QUICK = {
  pools: { timeoutMs: 60_000, everyMs: 50, degradedMs: 0 },
  catalogs: { timeoutMs: 60_000, everyMs: 50 },
};

export interface TestCluster {
  readonly api: KubeApi;
  readonly resources: Resources;
  /** New for each test, installed, and not playing yet. */
  readonly operators: FakeOperators;
}

/** A real API for all tests of a file; `clean` takes away what a test left, once its operators rest. */
export function useCluster(clean: (cluster: TestCluster) => Promise<void>): TestCluster {
  // A whole API starts here, and a busy machine takes its time.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
  const parts: { api?: KubeApi; resources?: Resources; operators?: FakeOperators } = {};
  const part = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const found = parts[name];
    if (!found) throw new Error(`There is no ${name} before the tests run`);
    return found;
  };
  const cluster: TestCluster = {
    get api() {
      return part('api');
    },
    get resources() {
      return part('resources');
    },
    get operators() {
      return part('operators');
    },
  };
  beforeAll(async () => {
    parts.api = await startKubeApi();
    parts.resources = await parts.api.resources();
  });
  afterAll(() => parts.api?.stop());
  beforeEach(async () => {
    parts.operators = new FakeOperators(await cluster.api.resources());
    await parts.operators.install();
  });
  afterEach(async () => {
    await cluster.operators.stop();
    await clean(cluster);
  });
  return cluster;
}

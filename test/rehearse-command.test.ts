import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { silentContext } from '../src/core/context.ts';
import { formatPullSecret, mergePullSecret } from '../src/generate/pull-secret.ts';
import { findIsolation } from '../src/rehearse/isolate/run-isolated.ts';
import type { RehearsalResult } from '../src/rehearse/run-rehearsal.ts';
import {
  fillStore,
  generateConfig,
  LOGIN,
  startMirror,
  type TestMirror,
  usualRules,
} from './support/rehearsal.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const RELEASE = 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64';
const HELM = 'quay.io/openshifttest/helm:3.17.0';
const folder = mkdtempSync(join(tmpdir(), 'atoll-rehearse-cli-'));
const program = join(folder, 'atoll.mjs');
let store: Awaited<ReturnType<typeof fillStore>>;
let mirror: TestMirror;
let config: string;

beforeAll(async () => {
  await bundle({ outfile: program, format: 'esm' });
  store = await fillStore((name) => name === HELM || /4\.18\.1-x86_64/.test(name));
  mirror = await startMirror(store.root);
  config = await generateConfig(mirror);
});
afterAll(async () => {
  await mirror?.stop();
  await store?.remove();
  rmSync(folder, { recursive: true, force: true });
});

function atoll(
  ...args: readonly string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

async function rehearseJson(...args: readonly string[]) {
  const { status, stdout } = await atoll('rehearse', '--no-dns', '--output', 'json', ...args);
  return { status, result: JSON.parse(stdout) as RehearsalResult };
}

test('rehearse exits 0 when all is well, and says what it looked at', async () => {
  const args = ['--no-dns', '--release', RELEASE, '--image', HELM, '--depth', 'full'];

  const { status, stdout } = await atoll('rehearse', config, ...args);

  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^clean: 23 of 23 images can be pulled from mirror\.test:\d+; \d+ blobs read/,
  );
});

test('rehearse exits 7 for content, 3 for configuration and 2 for nothing to do', async () => {
  const absent = await atoll('rehearse', config, '--no-dns', '--image', 'quay.io/no/such:1');
  const noRule = await rehearseJson(config, '--image', 'docker.io/library/busybox:1');
  const nothing = await atoll('rehearse', '--no-dns');

  expect([absent.status, noRule.status, nothing.status]).toEqual([7, 3, 2]);
  expect(absent.stdout).toContain('lacks additional images [manifest-missing]');
  expect(absent.stdout).toContain('close atoll mirror copy docker://quay.io/no/such:1');
  expect(noRule.result.findings).toMatchObject([
    { cause: 'rule-missing', rule: expect.stringContaining('docker.io/library → mirror.test') },
  ]);
  expect(nothing.stderr).toContain('nothing names an image [USAGE]');
});

test('rehearse does not call it clean where what it was given names no image', async () => {
  const manifest = join(folder, 'config-map.yaml');
  writeFileSync(manifest, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');

  const { status, stdout, stderr } = await atoll('rehearse', '--no-dns', '--manifests', manifest);

  expect([status, stdout]).toEqual([3, '']);
  expect(stderr).toContain(`Cannot rehearse: no image is named in "${manifest}" [INPUT_INVALID]`);
});

test('rehearse plays the pulls of an install and models larger ones', async () => {
  const args = ['--release', RELEASE, '--image', HELM, '--nodes', '4', '--nic', '1G'];

  const { status, result } = await rehearseJson(config, ...args);

  expect(status).toBe(0);
  expect(result.storm).toMatchObject({
    nodes: 5,
    failed: 0,
    phases: [
      { role: 'bootstrap', nodes: 1 },
      { role: 'control plane', nodes: 3 },
      { role: 'worker', nodes: 1 },
    ],
  });
  expect(result.storm?.bytes).toBe(result.models?.[0]?.bytes);
  expect(result.models?.map(({ nodes }) => nodes)).toEqual([5, 51, 251]);
  expect(result.assumptions?.join('\n')).toContain('The mirror sends 1 Gbit/s');
});

test('rehearse --isolate reaches the mirror and nothing else, or says that it could not', async () => {
  const upstream = await startMirror(store.root, {
    names: ['upstream.test'],
    address: '127.0.0.2',
  });
  onTestFinished(upstream.stop);
  const source = `upstream.test:${upstream.port}`;
  const add = [mirror.host, source].map((registry) => ({ registry, ...LOGIN }));
  const rules = [...usualRules(mirror.host), { source, mirrors: [`${mirror.host}/empty`] }];
  const open = await generateConfig(mirror, {
    rules,
    tagRules: rules,
    ca: `${mirror.ca}${upstream.ca}`,
    names: { 'upstream.test': '127.0.0.2' },
    files: { 'pull-secret.json': formatPullSecret(mergePullSecret({ add })) },
  });
  const args = [open, '--image', HELM, '--image', `${source}/openshifttest/helm:3.17.0`];

  const free = await rehearseJson(...args, '--allow-upstream');
  const closed = await rehearseJson(...args, '--allow-upstream', '--isolate');
  const leaking = await rehearseJson(...args, '--isolate');

  expect(free.result).toMatchObject({ clean: true, pullable: 2, isolated: false });
  if ((await findIsolation(silentContext())).possible) {
    expect(closed.result).toMatchObject({ clean: false, pullable: 1, isolated: true });
    expect(leaking.result.findings.map(({ cause }) => cause)).toContain('upstream-reachable');
  } else {
    expect(closed.result).toMatchObject({ clean: true, isolated: false });
    expect(closed.result.unchecked.join()).toContain('did not run isolated');
  }
});

test('rehearse refuses a storm in a namespace and speeds that are none', async () => {
  const both = await atoll('rehearse', config, '--image', HELM, '--nodes', '3', '--isolate');
  const slow = await atoll('rehearse', config, '--image', HELM, '--nodes', '3', '--nic', 'fast');

  expect([both.status, slow.status]).toEqual([2, 2]);
  expect(slow.stderr).toContain('Cannot use "--nic fast": it is no speed');
});

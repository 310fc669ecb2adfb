import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { AtollError } from '../core/errors.ts';
import { spoil } from './boot-lab.ts';
import { boardOf } from './lab-paths.ts';
import { BREAKS, readLabSettings, writeLabSettings } from './lab-settings.ts';
import { machineIgnition, makeMachine, type NodeConfiguration } from './machine.ts';
import { machineStates } from './machine-states.ts';
import { Board } from './node/board.ts';
import { NODE_FILES } from './node/node-network.ts';
import { readNodeSpec } from './node/node-spec.ts';
import { diagnoseHint, labSummary } from './run-lab.ts';

const GOOD: NodeConfiguration = {
  registriesConf: '# conf\n',
  pullSecret: '{"auths":{"mirror.lab.example:5000":{"auth":"dTpw"}}}',
  trustBundle: 'the CA\n',
  mirrorName: 'mirror.lab.example',
  mirrorAddress: '127.0.0.1',
};

describe('spoil', () => {
  test.each([
    ['auth', 'pullSecret'],
    ['dns', 'mirrorAddress'],
    ['ca', 'trustBundle'],
  ] as const)('%s changes the %s of the nodes, and nothing else', async (what, field) => {
    const spoilt = await spoil(what, GOOD, new Date());

    expect(spoilt[field]).not.toEqual(GOOD[field]);
    expect({ ...spoilt, [field]: GOOD[field] }).toEqual(GOOD);
  });

  test('gives nodes a real CA, only not the one of the mirror', async () => {
    const { trustBundle } = await spoil('ca', GOOD, new Date());

    expect(new X509Certificate(trustBundle).ca).toBe(true);
  });

  test.each([undefined, 'image', 'disk'] as const)(
    'leaves the nodes alone for %s',
    async (what) => {
      expect(await spoil(what, GOOD, new Date())).toBe(GOOD);
    },
  );
});

test('makeMachine puts the files of the generated Ignition config where a node looks for them', async () => {
  const root = join(await tempDir(), 'master-0');
  const spec = {
    name: 'master-0',
    role: 'master' as const,
    root,
    board: '/board',
    releaseImage: 'quay.io/r@sha256:1',
    masters: 3,
    workers: 2,
    workloads: [],
    patience: 1,
  };

  await makeMachine(spec, machineIgnition(GOOD));

  const read = (name: keyof typeof NODE_FILES) => readFile(join(root, NODE_FILES[name]), 'utf8');
  expect(await read('registriesConf')).toBe(GOOD.registriesConf);
  expect(JSON.parse(await read('pullSecret'))).toEqual(JSON.parse(GOOD.pullSecret));
  expect(await read('trust')).toContain('the CA');
  expect(await read('hosts')).toMatch(/127\.0\.0\.1\s+mirror\.lab\.example/);
  expect((await stat(join(root, NODE_FILES.pullSecret))).mode & 0o077).toBe(0);
  expect(await readNodeSpec(root)).toEqual(spec);
});

test.each(BREAKS)('lab settings remember --break %s', async (what) => {
  const state = join(await tempDir(), '.atoll');
  expect(await readLabSettings(state)).toEqual({});

  await writeLabSettings(state, { break: what, upstreamPidFile: '/pid' });

  expect(await readLabSettings(state)).toEqual({ break: what, upstreamPidFile: '/pid' });
  expect((await stat(state)).mode & 0o077).toBe(0);
});

test('labSummary does not claim what was not verified', () => {
  const outcomes = [
    { step: 'images', outcome: 'finished', durationMs: 5, bestEffort: false },
  ] as const;

  const summary = labSummary({ outcomes, outputs: { images: { images: 3, copiedBytes: 9 } } });

  expect(summary).toMatchObject({ fromMirror: false, nodes: [], images: 3, copiedBytes: 9 });
});

test('diagnoseHint sends whoever meets a failed install to diagnose, and changes no other error', () => {
  const failed = new AtollError('CLUSTER_FAILED', 'no');
  const other = new AtollError('DISK_FULL', 'full');

  expect(diagnoseHint(failed, '/s/.atoll')).toMatchObject({
    hint: 'Run: atoll diagnose /s/.atoll/log-bundle',
  });
  expect(diagnoseHint(other, '/s/.atoll')).toBe(other);
});

test('machineStates tells of each machine how far it came', async () => {
  const state = await tempDir();
  const board = new Board(boardOf(state));
  for (const name of ['bootstrap', 'master-0', 'master-1', 'worker-0']) {
    await mkdir(join(state, 'machines', name), { recursive: true });
  }
  await board.tell('bootstrap-complete');
  await board.tell('node-joined/master-0');
  await board.tell('failed/master-1', { message: 'manifest unknown' });

  expect(await machineStates(state)).toEqual([
    { name: 'bootstrap', state: 'complete' },
    { name: 'master-0', state: 'joined' },
    { name: 'master-1', state: 'failed', message: 'manifest unknown' },
    { name: 'worker-0', state: 'stopped' },
  ]);
});

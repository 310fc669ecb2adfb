import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import type { Break } from '../src/lab/lab-settings.ts';
import type { LabResult } from '../src/lab/run-lab.ts';
import { type AtollOptions, processesWith, startAtoll } from './support/atoll-process.ts';

// Whole labs run here: a dozen processes each, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'atoll-lab-test-'));
const program = join(folder, 'atoll.mjs');

beforeAll(() => bundle({ outfile: program, format: 'esm' }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const atoll = (args: readonly string[], options?: AtollOptions) =>
  startAtoll(program, [...args, '--output', 'json'], options);

async function lab(args: readonly string[], options?: AtollOptions): Promise<LabResult> {
  const { status, stdout, stderr } = await atoll(['lab', ...args], options).ended;
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return JSON.parse(stdout);
}

const MACHINES = ['bootstrap', 'master-0', 'master-1', 'master-2', 'worker-0', 'worker-1'];

function expectUp(result: LabResult): void {
  expect(result).toMatchObject({ fromMirror: true, images: 42 });
  expect(result.nodes.map(({ node }) => node)).toEqual(MACHINES);
  expect(result.nodes.filter(({ images, bytes }) => images < 9 || bytes === 0)).toEqual([]);
}

const noneLeft = () =>
  vi.waitFor(() =>
    expect(processesWith(folder).filter((line) => line.includes('serve'))).toEqual([]),
  );

describe('a lab', () => {
  test('comes up from nothing, leaves a report and nothing else, not even of one that was killed', async () => {
    const cwd = mkdtempSync(join(folder, 'cwd-'));
    const temp = mkdtempSync(join(folder, 'tmp-'));
    const killed = atoll(['lab'], { cwd, env: { TMPDIR: temp } });
    await killed.told('"task":"upstream"');
    killed.signalGroup('SIGKILL');
    await killed.ended;
    expect(readdirSync(temp)).not.toEqual([]);

    const result = await lab([], { cwd, env: { TMPDIR: temp } });

    expectUp(result);
    expect(result.stages.map(({ outcome }) => outcome)).toEqual(Array(10).fill('finished'));
    expect(result.report).toBe(join(cwd, 'atoll-lab-report.html'));
    expect(readFileSync(result.report ?? '', 'utf8')).toContain('"outcome":"succeeded"');
    expect(readdirSync(temp)).toEqual([]);
    await noneLeft();
  });

  describe('through a bundle', () => {
    const directory = join(folder, 'airgap');

    test('comes up, and a second run finds nothing left to do but to look', async () => {
      expectUp(await lab(['--dir', directory, '--airgap']));
      expect(readdirSync(join(directory, 'site', '.atoll', 'bundle'))).not.toEqual([]);

      const below = join(directory, 'report.html', 'cannot-be');
      const again = await lab(['--dir', directory, '--report', below]);

      expectUp(again);
      expect(again.report).toBeUndefined();
      const ran = again.stages.filter(({ outcome }) => outcome !== 'skipped');
      expect(ran.map(({ stage }) => stage)).toEqual(['credentials', 'registry']);
    });

    const causes: readonly (readonly [Break, string])[] = [
      ['ca', 'boot-pull-x509'],
      ['auth', 'boot-pull-unauthorized'],
      ['dns', 'boot-mirror-dns'],
      ['disk', 'boot-disk-full'],
      ['image', 'boot-mirror-missing-image'],
    ];
    test.each(causes)(
      'fails when spoilt by --break %s, and diagnose says %s',
      async (what, rule) => {
        const { status, stdout } = await atoll(['lab', '--dir', directory, '--break', what]).ended;

        expect(status).toBe(6);
        const { error } = JSON.parse(stdout);
        expect(error.code).toBe('CLUSTER_FAILED');
        const bundlePath = join(directory, 'site', '.atoll', 'log-bundle');
        expect(error.hint).toBe(`Run: atoll diagnose ${bundlePath}`);
        const told = JSON.parse((await atoll(['diagnose', bundlePath]).ended).stdout);
        expect(told.findings[0]).toMatchObject({ id: rule, kind: 'root' });
        const report = readFileSync(join(directory, 'report.html'), 'utf8');
        expect(report).toContain('"outcome":"failed"');
        expect(report).toContain(rule);
      },
    );

    test('comes up again once nothing is spoilt: what was lost is sent again', async () => {
      expectUp(await lab(['--dir', directory]));
      await noneLeft();
    });

    test('refuses to become one when it was begun without', async () => {
      const begun = join(folder, 'begun');
      const site = readFileSync(join(directory, 'site', 'atoll.yaml'), 'utf8');
      mkdirSync(join(begun, 'site'), { recursive: true });
      writeFileSync(join(begun, 'site', 'atoll.yaml'), site.replace('flow: bundle', 'flow: sync'));

      const { status, stdout } = await atoll(['lab', '--dir', begun, '--airgap']).ended;

      expect(status).toBe(2);
      expect(JSON.parse(stdout).error.message).toContain('says mirror.flow: sync');
    });
  });
});

/** A small generator that a seed makes repeatable. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface JournalLine {
  readonly kind: string;
  readonly step: string;
}

const journalOf = (directory: string): JournalLine[] =>
  readFileSync(join(directory, 'site', '.atoll', 'journal.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Steps that finished more often than once, though nothing changed. */
function repeated(directory: string): string[] {
  const finished = journalOf(directory).filter(({ kind }) => kind === 'finished');
  const steps = finished
    .map(({ step }) => step)
    .filter((step) => !['credentials', 'registry'].includes(step));
  return steps.filter((step, index) => steps.indexOf(step) !== index);
}

/** Where a run was when it said its last word. */
const lastStep = (stderr: string) =>
  [...stderr.matchAll(/"type":"step.started","step":"([a-z-]+)"/g)].at(-1)?.[1] ?? 'preparation';

const KILLS = 20;
/** What a run may have said before its end: each is as likely as the others. */
const SIGNS = [
  '',
  '"task":"upstream"',
  '"step":"registry"',
  '"step":"images"',
  '"type":"image.copied"',
  '"step":"cluster"',
  '"task":"install"',
];
const MOST_PAUSE_MS = 1200;

test('a lab that is killed at twenty random moments, then interrupted, is finished by the next run', async () => {
  const seed = Number(process.env.ATOLL_SEED ?? Date.now() % 1_000_000);
  process.stderr.write(`lab kills: ATOLL_SEED=${seed}\n`);
  const random = randomFrom(seed);
  let directory = join(folder, 'killed-0');
  const moments: string[] = [];

  while (moments.length < KILLS) {
    const run = atoll(['lab', '--dir', directory]);
    await run.told(SIGNS[Math.floor(random() * SIGNS.length)] ?? '');
    await pause(Math.floor(random() ** 2 * MOST_PAUSE_MS));
    const alone = random() < 0.5;
    const running = run.child.exitCode === null;
    if (running && alone) run.child.kill('SIGKILL');
    else if (running) run.signalGroup('SIGKILL');
    const { status, stdout, stderr } = await run.ended;
    if (status === null) {
      moments.push(lastStep(stderr));
      continue;
    }
    // It was quicker than the kill: the next ones need a lab that is not finished.
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    expect(repeated(directory)).toEqual([]);
    directory = join(folder, `killed-${moments.length}`);
  }

  process.stderr.write(`lab kills: during ${moments.join(', ')}\n`);

  const stopped = atoll(['lab', '--dir', directory]);
  await stopped.told('"type":"step.');
  stopped.signalGroup('SIGINT');
  const { status, stdout } = await stopped.ended;
  expect(status).toBe(130);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'INTERRUPTED',
    hint: expect.stringContaining(`atoll lab --dir ${directory}`),
  });
  await noneLeft();

  expectUp(await lab(['--dir', directory]));
  expect(repeated(directory)).toEqual([]);
  const again = await lab(['--dir', directory]);
  expect(again.stages.find(({ stage }) => stage === 'cluster')?.outcome).toBe('skipped');
  await vi.waitFor(() => expect(processesWith(folder)).toEqual([]));
});

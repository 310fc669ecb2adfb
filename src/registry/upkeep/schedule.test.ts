import { expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import { isDue, scheduleUpkeep } from './schedule.ts';
import { type UpkeepJob, type UpkeepState, writeState } from './state.ts';

const NOW = new Date('2030-01-02T03:00:00Z');
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
const state = (outcome: UpkeepState['outcome'], startedMs: number, seenMs = startedMs) =>
  ({ outcome, startedAt: ago(startedMs), seenAt: ago(seenMs), runs: 1, failures: 0 }) as const;

test.each([
  ['what never ran', undefined, true],
  ['what ended well an hour ago', state('done', HOUR_MS), false],
  ['what ended well a day ago', state('done', 24 * HOUR_MS), true],
  ['what failed just now', state('failed', 1000), false],
  ['what failed an hour ago', state('failed', HOUR_MS), true],
  ['what has run for a day and says so', state('running', 24 * HOUR_MS, 1000), false],
  ['what was killed a day ago', state('running', 24 * HOUR_MS), true],
])('isDue knows of %s', (_name, found, due) => {
  expect(isDue(found, 24 * HOUR_MS, NOW)).toBe(due);
});

test('scheduleUpkeep does what is due, one job after the other, and stops a job when it is closed', async () => {
  const store = await openDiskStore(await tempDir());
  const ctx = silentContext({ now: () => NOW });
  await writeState(ctx, store, 'gc', state('done', HOUR_MS));
  const jobs: UpkeepJob[] = [];
  let began: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const schedule = scheduleUpkeep(ctx, store, {
    every: { gc: 24 * HOUR_MS, scrub: HOUR_MS },
    run: async ({ signal }, job) => {
      jobs.push(job);
      began();
      await new Promise((_, reject) => signal.addEventListener('abort', reject));
    },
  });

  await begun;
  await schedule.close();

  expect(jobs).toEqual(['scrub']);
});

test('scheduleUpkeep starts nothing outside its hours', async () => {
  const store = await openDiskStore(await tempDir());
  const ctx = silentContext({ now: () => new Date(2030, 0, 2, 12) });
  const jobs: UpkeepJob[] = [];
  const schedule = scheduleUpkeep(ctx, store, {
    every: { gc: HOUR_MS },
    window: { text: '22:00-06:00', from: 22 * 60, to: 6 * 60 },
    run: async (_ctx, job) => void jobs.push(job),
  });

  await schedule.close();

  expect(jobs).toEqual([]);
});

test('scheduleUpkeep does not try again at once what cannot be done at all', async () => {
  const store = await openDiskStore(await tempDir());
  let [looks, tries] = [0, 0];
  const now = () => {
    looks += 1;
    return NOW;
  };
  const ctx = recordingContext({ now });
  const schedule = scheduleUpkeep(ctx, store, {
    every: { gc: 1 },
    run: async () => {
      tries += 1;
      throw new Error('the disk takes no writes');
    },
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(20), 20_000);
  await schedule.close();

  expect(tries).toBe(1);
});

import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { withFileLock } from './file-lock.ts';

const ctx = silentContext();
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

async function lockPath(): Promise<string> {
  return join(await tempDir(), 'x.lock');
}

test('withFileLock lets one task run after the other and leaves nothing behind', async () => {
  const path = await lockPath();
  let [inside, most] = [0, 0];
  const task = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await Promise.resolve();
    inside -= 1;
  };

  await Promise.all([1, 2, 3].map(() => withFileLock(ctx, path, {}, task)));

  expect(most).toBe(1);
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test('withFileLock gives the lock back when the task fails', async () => {
  const path = await lockPath();
  const failing = withFileLock(ctx, path, {}, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');

  expect(await withFileLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
});

test.each([
  ['of a process that is gone', { host: hostname(), pid: 2 ** 22 + 1, started: '1', token: 'x' }],
  [
    'of an earlier process with the same number',
    { host: hostname(), pid: process.pid, started: '1', token: 'x' },
  ],
])('withFileLock takes over the lock %s', async (_name, holder) => {
  const path = await lockPath();
  await writeFile(path, JSON.stringify(holder));

  expect(await withFileLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
});

test.each([
  ['of another machine', JSON.stringify({ host: 'elsewhere', pid: 1, started: '1', token: 'x' })],
  [
    'of another container with the same name',
    JSON.stringify({
      host: hostname(),
      namespace: 'pid:[1]',
      pid: 2 ** 22 + 1,
      started: '1',
      token: 'x',
    }),
  ],
  ['that was cut off while written', ''],
])('withFileLock waits for a lock %s until it is silent for long', async (_name, content) => {
  const path = await lockPath();
  await writeFile(path, content);

  const waiting = withFileLock(ctx, path, { waitMs: 0 }, async () => 'yes');
  await expect(waiting).rejects.toMatchObject({ code: 'LOCKED' });

  await utimes(path, LONG_AGO, LONG_AGO);
  expect(await withFileLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
});

test('withFileLock survives a crash of somebody who was breaking a lock', async () => {
  const path = await lockPath();
  await writeFile(
    path,
    JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '1', token: 'x' }),
  );
  await mkdir(`${path}.break`);
  await utimes(`${path}.break`, LONG_AGO, LONG_AGO);

  expect(await withFileLock(ctx, path, {}, async () => 'yes')).toBe('yes');
});

test('withFileLock leaves a lock alone that somebody else has taken over', async () => {
  const path = await lockPath();
  const other = JSON.stringify({ host: 'elsewhere', pid: 1, started: '1', token: 'other' });

  await withFileLock(ctx, path, {}, () => writeFile(path, other));

  expect(await readFile(path, 'utf8')).toBe(other);
});

test('withFileLock names the file when it cannot make one', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');

  const failing = withFileLock(ctx, join(folder, 'file', 'x.lock'), {}, async () => 'yes');

  await expect(failing).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
    message: expect.stringContaining('x.lock'),
  });
});

test('withFileLock stops waiting when the run is stopped', async () => {
  const path = await lockPath();
  const stop = new AbortController();

  await withFileLock(ctx, path, {}, async () => {
    const waiting = withFileLock({ signal: stop.signal }, path, {}, async () => 'yes');
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});

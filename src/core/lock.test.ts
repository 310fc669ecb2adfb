import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { recordingContext, silentContext } from './context.ts';
import { acquireLock, withLock } from './lock.ts';

const ctx = silentContext();
afterEach(() => vi.restoreAllMocks());

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

async function lockPath(): Promise<string> {
  return join(await tempDir(), 'x.lock');
}

test('withLock lets one task run after the other and leaves nothing behind', async () => {
  const path = await lockPath();
  let [inside, most] = [0, 0];
  const task = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await Promise.resolve();
    inside -= 1;
  };

  await Promise.all([1, 2, 3].map(() => withLock(ctx, path, {}, task)));

  expect(most).toBe(1);
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test('withLock gives the lock back when the task fails', async () => {
  const path = await lockPath();
  const failing = withLock(ctx, path, {}, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');

  expect(await withLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
});

test.each([
  ['of a process that is gone', { host: hostname(), pid: 2 ** 22 + 1, started: '1', token: 'x' }],
  [
    'of an earlier process with the same number',
    { host: hostname(), pid: process.pid, started: '1', token: 'x' },
  ],
])('withLock takes over the lock %s', async (_name, holder) => {
  const path = await lockPath();
  await writeFile(path, JSON.stringify(holder));

  expect(await withLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
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
])('withLock waits for a lock %s until it is silent for long', async (_name, content) => {
  const path = await lockPath();
  await writeFile(path, content);

  const waiting = withLock(ctx, path, { waitMs: 0 }, async () => 'yes');
  await expect(waiting).rejects.toMatchObject({ code: 'LOCKED' });

  await utimes(path, LONG_AGO, LONG_AGO);
  expect(await withLock(ctx, path, { waitMs: 0 }, async () => 'yes')).toBe('yes');
});

test('withLock gives the writer of a lock time to finish, and takes over what was left unfinished', async () => {
  const path = await lockPath();
  await writeFile(path, '');

  const waiting = withLock(ctx, path, { waitMs: 0 }, async () => 'yes');
  await utimes(path, LONG_AGO, LONG_AGO);

  expect(await waiting).toBe('yes');
});

test('withLock waits for the lock of a process of another user that cannot be looked at', async () => {
  const path = await lockPath();
  await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }));
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });

  const waiting = withLock(ctx, path, { waitMs: 0 }, async () => 'yes');

  await expect(waiting).rejects.toMatchObject({ code: 'LOCKED', details: { pid: 2 ** 22 + 1 } });
});

test('acquireLock waits for what somebody left who was killed a moment ago, while breaking a lock', async () => {
  const path = await lockPath();
  await writeFile(path, JSON.stringify({ pid: 2 ** 22 - 1, started: '1' }));
  await mkdir(`${path}.break`);
  // Ten seconds make it old: three are left, which is more than writing a lock may take.
  const sevenSecondsAgo = new Date(Date.now() - 7000);
  await utimes(`${path}.break`, sevenSecondsAgo, sevenSecondsAgo);

  const lock = await acquireLock(ctx, path, 'it');

  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
});

test('withLock survives a crash of somebody who was breaking a lock', async () => {
  const path = await lockPath();
  await writeFile(
    path,
    JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '1', token: 'x' }),
  );
  await mkdir(`${path}.break`);
  await utimes(`${path}.break`, LONG_AGO, LONG_AGO);

  expect(await withLock(ctx, path, {}, async () => 'yes')).toBe('yes');
});

test('withLock leaves a lock alone that somebody else has taken over', async () => {
  const path = await lockPath();
  const other = JSON.stringify({ host: 'elsewhere', pid: 1, started: '1', token: 'other' });

  await withLock(ctx, path, {}, () => writeFile(path, other));

  expect(await readFile(path, 'utf8')).toBe(other);
});

test('withLock names the file when it cannot make one', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');

  const failing = withLock(ctx, join(folder, 'file', 'x.lock'), {}, async () => 'yes');

  await expect(failing).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
    message: expect.stringContaining('x.lock'),
  });
});

test('withLock stops waiting when the run is stopped', async () => {
  const path = await lockPath();
  const stop = new AbortController();

  await withLock(ctx, path, {}, async () => {
    const waiting = withLock({ signal: stop.signal }, path, {}, async () => 'yes');
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});

test('acquireLock refuses a second holder and names the first', async () => {
  const path = join(await tempDir(), 'lock');
  const lock = await acquireLock(ctx, path, 'site "a"');

  await expect(acquireLock(ctx, path, 'site "a"')).rejects.toMatchObject({
    code: 'LOCKED',
    details: { pid: process.pid },
  });

  await lock.release();
  await (await acquireLock(ctx, path, 'site "a"')).release();
});

test('acquireLock takes over the lock of a process that is gone, and says so', async () => {
  const path = join(await tempDir(), 'lock');
  const child = spawn('true');
  await new Promise((resolve) => child.once('exit', resolve));
  await writeFile(
    path,
    JSON.stringify({ pid: child.pid, host: hostname(), started: '1', since: 'x' }),
  );

  const recording = recordingContext();
  await acquireLock(recording, path, 'site "a"');

  expect(recording.events).toMatchObject([{ type: 'note.added' }]);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
});

test('acquireLock is not fooled by another process with the same number', async () => {
  const path = join(await tempDir(), 'lock');
  await writeFile(
    path,
    JSON.stringify({ pid: process.pid, host: hostname(), started: 'earlier', since: 'x' }),
  );

  await expect(acquireLock(ctx, path, 'site "a"')).resolves.toBeDefined();
});

test('acquireLock believes a lock of another machine', async () => {
  const path = join(await tempDir(), 'lock');
  await writeFile(
    path,
    JSON.stringify({ pid: 1, host: 'elsewhere.example', started: '1', since: 'x' }),
  );

  await expect(acquireLock(ctx, path, 'site "a"')).rejects.toMatchObject({ code: 'LOCKED' });
});

test('acquireLock treats a torn lock file as nobody’s', async () => {
  const path = join(await tempDir(), 'lock');
  await writeFile(path, '{"pid":');

  await expect(acquireLock(ctx, path, 'site "a"')).resolves.toBeDefined();
});

test('acquireLock gives the lock to one of many that come at the same time', async () => {
  const path = join(await tempDir(), 'lock');
  await writeFile(path, '{"pid":');

  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, () => acquireLock(ctx, path, 'site "a"')),
  );

  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('release leaves alone a lock that is no longer ours', async () => {
  const path = join(await tempDir(), 'lock');
  const lock = await acquireLock(ctx, path, 'site "a"');
  await writeFile(path, 'of another');

  await lock.release();

  expect(await readFile(path, 'utf8')).toBe('of another');
});

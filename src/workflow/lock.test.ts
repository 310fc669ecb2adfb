import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { recordingContext, silentContext } from '../core/context.ts';
import { acquireLock } from './lock.ts';

const ctx = silentContext();

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

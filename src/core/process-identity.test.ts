import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { identityOf, isRunning, lifeOf, readIdentity } from './process-identity.ts';

const NOBODY = 2 ** 22 + 1;

afterEach(() => vi.restoreAllMocks());

function killAnswers(code: string): void {
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
}

test('isRunning knows this process, and not an earlier one with its number', async () => {
  const self = await identityOf(process.pid);

  expect(self && (await isRunning(self))).toBe(true);
  expect(await isRunning({ pid: process.pid, started: 'earlier' })).toBe(false);
});

test('isRunning takes a process for alive that belongs to another user and cannot be looked at', async () => {
  killAnswers('EPERM');

  expect(await isRunning({ pid: NOBODY, started: '1' })).toBe(true);
});

test('isRunning takes a process for dead that nobody knows', async () => {
  killAnswers('ESRCH');

  expect(await isRunning({ pid: NOBODY, started: '1' })).toBe(false);
});

test('isRunning takes a process for dead that ended and was not collected', async () => {
  // The shell becomes a program that never collects its child.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 600'], { stdio: 'pipe' });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());

    await vi.waitFor(async () => expect(await identityOf(pid)).toBeUndefined());
  } finally {
    parent.kill('SIGKILL');
  }
});

test.each([
  ['on another machine', { host: 'elsewhere.example' }],
  ['in another container', { namespace: 'pid:[1]' }],
])('lifeOf does not guess about a process %s', async (_where, place) => {
  expect(await lifeOf({ pid: process.pid, started: '1', ...place })).toBe('unknown');
});

test.each(['', '{"pid":', '[]', '{"pid":-1,"started":"1"}', '{"pid":1}', 'null'])(
  'readIdentity does not make a process of %j',
  async (text) => {
    const path = join(await tempDir(), 'process.json');
    await writeFile(path, text);

    expect(await readIdentity(path)).toBeUndefined();
  },
);

test('readIdentity reads what identityOf told, and nothing where there is no file', async () => {
  const path = join(await tempDir(), 'process.json');
  const self = await identityOf(process.pid);
  await writeFile(path, JSON.stringify(self));

  expect(await readIdentity(path)).toEqual(self);
  expect(await readIdentity(`${path}.none`)).toBeUndefined();
});

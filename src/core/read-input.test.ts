import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { readBytes, readTextIfPresent } from './files.ts';
import { readInput } from './read-input.ts';

async function makePipe(): Promise<string> {
  const path = join(await tempDir(), 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  return path;
}

const shell = (line: string, path: string) => promisify(execFile)('sh', ['-c', line, 'sh', path]);

test('readInput reads a pipe to its end, whoever opened it first and however slowly it comes', async () => {
  const path = await makePipe();
  // Whoever writes waits in open() until somebody reads.
  const slowly = shell('exec > "$1"; printf one; sleep 0.2; printf two', path);
  expect((await readInput(path)).toString()).toBe('onetwo');
  await slowly;

  const reading = readInput(path, { patienceMs: 60_000 });
  await writeFile(path, 'x'.repeat(300_000));
  expect(await reading).toHaveLength(300_000);
});

test('readInput takes a pipe into which nothing was written for empty', async () => {
  const path = await makePipe();
  const reading = readInput(path, { patienceMs: 60_000 });

  const silent = await open(path, constants.O_WRONLY);
  await shell('sleep 0.1', path);
  await silent.close();

  expect(await reading).toHaveLength(0);
});

test('readInput does not wait for ever for somebody who writes', async () => {
  const path = await makePipe();

  await expect(readInput(path, { patienceMs: 50 })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: `Cannot read "${path}": nobody writes to this pipe`,
  });
  for (const read of [readBytes, readTextIfPresent]) {
    await expect(read(path)).rejects.toThrow('nobody writes to this pipe');
  }
});

test('readInput reads a device, and not one without end', async () => {
  expect(await readInput('/dev/null')).toHaveLength(0);
  await expect(readInput('/dev/zero', { maxBytes: 1_000_000 })).rejects.toThrow(
    'Cannot read "/dev/zero": it has no end',
  );
});

test('readInput closes what it opened', async () => {
  const path = await makePipe();
  const openFiles = async () => (await readdir('/proc/self/fd')).length;
  const before = await openFiles();

  await readInput(path, { patienceMs: 0 }).catch(() => undefined);
  await readInput('/dev/null');
  await readInput(import.meta.filename);

  expect(await openFiles()).toBe(before);
});

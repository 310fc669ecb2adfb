import { createHash } from 'node:crypto';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { createProgressTable, type UploadProgress } from './upload-progress.ts';

const isOpen = (file: FileHandle) => file.fd >= 0;

/** What is known of an upload of five bytes, with a file that is really open. */
async function someProgress(): Promise<UploadProgress> {
  const path = join(await tempDir(), 'upload');
  await writeFile(path, 'abcde');
  const file = await open(path);
  const { ino } = await file.stat();
  return { file, inode: ino, offset: 5, hash: createHash('sha256') };
}

test('take hands over what was kept, once', async () => {
  const table = createProgressTable();
  const progress = await someProgress();
  const status = { ino: progress.inode, size: 5 };
  await table.keep('a', progress);

  expect(await table.take('b', status)).toBeUndefined();
  expect(await table.take('a', status)).toBe(progress);
  expect(isOpen(progress.file)).toBe(true);
  expect(await table.take('a', status)).toBeUndefined();
  await progress.file.close();
});

test.each([
  ['another file', { ino: -1, size: 5 }],
  ['a file of another size', { ino: undefined, size: 4 }],
  ['no file', undefined],
])('take forgets what was kept when it finds %s', async (_what, found) => {
  const table = createProgressTable();
  const progress = await someProgress();
  await table.keep('a', progress);

  const taken = await table.take('a', found && { ...found, ino: found.ino ?? progress.inode });

  expect(taken).toBeUndefined();
  expect(isOpen(progress.file)).toBe(false);
});

test('keep holds a limited number of files open, the latest ones', async () => {
  const table = createProgressTable();
  const first = await someProgress();
  const second = await someProgress();
  const handle = { close: async () => undefined } as FileHandle;
  await table.keep('first', first);
  await table.keep('second', second);

  for (let at = 0; at < 127; at += 1) await table.keep(`other ${at}`, { ...first, file: handle });

  expect([isOpen(first.file), isOpen(second.file)]).toEqual([false, true]);
  expect(await table.take('second', { ino: second.inode, size: 5 })).toBe(second);
  await second.file.close();
});

test('keep closes a file that nobody asks for, and not one that was handed over', async () => {
  vi.useFakeTimers();
  const table = createProgressTable();
  const [idle, taken] = [await someProgress(), await someProgress()];
  await table.keep('idle', idle);
  await table.keep('taken', taken);
  await table.take('taken', { ino: taken.inode, size: 5 });
  const closed = vi.spyOn(idle.file, 'close');

  await vi.advanceTimersByTimeAsync(3_600_000);
  vi.useRealTimers();

  expect(closed).toHaveBeenCalledOnce();
  expect(isOpen(taken.file)).toBe(true);
  await taken.file.close();
});

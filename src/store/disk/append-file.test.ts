import type { FileHandle } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chunksOf } from '../../../test/support/bytes.ts';
import { appendFile } from './append-file.ts';

/** A file that takes a few bytes at a time, as a nearly full or a network disk may. */
function hesitantFile(most: number, failAfter = Number.POSITIVE_INFINITY) {
  const written: Buffer[] = [];
  let calls = 0;
  const writev = async (buffers: readonly Uint8Array[], position: number) => {
    calls += 1;
    if (calls > failAfter) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    const bytes = Buffer.concat(buffers).subarray(0, most);
    expect(position).toBe(Buffer.concat(written).length + 100);
    written.push(Buffer.from(bytes));
    return { bytesWritten: bytes.length, buffers };
  };
  return {
    file: { writev } as unknown as FileHandle,
    content: () => Buffer.concat(written).toString(),
  };
}

const ignore = () => undefined;

test('appendFile goes on where a short write stopped', async () => {
  const { file, content } = hesitantFile(3);

  const end = await appendFile(file, 100, chunksOf('hello ', '', 'wide ', 'world'), ignore);

  expect(content()).toBe('hello wide world');
  expect(end).toBe(116);
});

test('appendFile writes what came before the source broke', async () => {
  const { file, content } = hesitantFile(100);

  const appending = appendFile(file, 100, chunksOf('hello', new Error('cable')), ignore);

  await expect(appending).rejects.toThrow('cable');
  expect(content()).toBe('hello');
});

test('appendFile fails with the disk', async () => {
  const { file } = hesitantFile(2, 1);

  await expect(appendFile(file, 100, chunksOf('hello'), ignore)).rejects.toThrow('full');
});

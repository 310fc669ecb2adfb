import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { asBuffer, type ByteSource, fileSource, streamSource } from './byte-source.ts';

const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));

async function ofFile(): Promise<ByteSource> {
  const path = join(await tempDir(), 'bytes');
  await writeFile(path, BYTES);
  const file = await open(path);
  onTestFinished(() => file.close());
  return await fileSource(file);
}

/** In pieces of seven, with empty ones between, as a decompressor gives them. */
async function ofStream(): Promise<ByteSource> {
  async function* pieces() {
    for (let at = 0; at < BYTES.length; at += 7) {
      yield new Uint8Array(0);
      yield new Uint8Array(BYTES.subarray(at, at + 7));
    }
  }
  return streamSource(pieces());
}

describe.each([
  ['fileSource', ofFile],
  ['streamSource', ofStream],
])('%s', (_name, make) => {
  test('gives exact amounts, steps over others, and knows where it is', async () => {
    const source = await make();

    expect(await source.read(0)).toHaveLength(0);
    expect(await source.read(10)).toEqual(BYTES.subarray(0, 10));
    expect(await source.skip(100)).toBe(100);
    expect(source.position).toBe(110);
    expect(await source.read(500)).toEqual(BYTES.subarray(110, 610));
    const chunk = await source.next(3);
    expect(chunk).toEqual(BYTES.subarray(610, 610 + (chunk?.length ?? 0)));
    expect(source.position).toBe(610 + (chunk?.length ?? 0));
  });

  test('gives less only at the end, and then nothing', async () => {
    const source = await make();

    expect(await source.skip(990)).toBe(990);
    expect(await source.read(20)).toEqual(BYTES.subarray(990));
    expect(await source.next(1)).toBeUndefined();
    expect(await source.read(1)).toHaveLength(0);
    expect(await source.skip(5)).toBe(0);
    expect(source.position).toBe(1000);
  });

  test('says how many bytes there were to step over', async () => {
    const source = await make();

    await source.read(1);
    expect(await source.skip(Number.POSITIVE_INFINITY)).toBe(999);
    await source.close();
  });
});

test('streamSource closes what it reads, also what cannot be closed', async () => {
  let closed = 0;
  const chunks = {
    next: async () => ({ done: true as const, value: undefined }),
    return: async () => {
      closed += 1;
      return { done: true as const, value: undefined };
    },
  };
  const { return: _, ...unclosable } = chunks;

  await streamSource({ [Symbol.asyncIterator]: () => chunks }).close();
  await streamSource({ [Symbol.asyncIterator]: () => unclosable }).close();

  expect(closed).toBe(1);
});

test('asBuffer shares the memory it is given, and no more of it', () => {
  const whole = new Uint8Array([1, 2, 3, 4]);
  const part = asBuffer(whole.subarray(1, 3));

  whole[1] = 9;

  expect([...part]).toEqual([9, 3]);
});

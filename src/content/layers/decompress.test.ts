import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compressionOf, decompressed } from './decompress.ts';

// "atoll " a thousand times, by the zstd program at level 19: two frames of three thousand bytes.
const ZSTD = Buffer.from(
  'KLUv/QRobQAAMGF0b2xsIAEAr4tfijYYbjcotS/9BGhtAAAwYXRvbGwgAQCvi1+KNhhuNw==',
  'base64',
);
const TEXT = 'atoll '.repeat(1000);

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpack(bytes: Uint8Array, size = 7): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompressed(inPieces(bytes, size))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** A frame that holds data for others, as zstd:chunked appends. */
function skippable(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50, 0);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

describe('decompressed', () => {
  test.each([1, 3, 7, 64, 100_000])('unpacks gzip and zstd in pieces of %i bytes', async (size) => {
    expect(await unpack(gzipSync(TEXT), size)).toBe(TEXT);
    expect(await unpack(ZSTD, size)).toBe(TEXT);
  });

  test('unpacks several gzip members as one stream', async () => {
    expect(await unpack(Buffer.concat([gzipSync('a'), gzipSync('b')]))).toBe('ab');
  });

  test('steps over skippable zstd frames, first, between and last', async () => {
    const frames = [skippable(Buffer.alloc(40, 1)), ZSTD, skippable(Buffer.alloc(30, 2))];

    expect(await unpack(Buffer.concat(frames), 11)).toBe(TEXT);
  });

  test('passes other bytes through, however few', async () => {
    expect(await unpack(Buffer.from('plain'))).toBe('plain');
    expect(await unpack(Buffer.from('ab'), 1)).toBe('ab');
    expect(await unpack(Buffer.alloc(0))).toBe('');
  });

  test('says that a stream was cut', async () => {
    for (const whole of [gzipSync(TEXT), ZSTD]) {
      await expect(unpack(whole.subarray(0, whole.length - 9))).rejects.toMatchObject({
        code: 'LAYER_INVALID',
      });
    }
  });

  test('names a bomb as one', async () => {
    // One block of zstd that repeats a byte 128 KiB times takes four bytes.
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
    const block = Buffer.from([0x02, 0x00, 0x10, 0x41]);
    const bomb = Buffer.concat([head, ...Array.from({ length: 5000 }, () => block)]);

    await expect(unpack(bomb, bomb.length)).rejects.toThrow('as a compression bomb does');
  });

  test('hands on the failure of its input, not the damage it does', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield gzipSync(TEXT).subarray(0, 20);
      throw new Error('connection lost');
    }

    await expect(
      (async () => {
        for await (const _ of decompressed(failing()));
      })(),
    ).rejects.toThrow('connection lost');
  });
});

test('compressionOf goes by the first bytes', () => {
  expect(compressionOf(Buffer.from([0x1f, 0x8b, 8, 0]))).toBe('gzip');
  expect(compressionOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))).toBe('zstd');
  expect(compressionOf(Buffer.from([0x5f, 0x2a, 0x4d, 0x18]))).toBe('zstd');
  expect(compressionOf(Buffer.from('tar'))).toBe('none');
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryImages } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import { pacedBy, pacedSource, pacedWeb } from './paced-source.ts';

const RATE = 1000;
const ctx = silentContext();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What has arrived after so many seconds of a clock that only the test moves. */
async function arrivedBy(seconds: readonly number[], count: () => number): Promise<number[]> {
  const seen: number[] = [];
  let now = 0;
  for (const each of seconds) {
    await vi.advanceTimersByTimeAsync((each - now) * 1000);
    now = each;
    seen.push(count());
  }
  return seen;
}

test('pacedSource asks the pacer for every byte, however blobs are read', async () => {
  const images = new MemoryImages();
  const blob = images.addBlob(Buffer.alloc(5000, 7), 'application/octet-stream');
  let taken = 0;
  const source = pacedSource(images, {
    take: async (_ctx, bytes) => {
      taken += bytes;
    },
  });

  for await (const _chunk of source.blob(ctx, blob)) {
  }
  const download = await source.can.openBlob?.(ctx, blob, 1000);
  await download?.pump(ctx, () => undefined);

  expect(taken).toBe(9000);
});

test('pacedBy lets the blobs of all sources together come at the rate, and all at once without one', async () => {
  const images = new MemoryImages();
  const blobs = ['a', 'b'].map((name) => images.addBlob(Buffer.alloc(2 * RATE, name), ''));
  let arrived = 0;
  const readAll = (bytesPerSecond: number | undefined) => {
    const paced = pacedBy(bytesPerSecond);
    return blobs.map(async (blob) => {
      for await (const chunk of paced(images).blob(ctx, blob)) arrived += chunk.length;
    });
  };

  const work = readAll(RATE);
  const [early = 0, later = 0, last] = await arrivedBy([1, 2.5, 4.5], () => arrived);
  expect(early).toBeLessThanOrEqual(RATE);
  expect(later).toBeLessThanOrEqual(2.5 * RATE);
  expect([later > 0, last]).toEqual([true, 4 * RATE]);
  await Promise.all(work);
  await Promise.all(readAll(undefined));
  expect(arrived).toBe(8 * RATE);
});

test('pacedWeb lets files come at the rate, and documents at once', async () => {
  let arrived = 0;
  const web = pacedWeb(
    {
      get: async () => Buffer.from('document'),
      download: async (_ctx, _url, { sink }) => {
        for (let chunk = 0; chunk < 3; chunk += 1) await sink(Buffer.alloc(RATE));
        return true;
      },
      close: () => undefined,
    },
    RATE,
  );

  expect(Buffer.from((await web.get(ctx, 'https://a')) ?? []).toString()).toBe('document');
  const sink = (chunk: Uint8Array) => {
    arrived += chunk.length;
  };
  const work = web.download(ctx, 'https://a', { offset: 0, begin: () => undefined, sink });
  expect(await arrivedBy([0.5, 1.5, 3.5], () => arrived)).toEqual([0, RATE, 3 * RATE]);
  expect(await work).toBe(true);
});

import { expect, test } from 'vitest';
import { chunksOf, collect, describeBytes } from '../../test/support/bytes.ts';
import { silentContext } from '../core/context.ts';
import { bulkSourceOf } from './bulk.ts';

const ctx = silentContext();
const blob = describeBytes('abcdef');

/** All that a download pumps. */
async function pumped(source: Parameters<typeof bulkSourceOf>[0], offset?: number) {
  const download = await bulkSourceOf(source).openBlob(ctx, blob, offset);
  const parts: Uint8Array[] = [];
  await download.pump(ctx, async (chunk) => void parts.push(chunk));
  return [Buffer.concat(parts).toString(), download.size];
}

test('bulkSourceOf reads what is iterated, from where it is asked to', async () => {
  const source = {
    blob: (_ctx: unknown, _blob: unknown, offset = 0) => chunksOf(...'abcdef'.slice(offset)),
  };

  expect(await pumped(source)).toEqual(['abcdef', 6]);
  expect(await pumped(source, 2)).toEqual(['cdef', 4]);
  expect(await pumped({ ...source, can: {} }, 5)).toEqual(['f', 1]);
});

test('bulkSourceOf leaves it to a source that has its own way', async () => {
  const own = {
    blob: () => chunksOf('no'),
    can: { openBlob: bulkSourceOf({ blob: () => chunksOf('own') }).openBlob },
  };

  expect((await pumped(own))[0]).toBe('own');
});

test('bulkSourceOf stops with the signal', async () => {
  const download = await bulkSourceOf({ blob: () => chunksOf('abc', 'def') }).openBlob(ctx, blob);
  const stop = new AbortController();
  const seen: string[] = [];

  const pumping = download.pump(silentContext({ signal: stop.signal }), async (chunk) => {
    seen.push((await collect(chunksOf(chunk))).toString());
    stop.abort(new Error('enough'));
  });

  await expect(pumping).rejects.toThrow('enough');
  expect(seen).toEqual(['abc']);
});

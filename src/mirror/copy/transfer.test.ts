import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryRegistry } from '../../../test/support/memory-content.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import { layoutTarget } from '../../store/layout/target.ts';
import { copyImages } from './copy-images.ts';

/** A source with one big layer, a place on disk, and the offsets at which the layer was asked for. */
async function prepare() {
  const folder = join(await tempDir(), 'layout');
  const source = new MemoryRegistry('up.test').repository('app');
  const big = 'x'.repeat(300_000);
  source.addImage([big], 'v1');
  const layer = source.addBlob(big);
  const read = source.blob.bind(source);
  const offsets: number[] = [];
  const failure: { at: number; error: () => void } = {
    at: Number.POSITIVE_INFINITY,
    error: () => {},
  };
  source.blob = async function* (ctx, blob, offset = 0) {
    if (blob.digest === layer.digest) offsets.push(offset);
    let position = offset;
    for await (const chunk of read(ctx, blob, offset)) {
      if (position >= failure.at && blob.digest === layer.digest) failure.error();
      position += chunk.length;
      yield chunk;
    }
  };
  const copy = async (signal = new AbortController().signal) => {
    const store = await openDiskStore(folder);
    const target = layoutTarget(store);
    const names = { reference: 'v1', tags: ['v1'], from: 'a', to: 'b' };
    return await copyImages(silentContext({ signal }), { images: [{ source, target, ...names }] });
  };
  return { copy, offsets, failure };
}

test('copyImages goes on in the middle of a blob after an interruption', async () => {
  const { copy, offsets, failure } = await prepare();
  const stop = new AbortController();
  failure.at = 200_000;
  failure.error = () => {
    stop.abort(new AtollError('INTERRUPTED', 'Stopped'));
    stop.signal.throwIfAborted();
  };
  await expect(copy(stop.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
  failure.at = Number.POSITIVE_INFINITY;

  const report = await copy();

  expect(report).toMatchObject({ copied: 1, failed: 0 });
  expect(offsets).toHaveLength(2);
  expect(offsets[1]).toBeGreaterThanOrEqual(150_000);
});

test('copyImages fetches only the rest of a blob when the source breaks off', async () => {
  const { copy, offsets, failure } = await prepare();
  failure.at = 100_000;
  failure.error = () => {
    failure.at = Number.POSITIVE_INFINITY;
    throw new AtollError('REGISTRY_UNAVAILABLE', 'Cut');
  };

  const report = await copy();

  expect(report).toMatchObject({ copied: 1, failed: 0 });
  expect(offsets[0]).toBe(0);
  expect(offsets[1]).toBeGreaterThan(50_000);
});

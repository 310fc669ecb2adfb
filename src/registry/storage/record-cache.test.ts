import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import type { Records } from '../../store/store.ts';
import { cachedRecords } from './record-cache.ts';

const ctx = silentContext();

test('cachedRecords reads a record once, until anybody writes or removes it', async () => {
  const { records } = await openDiskStore(await tempDir());
  let reads = 0;
  const counted = {
    ...records,
    get: (...args: Parameters<Records['get']>) => {
      reads += 1;
      return records.get(...args);
    },
  };
  const cached = cachedRecords(counted);
  await records.put(ctx, 'a/b', { value: 1 });

  expect(await cached.get(ctx, 'a/b')).toEqual({ value: 1 });
  expect(await cached.get(ctx, 'a/b')).toEqual({ value: 1 });
  expect(reads).toBe(1);
  // Written past the cache, as another process would.
  await records.put(ctx, 'a/b', { value: 2 });
  expect(await cached.get(ctx, 'a/b')).toEqual({ value: 2 });
  await records.remove(ctx, 'a/b');
  expect(await cached.get(ctx, 'a/b')).toBeUndefined();
});

test('cachedRecords keeps no more than it may', async () => {
  const { records } = await openDiskStore(await tempDir());
  const cached = cachedRecords(records, 2);
  for (const key of ['a', 'b', 'c']) {
    await cached.put(ctx, key, key);
    expect(await cached.get(ctx, key)).toBe(key);
  }
  expect(await cached.get(ctx, 'a')).toBe('a');
});

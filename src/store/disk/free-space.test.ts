import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { freeSpace, requireFreeSpace } from './free-space.ts';

test('freeSpace measures a path that does not exist yet', async () => {
  const path = join(await tempDir(), 'not', 'there');

  expect(await freeSpace(path)).toBeGreaterThan(0);
});

test('requireFreeSpace says how much is missing', async () => {
  const measure = async () => 3 * 1024 ** 3;

  await requireFreeSpace('/data', 2 * 1024 ** 3, { measure });
  const refused = requireFreeSpace('/data', 2 * 1024 ** 3, {
    measure,
    reserveBytes: 2 * 1024 ** 3,
  });

  await expect(refused).rejects.toMatchObject({
    code: 'DISK_FULL',
    message: 'Cannot write to "/data": 3.00 GiB are free, 4.00 GiB are needed',
    hint: 'Free 1.00 GiB there, or choose another disk',
    details: { neededBytes: 4 * 1024 ** 3, availableBytes: 3 * 1024 ** 3 },
  });
});

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { sha256OfFile } from './file-sum.ts';

test('sha256OfFile is the sum of all bytes, and stops with its signal', async () => {
  const path = join(await tempDir(), 'blob');
  const bytes = Buffer.alloc(3 * 1024 * 1024, 'atoll');
  await writeFile(path, bytes);

  expect(await sha256OfFile(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
  await expect(sha256OfFile(path, AbortSignal.abort())).rejects.toThrow(/abort/i);
});

import { basename } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Web } from '../../http/web.ts';
import { type KnownSum, missing } from './fetch-file.ts';

const LINE = /^([0-9a-f]{64}) [ *]?(.+)$/;

/** What a file of sums says about a file; a file with one bare sum speaks of whatever is beside it. */
export function sumIn(text: string, name: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  for (const line of lines) {
    const [, sum, file = ''] = LINE.exec(line) ?? [];
    if (sum && basename(file) === name) return sum;
  }
  const bare = lines.filter((line) => line !== '');
  return bare.length === 1 && /^[0-9a-f]{64}$/.test(bare[0] ?? '') ? bare[0] : undefined;
}

export async function readSum(
  ctx: Context,
  web: Web,
  sums: string,
  name: string,
): Promise<KnownSum> {
  const bytes = await web.get(ctx, sums);
  if (!bytes) throw missing(sums);
  const sha256 = sumIn(Buffer.from(bytes).toString('utf8'), name);
  if (sha256) return { sha256, by: sums };
  throw new AtollError('INPUT_INVALID', `Cannot find "${name}" in ${sums}`, {
    hint: 'Check that the sums are those of this version',
  });
}

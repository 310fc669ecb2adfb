import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { isObject, parseJson } from '../../core/shape.ts';
import { type Destination, formatDestination } from '../destination.ts';

/** `REPOSITORY:TAG` that following brought to a mirror: only these may go again. */
export type FollowedTags = ReadonlySet<string>;

/** One file for each pair. */
function statePath(dir: string, from: Destination, to: Destination): string {
  const pair = `${formatDestination(from)} ${formatDestination(to)}`;
  const name = createHash('sha256').update(pair).digest('hex').slice(0, 16);
  return join(dir, 'follow', `${name}.json`);
}

export async function readFollowed(
  dir: string,
  from: Destination,
  to: Destination,
): Promise<FollowedTags> {
  const found = parseJson((await readTextIfPresent(statePath(dir, from, to))) ?? '');
  return new Set(isObject(found) && Array.isArray(found.tags) ? found.tags.map(String) : []);
}

export async function writeFollowed(
  dir: string,
  from: Destination,
  to: Destination,
  tags: FollowedTags,
): Promise<void> {
  const pair = { from: formatDestination(from), to: formatDestination(to) };
  const text = JSON.stringify({ ...pair, tags: [...tags].toSorted() }, null, 1);
  await writeFileAtomic(statePath(dir, from, to), `${text}\n`);
}

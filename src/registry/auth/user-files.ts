import { readFileSync, statSync } from 'node:fs';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { unreadable } from '../../core/files.ts';
import { type GrantsByUser, parseGrants } from './grants.ts';
import { parseHtpasswd } from './htpasswd.ts';
import { costOf, USUAL_COST } from './passwords.ts';

/** Users and grants as their files say now: a change is seen within a second. */
export interface UserFiles {
  hashOf(user: string): string | undefined;
  /** Of all hashes in the file. */
  highestCost(): number;
  grants(): GrantsByUser;
}

const LOOK_MS = 500;

/** Reads both files, and throws if one cannot be used. Later trouble keeps what was read before. */
export function watchUserFiles(
  ctx: Context,
  htpasswd: string,
  grants: string | undefined,
): UserFiles {
  const users = watched(ctx, htpasswd, () => {
    const hashes = parseHtpasswd(htpasswd, readIfPresent(htpasswd));
    return { hashes, highestCost: highestOf([...hashes.values()]) };
  });
  // Without its grants everybody could read everything, so a lost file is not an empty one.
  const allowed =
    grants === undefined
      ? (): GrantsByUser => ({})
      : watched<GrantsByUser>(ctx, grants, () => parseGrants(grants, readNow(grants)));
  return {
    hashOf: (user) => users().hashes.get(user),
    highestCost: () => users().highestCost,
    grants: allowed,
  };
}

const highestOf = (hashes: readonly string[]): number =>
  hashes.length === 0 ? USUAL_COST : Math.max(...hashes.map(costOf));

/** The content of a file, read again at the next request after it changed. */
export function watched<T>(ctx: Context, path: string, load: () => T): () => T {
  let stamp = stampOf(path);
  let value = load();
  let lookedAt = performance.now();

  function look(): void {
    const now = stampOf(path);
    if (now === stamp) return;
    stamp = now;
    try {
      value = load();
    } catch (error) {
      const hint = 'The users of before still count until the file can be read';
      ctx.emit({ type: 'warning.raised', message: messageOf(error), hint, subject: path });
    }
  }

  return () => {
    if (performance.now() - lookedAt >= LOOK_MS) {
      lookedAt = performance.now();
      look();
    }
    return value;
  };
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

function readIfPresent(path: string): string {
  return stampOf(path) === '' ? '' : readNow(path);
}

export function readNow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

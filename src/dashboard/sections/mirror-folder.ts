import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent } from '../../core/files.ts';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import { isServiceRunning } from '../../site/service.ts';
import type { SitePaths } from '../../site/site-paths.ts';
import { registryPidFile } from '../../site/stages/registry.ts';
import { diskBlobs } from '../../store/disk/blobs.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import { AccessFollower } from './access-follower.ts';

export interface FolderFacts {
  readonly blobs: number;
  readonly storedBytes: number;
  readonly freeBytes: number;
  /** Undefined where that cannot be seen. */
  readonly running: boolean | undefined;
  /** Its certificate, as PEM. */
  readonly certificate: string | undefined;
}

/** The folder of an embedded registry, on whichever machine that is. */
export interface MirrorFolder {
  /** Requests since the last call. */
  newRequests(ctx: Context): Promise<readonly AccessEntry[]>;
  /** Undefined until they are known. */
  facts(ctx: Context): Promise<FolderFacts | undefined>;
}

/** Counting what lies on a disk is not for every second. */
const COUNT_EVERY_MS = 20_000;

/** A cache with a lifetime: concurrent callers share one request. */
export function seldom<T>(read: (ctx: Context) => Promise<T>): (ctx: Context) => Promise<T> {
  let known: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return (ctx) => {
    if (!known || performance.now() - known.atMs > COUNT_EVERY_MS)
      known = { atMs: performance.now(), value: read(ctx) };
    return known.value;
  };
}

/** Of a registry on this machine. */
export function localMirror(paths: SitePaths): MirrorFolder {
  const access = new AccessFollower(join(paths.registry, 'access.log'));
  const count = seldom((ctx) => countBlobs(ctx, join(paths.registry, 'data')));
  return {
    newRequests: () => access.read(),
    facts: async (ctx) => ({
      ...(await count(ctx)),
      freeBytes: await freeSpace(paths.registry),
      running: await isServiceRunning(registryPidFile(paths)),
      certificate: await readTextIfPresent(join(paths.registry, 'tls', 'server.crt')),
    }),
  };
}

async function countBlobs(ctx: Context, folder: string) {
  const found = { blobs: 0, storedBytes: 0 };
  for await (const { size } of diskBlobs(folder).list(ctx)) {
    found.blobs += 1;
    found.storedBytes += size;
  }
  return found;
}

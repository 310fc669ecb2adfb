import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store, Sweeping } from '../store.ts';
import { type ContentGraph, readGraph } from './graph.ts';
import type { Root } from './roots.ts';

export interface GcOptions {
  /** Everything these reach stays. */
  readonly roots: AsyncIterable<Root>;
  /** Younger content stays: somebody may be about to refer to it. */
  readonly graceMs?: number;
  /** Uploads nobody has continued for this long go. */
  readonly uploadGraceMs?: number;
  readonly dryRun?: boolean;
}

export interface GcReport {
  readonly removedBlobs: number;
  readonly freedBytes: number;
  readonly keptBlobs: number;
  readonly keptBytes: number;
  /** Not reached, but too young to go. */
  readonly youngBlobs: number;
  readonly removedUploads: number;
  /** Files that interrupted writes left behind. */
  readonly removedTemporary: number;
  readonly dryRun: boolean;
}

const HOUR_MS = 3_600_000;
const DEFAULT_GRACE_MS = HOUR_MS;
const DEFAULT_UPLOAD_GRACE_MS = 7 * 24 * HOUR_MS;

/**
 * Removes what nothing reaches. Safe while others write: they make content young, by writing it
 * or by finding it there, and what is young stays.
 */
export async function collectGarbage(
  ctx: Context,
  store: Store & Partial<Sweeping>,
  options: GcOptions,
): Promise<GcReport> {
  const now = ctx.now().getTime();
  const before = new Date(now - (options.graceMs ?? DEFAULT_GRACE_MS));
  const uploadsBefore = new Date(now - (options.uploadGraceMs ?? DEFAULT_UPLOAD_GRACE_MS));
  const dryRun = options.dryRun ?? false;

  const graph = await readGraph(ctx, store.blobs, options.roots);
  refuseUnknown(graph);
  const swept = await sweepBlobs(ctx, store, { reached: graph.reached, before, dryRun });
  const uploads = await sweepUploads(ctx, store, uploadsBefore, dryRun);
  const temporary = dryRun ? undefined : await store.sweep?.(ctx, before);
  return {
    ...swept,
    freedBytes: swept.freedBytes + uploads.bytes + (temporary?.bytes ?? 0),
    removedUploads: uploads.removed,
    removedTemporary: temporary?.files ?? 0,
    dryRun,
  };
}

/** What a damaged manifest refers to is unknown, so nothing may be called unreachable. */
function refuseUnknown({ damaged }: ContentGraph): void {
  const [digest] = damaged;
  if (digest === undefined) return;
  throw new AtollError('CONTENT_MISMATCH', `Cannot collect garbage: ${digest} is damaged`, {
    hint: 'Check the store, copy the damaged images again, then collect',
    details: { digest, damaged: damaged.size },
  });
}

interface Sweep {
  readonly reached: ReadonlySet<Digest>;
  readonly before: Date;
  readonly dryRun: boolean;
}

async function sweepBlobs(ctx: Context, store: Store, { reached, before, dryRun }: Sweep) {
  const report = { removedBlobs: 0, freedBytes: 0, keptBlobs: 0, keptBytes: 0, youngBlobs: 0 };
  for await (const { digest, size, modifiedAt } of store.blobs.list(ctx)) {
    const young = modifiedAt >= before;
    if (reached.has(digest) || young) {
      report.keptBlobs += 1;
      report.keptBytes += size;
      if (!reached.has(digest)) report.youngBlobs += 1;
    } else if (dryRun || (await store.blobs.remove(ctx, digest, before))) {
      report.removedBlobs += 1;
      report.freedBytes += size;
    }
  }
  return report;
}

async function sweepUploads(
  ctx: Context,
  store: Store,
  before: Date,
  dryRun: boolean,
): Promise<{ readonly removed: number; readonly bytes: number }> {
  let [removed, bytes] = [0, 0];
  for await (const { id, idleSince } of store.uploads.list(ctx)) {
    if (idleSince >= before) continue;
    const size = (await store.uploads.offset(ctx, id)) ?? 0;
    if (!dryRun && !(await cancelUnlessBusy(ctx, store, id))) continue;
    removed += 1;
    bytes += size;
  }
  return { removed, bytes };
}

/** A client that holds the lock of an old upload is about to continue it. */
async function cancelUnlessBusy(ctx: Context, store: Store, id: string): Promise<boolean> {
  try {
    return await store.uploads.cancel(ctx, id);
  } catch (error) {
    if (error instanceof AtollError && error.code === 'LOCKED') return false;
    throw error;
  }
}

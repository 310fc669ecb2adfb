import { createHash } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { counted, formatBytes } from '../../core/format.ts';
import type { Pacer } from '../../core/pacer.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import { isDamage } from '../read-manifest.ts';
import type { Blobs, Store, StoredBlob } from '../store.ts';
import { type ContentGraph, type GraphManifest, readGraph } from './graph.ts';
import { type Bad, type ContentProblem, explain } from './problems.ts';
import type { Root } from './roots.ts';

export interface CheckReport {
  readonly blobs: number;
  readonly bytes: number;
  /** Worst first: those that break the most images. */
  readonly problems: readonly ContentProblem[];
}

export interface CheckOptions {
  readonly roots: AsyncIterable<Root>;
  /** Images of an index may be absent, as after a copy of chosen platforms. */
  readonly allowSparse?: boolean;
  /** Keeps the reading below a rate. */
  readonly pacer?: Pacer | undefined;
}

const HASHERS = 4;

/** Reads everything again and compares it with its digest; then looks for what is not there. */
export async function checkStore(
  ctx: Context,
  store: Pick<Store, 'blobs'>,
  options: CheckOptions,
): Promise<CheckReport> {
  const blobs: StoredBlob[] = [];
  for await (const { digest, size } of store.blobs.list(ctx)) blobs.push({ digest, size });
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const progress = new Progress(ctx, {
    id: 'store.check',
    title: 'Check stored content',
    totalBytes: bytes,
    totalItems: blobs.length,
  });

  const bad = await findDamaged(ctx, store.blobs, blobs, progress, options.pacer);
  const graph = await readGraph(ctx, store.blobs, options.roots);
  const present = new Map(blobs.map(({ digest, size }) => [digest, size]));
  for (const digest of missingIn(graph, present, options.allowSparse ?? false)) {
    const detail = await absenceOf(ctx, store.blobs, digest);
    if (detail !== undefined) bad.set(digest, { found: 'missing', detail });
  }
  const problems = explain(graph, bad);
  progress.finish(
    `${formatBytes(bytes)} in ${counted(blobs.length, 'blob')}, ${counted(problems.length, 'problem')}`,
  );
  return { blobs: blobs.length, bytes, problems };
}

async function findDamaged(
  ctx: Context,
  blobs: Blobs,
  all: readonly StoredBlob[],
  progress: Progress,
  pacer: Pacer | undefined,
): Promise<Bad> {
  const bad: Bad = new Map();
  await mapBounded(ctx, pacer ? 1 : HASHERS, all, async ({ digest }) => {
    const detail = await damageOf(ctx, blobs, digest, async (bytes) => {
      progress.addBytes(bytes);
      await pacer?.take(ctx, bytes);
    });
    if (detail !== undefined) bad.set(digest, { found: 'damaged', detail });
    progress.addItem();
  });
  return bad;
}

async function damageOf(
  ctx: Context,
  blobs: Blobs,
  digest: Digest,
  onBytes: (bytes: number) => Promise<void>,
): Promise<string | undefined> {
  const { algorithm, hex } = splitDigest(digest);
  const hash = createHash(algorithm);
  try {
    for await (const chunk of blobs.read(ctx, digest)) {
      hash.update(chunk);
      await onBytes(chunk.length);
    }
  } catch (error) {
    ctx.signal.throwIfAborted();
    // Removed during the check: an error only if something still refers to it.
    if (error instanceof AtollError && error.code === 'CONTENT_MISSING') return undefined;
    return `it cannot be read: ${messageOf(error)}`;
  }
  const found = hash.digest('hex');
  return found === hex ? undefined : `its bytes have the digest ${algorithm}:${found}`;
}

/** What came after the look at all blobs is there, and was compared with its digest on its way in. */
async function absenceOf(ctx: Context, blobs: Blobs, digest: Digest): Promise<string | undefined> {
  try {
    return (await blobs.stat(ctx, digest)) ? undefined : 'it is not there';
  } catch (error) {
    if (isDamage(error)) return `it cannot be read: ${messageOf(error)}`;
    throw error;
  }
}

function* missingIn(
  graph: ContentGraph,
  present: ReadonlyMap<Digest, number>,
  allowSparse: boolean,
): Generator<Digest> {
  for (const { digest, subject } of graph.roots) {
    if (subject === undefined && !present.has(digest)) yield digest;
  }
  for (const node of graph.manifests.values()) {
    if (allowSparse && isSparse(node, present)) continue;
    for (const child of node.children) {
      if (!present.has(child.digest)) yield child.digest;
    }
  }
}

/** At least one image of the index is here; an index of nothing is no use to anybody. */
function isSparse(node: GraphManifest, present: ReadonlyMap<Digest, number>): boolean {
  return node.isIndex && node.children.some(({ digest }) => present.has(digest));
}

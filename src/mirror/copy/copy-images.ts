import type { Context } from '../../core/context.ts';
import { isTransient } from '../../core/errors.ts';
import { counted, formatBytes } from '../../core/format.ts';
import { createPool } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../core/retry.ts';
import type { Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { BlobMover } from './blob-mover.ts';
import { Concurrency } from './concurrency.ts';
import { ImageCopier } from './image-copier.ts';
import type { CopyOptions, CopyReport } from './job.ts';
import { ManifestCache } from './manifest-cache.ts';
import { findMountCandidates } from './mount-candidates.ts';
import { blobsOf, type ImagePlan, isDone } from './plan.ts';
import { Planner } from './planner.ts';
import { type CopyAttempt, Results } from './results.ts';

/** Images that are being put together at once: enough that blobs never run out. */
const IMAGES_AT_ONCE = 64;

type Planned = CopyAttempt & ({ readonly plan: ImagePlan } | { readonly error: unknown });

/**
 * Copies images with all that belongs to them. A plan first: what is missing is known before
 * anything moves. An image that fails costs only itself; the report says what became of each.
 */
export async function copyImages(ctx: Context, options: CopyOptions): Promise<CopyReport> {
  const start = performance.now();
  const run = new CopyRun(ctx, options);
  let attempts: readonly CopyAttempt[] = options.images.map((job, index) => ({
    job,
    index,
    number: 1,
    bytes: { copiedBytes: 0 },
  }));
  try {
    while (attempts.length > 0) attempts = await run.round(attempts);
  } finally {
    await run.idle();
  }
  ctx.signal.throwIfAborted();
  return run.report(performance.now() - start);
}

class CopyRun {
  readonly #ctx: Context;
  readonly #options: CopyOptions;
  readonly #retry: RetryPolicy;
  readonly #cache = new ManifestCache();
  readonly #concurrency: Concurrency;
  readonly #mover: BlobMover;
  readonly #results: Results;
  #progress: Progress | undefined;

  constructor(ctx: Context, options: CopyOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#concurrency = new Concurrency(options);
    this.#mover = new BlobMover(ctx, {
      concurrency: this.#concurrency,
      retry: this.#retry,
      delivered: options.delivered,
      onProgress: (bytes) => this.#progress?.addBytes(bytes),
      onThere: (bytes) => this.#progress?.needNot(bytes),
    });
    this.#results = new Results(ctx);
  }

  /** Plans and copies once; returns what deserves another attempt. */
  async round(attempts: readonly CopyAttempt[]): Promise<readonly CopyAttempt[]> {
    const queue = smallestFirst(await this.#planAll(attempts));
    await this.#prepare(queue);
    const again: CopyAttempt[] = [];
    const totalBytes = bytesOf(queue);
    await this.#options.planned?.(totalBytes);
    const progress = this.#startProgress(queue, totalBytes);
    const copier = new ImageCopier(this.#ctx, this.#mover, this.#cache);
    const work = async () => {
      // Taken off the end, so that a finished plan is not kept in memory.
      for (let next = queue.pop(); next; next = queue.pop()) {
        this.#ctx.signal.throwIfAborted();
        if (!(await this.#finish(copier, next))) again.push(nextAttempt(next));
        progress.addItem();
      }
    };
    await Promise.all(Array.from({ length: IMAGES_AT_ONCE }, work));
    progress.finish(this.#summary(), this.#results.count('failed') + again.length);
    return again;
  }

  idle(): Promise<void> {
    return this.#mover.idle();
  }

  async #planAll(attempts: readonly CopyAttempt[]): Promise<Planned[]> {
    const planner = new Planner(this.#ctx, this.#options, {
      cache: this.#cache,
      concurrency: this.#concurrency,
      retry: this.#retry,
    });
    const title = 'Reading manifests';
    const progress = new Progress(this.#ctx, { id: 'plan', title, totalItems: attempts.length });
    const pool = createPool(this.#ctx, this.#concurrency.planLimit);
    this.#concurrency.onChange = () => pool.resize(this.#concurrency.planLimit);
    const planned = attempts.map(async (attempt): Promise<Planned> => {
      try {
        return { ...attempt, plan: await pool.run('', () => planner.plan(attempt.job)) };
      } catch (error) {
        this.#ctx.signal.throwIfAborted();
        return { ...attempt, error };
      } finally {
        progress.addItem();
      }
    });
    const all = await Promise.all(planned);
    const failed = all.filter((each) => 'error' in each).length;
    progress.finish(counted(all.length - failed, 'image'), failed);
    return all;
  }

  async #prepare(queue: readonly Planned[]): Promise<void> {
    const plans = queue.flatMap((each) => ('plan' in each ? [each.plan] : []));
    await findMountCandidates(this.#ctx, plans, this.#concurrency.planLimit);
    await prepareTargets(this.#ctx, plans);
  }

  #startProgress(planned: readonly Planned[], totalBytes: number): Progress {
    const there = planned.filter(isThere).length;
    this.#progress = new Progress(this.#ctx, {
      ...(there > 0 ? { note: `${there} of ${planned.length} were there` } : {}),
      id: 'copy',
      title: this.#options.title ?? 'Copying images',
      totalItems: planned.length,
      totalBytes,
    });
    return this.#progress;
  }

  #summary(): string {
    const { copied, mounted, reused, copiedBytes } = this.#mover.totals;
    const moved = `${formatBytes(copiedBytes)} in ${counted(copied, 'blob')} moved`;
    const there = this.#results.count('skipped');
    const images = there > 0 ? `; ${there} of the images were there` : '';
    return `${moved}, ${mounted} mounted, ${reused} were there${images}`;
  }

  /** False when the image deserves another attempt. */
  async #finish(copier: ImageCopier, planned: Planned): Promise<boolean> {
    const plan = 'plan' in planned ? planned.plan : undefined;
    try {
      if (!plan) throw 'error' in planned ? planned.error : undefined;
      if (isDone(plan)) {
        await copier.nameRoot(plan);
        this.#results.skipped(planned, plan);
      } else {
        await copier.copy(plan, planned.bytes);
        this.#results.copied(planned, plan);
      }
      return true;
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      if (isTransient(error) && planned.number < this.#retry.rounds) return false;
      this.#results.failed(planned, plan, error);
      return true;
    }
  }

  report(durationMs: number): CopyReport {
    return {
      images: this.#results.all,
      copied: this.#results.count('copied'),
      skipped: this.#results.count('skipped'),
      failed: this.#results.count('failed'),
      blobs: { ...this.#mover.totals },
      durationMs: Math.round(durationMs),
    };
  }
}

function nextAttempt({ job, index, number, bytes }: CopyAttempt): CopyAttempt {
  return { job, index, number: number + 1, bytes };
}

/** Tells targets that want to know what is coming, before anything comes. */
async function prepareTargets(ctx: Context, plans: readonly ImagePlan[]): Promise<void> {
  const coming = new Map<Target, Descriptor[]>();
  for (const plan of plans) {
    const { target } = plan.to;
    const blobs = coming.get(target) ?? [];
    if (target.can.prepare) coming.set(target, blobs);
    for (const { descriptor } of blobsOf(plan)) blobs.push(descriptor);
  }
  for (const [target, blobs] of coming) await target.can.prepare?.(ctx, blobs);
}

/** What has to move, as far as one can know: blobs that are there are found on the way. */
function bytesOf(planned: readonly Planned[]): number {
  const blobs = new Set(planned.flatMap((each) => ('plan' in each ? [...blobsOf(each.plan)] : [])));
  return [...blobs].reduce(
    (sum, { descriptor, candidate }) => sum + (candidate ? 0 : descriptor.size),
    0,
  );
}

const isThere = (each: Planned): boolean => 'plan' in each && isDone(each.plan);

/**
 * By their biggest blob, the last of them first: no big one is left alone at the end. What is there goes before
 * all others, so that a run that goes on shows at once how far the one before it came.
 */
function smallestFirst(planned: readonly Planned[]): Planned[] {
  return planned
    .map((each) => ({ each, weight: isThere(each) ? Number.MAX_SAFE_INTEGER : biggestIn(each) }))
    .toSorted((a, b) => a.weight - b.weight || b.each.index - a.each.index)
    .map(({ each }) => each);
}

function biggestIn(each: Planned): number {
  const blobs = 'plan' in each ? [...blobsOf(each.plan)] : [];
  return Math.max(0, ...blobs.map(({ descriptor }) => descriptor.size));
}

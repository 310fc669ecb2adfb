import type { Context } from '../../core/context.ts';
import { AtollError, isTransient, messageOf } from '../../core/errors.ts';
import { formatBytes } from '../../core/format.ts';
import { createPool, mapBounded } from '../../core/pool.ts';
import type { PreparedTarget } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Account, BlobMover } from './blob-mover.ts';
import { isPrepared } from './capabilities.ts';
import { ImageCopier } from './image-copier.ts';
import type { CopyOptions, CopyReport, ImageFailure, ImageJob, ImageResult } from './job.ts';
import { ManifestShelf } from './manifest-shelf.ts';
import { Pace } from './pace.ts';
import { blobsOf, type ImagePlan, isDone, sizeOf } from './plan.ts';
import { Planner } from './planner.ts';
import { Progress } from './progress.ts';

/** Images that are being put together at once: enough that blobs never run out. */
const IMAGES_AT_ONCE = 64;
const DEFAULT_ATTEMPTS = 2;

interface Attempt {
  readonly job: ImageJob;
  readonly index: number;
  readonly number: number;
}

type Planned = Attempt & ({ readonly plan: ImagePlan } | { readonly error: unknown });

/**
 * Copies images with all that belongs to them. A plan first: what is missing is known before
 * anything moves. An image that fails costs only itself; the report says what became of each.
 */
export async function copyImages(ctx: Context, options: CopyOptions): Promise<CopyReport> {
  const start = performance.now();
  const run = new CopyRun(ctx, options);
  let attempts: readonly Attempt[] = options.images.map((job, index) => ({
    job,
    index,
    number: 1,
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
  readonly #shelf = new ManifestShelf();
  readonly #pace: Pace;
  readonly #mover: BlobMover;
  readonly #results: ImageResult[] = [];
  #progress: Progress | undefined;

  constructor(ctx: Context, options: CopyOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#pace = new Pace(options);
    this.#mover = new BlobMover(ctx, this.#pace, (bytes) => this.#progress?.addBytes(bytes));
  }

  /** Plans and copies once; returns what deserves another attempt. */
  async round(attempts: readonly Attempt[]): Promise<readonly Attempt[]> {
    const planned = await this.#planAll(attempts);
    await this.#prepare(planned);
    const again: Attempt[] = [];
    const copier = new ImageCopier(this.#ctx, this.#mover, this.#shelf);
    this.#progress = this.#startProgress(planned);
    await mapBounded(this.#ctx, IMAGES_AT_ONCE, inOrder(planned), async (each) => {
      if (!(await this.#finish(copier, each))) again.push({ ...each, number: each.number + 1 });
      this.#progress?.addItem();
    });
    const { copied, mounted, reused, copiedBytes } = this.#mover.totals;
    this.#progress.finish(
      `${formatBytes(copiedBytes)} in ${copied} blobs moved, ${mounted} mounted, ${reused} were there`,
    );
    return again;
  }

  idle(): Promise<void> {
    return this.#mover.idle();
  }

  async #planAll(attempts: readonly Attempt[]): Promise<Planned[]> {
    const planner = new Planner(this.#ctx, this.#options, this.#shelf, this.#pace);
    const title = 'Reading manifests';
    const progress = new Progress(this.#ctx, { id: 'plan', title, totalItems: attempts.length });
    const pool = createPool(this.#ctx, this.#pace.planLimit);
    const planned = attempts.map(async (attempt): Promise<Planned> => {
      try {
        return { ...attempt, plan: await pool.run('', () => planner.plan(attempt.job)) };
      } catch (error) {
        this.#ctx.signal.throwIfAborted();
        return { ...attempt, error };
      } finally {
        pool.resize(this.#pace.planLimit);
        progress.addItem();
      }
    });
    const all = await Promise.all(planned);
    progress.finish(`${attempts.length} images`);
    return all;
  }

  /** Tells targets that want to know what is coming, before anything comes. */
  async #prepare(planned: readonly Planned[]): Promise<void> {
    const coming = new Map<PreparedTarget, Descriptor[]>();
    for (const each of planned) {
      if (!('plan' in each) || !isPrepared(each.plan.place.target)) continue;
      const blobs = coming.get(each.plan.place.target) ?? [];
      blobs.push(...[...blobsOf(each.plan)].map(({ descriptor }) => descriptor));
      coming.set(each.plan.place.target, blobs);
    }
    for (const [target, blobs] of coming) await target.prepare(this.#ctx, blobs);
  }

  #startProgress(planned: readonly Planned[]): Progress {
    const blobs = new Set(
      planned.flatMap((each) => ('plan' in each ? [...blobsOf(each.plan)] : [])),
    );
    return new Progress(this.#ctx, {
      id: 'copy',
      title: this.#options.title ?? 'Copying images',
      totalItems: planned.length,
      totalBytes: [...blobs].reduce((sum, { descriptor }) => sum + descriptor.size, 0),
    });
  }

  /** False when the image deserves another attempt. */
  async #finish(copier: ImageCopier, planned: Planned): Promise<boolean> {
    const account = { copiedBytes: 0 };
    try {
      if ('error' in planned) throw planned.error;
      const skipped = isDone(planned.plan);
      if (skipped) await copier.nameRoot(planned.plan);
      else await copier.copy(planned.plan, account);
      this.#succeeded(planned, planned.plan, account, skipped);
      return true;
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      const attempts = this.#options.attempts ?? DEFAULT_ATTEMPTS;
      if (isTransient(error) && planned.number < attempts) return false;
      this.#failed(planned, account, error);
      return true;
    }
  }

  #succeeded(attempt: Attempt, plan: ImagePlan, account: Account, skipped: boolean): void {
    const { digest } = plan.root.node.descriptor;
    const { from, to, reason } = attempt.job;
    const sizeBytes = sizeOf(plan);
    const names = { source: from, target: to, digest };
    if (skipped) this.#ctx.emit({ type: 'image.skipped', ...names, reason: 'already there' });
    else this.#ctx.emit({ type: 'image.copied', ...names, sizeBytes: sizeBytes ?? 0, ...account });
    this.#results[attempt.index] = {
      from,
      to,
      outcome: skipped ? 'skipped' : 'copied',
      digest,
      root: plan.root.node.descriptor,
      sizeBytes,
      ...account,
      attachments: plan.attachments.length,
      attempts: attempt.number,
      reason,
    };
  }

  #failed(planned: Planned, account: Account, error: unknown): void {
    const { from, to, reason } = planned.job;
    const failure = failureOf(error);
    const { code, message } = failure;
    const event = { type: 'image.failed', source: from, target: to, message } as const;
    this.#ctx.emit(code ? { ...event, code } : event);
    this.#results[planned.index] = {
      from,
      to,
      outcome: 'failed',
      digest: 'plan' in planned ? planned.plan.root.node.descriptor.digest : undefined,
      ...account,
      attachments: 0,
      attempts: planned.number,
      error: failure,
      reason,
    };
  }

  report(durationMs: number): CopyReport {
    const count = (outcome: ImageResult['outcome']) =>
      this.#results.filter((result) => result.outcome === outcome).length;
    return {
      images: this.#results,
      copied: count('copied'),
      skipped: count('skipped'),
      failed: count('failed'),
      blobs: { ...this.#mover.totals },
      durationMs: Math.round(durationMs),
    };
  }
}

function failureOf(error: unknown): ImageFailure {
  if (!(error instanceof AtollError)) return { message: messageOf(error) };
  return { code: error.code, message: error.message, hint: error.hint };
}

/** Those with the biggest blobs first, so that no big one is left alone at the end. */
function inOrder(planned: readonly Planned[]): readonly Planned[] {
  const biggest = (each: Planned) =>
    'plan' in each
      ? Math.max(0, ...[...blobsOf(each.plan)].map(({ descriptor }) => descriptor.size))
      : 0;
  return planned
    .map((each) => ({ each, size: biggest(each) }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ each }) => each);
}

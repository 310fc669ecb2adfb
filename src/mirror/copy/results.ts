import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { ImageBytes } from './blob-mover.ts';
import type { ImageFailure, ImageJob, ImageResult, Outcome } from './job.ts';
import { type ImagePlan, sizeOf } from './plan.ts';

/** One image on its way, for the first time or again. */
export interface Attempt {
  readonly job: ImageJob;
  /** Position in the list of jobs. */
  readonly index: number;
  readonly number: number;
  /** Bytes moved for it, in this attempt and in those before. */
  readonly bytes: ImageBytes;
}

/** What became of each image, told as it happens and kept for the report. */
export class Results {
  readonly #ctx: Context;
  readonly #results: ImageResult[] = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  get all(): readonly ImageResult[] {
    return this.#results;
  }

  count(outcome: Outcome): number {
    return this.#results.filter((result) => result.outcome === outcome).length;
  }

  copied(attempt: Attempt, plan: ImagePlan): void {
    const sizeBytes = sizeOf(plan);
    const event = { ...eventNames(attempt, plan), sizeBytes: sizeBytes ?? 0, ...attempt.bytes };
    this.#ctx.emit({ type: 'image.copied', ...event });
    this.#succeeded(attempt, plan, 'copied');
  }

  skipped(attempt: Attempt, plan: ImagePlan): void {
    const event = { ...eventNames(attempt, plan), reason: 'already there' };
    this.#ctx.emit({ type: 'image.skipped', ...event });
    this.#succeeded(attempt, plan, 'skipped');
  }

  #succeeded(attempt: Attempt, plan: ImagePlan, outcome: Outcome): void {
    const { from, to, reason } = attempt.job;
    this.#results[attempt.index] = {
      from,
      to,
      outcome,
      digest: plan.root.node.descriptor.digest,
      root: plan.root.node.descriptor,
      sizeBytes: sizeOf(plan),
      copiedBytes: attempt.bytes.copiedBytes,
      attachments: plan.attachments.length,
      attempts: attempt.number,
      reason,
    };
  }

  /** `plan` where there was one before it failed. */
  failed(attempt: Attempt, plan: ImagePlan | undefined, cause: unknown): void {
    const { from, to, reason } = attempt.job;
    const error = failureOf(cause);
    const { code, message } = error;
    const event = { type: 'image.failed', source: from, target: to, message } as const;
    this.#ctx.emit(code ? { ...event, code } : event);
    this.#results[attempt.index] = {
      from,
      to,
      outcome: 'failed',
      digest: plan?.root.node.descriptor.digest,
      copiedBytes: attempt.bytes.copiedBytes,
      attachments: 0,
      attempts: attempt.number,
      error,
      reason,
    };
  }
}

function eventNames({ job }: Attempt, plan: ImagePlan) {
  return { source: job.from, target: job.to, digest: plan.root.node.descriptor.digest };
}

function failureOf(error: unknown): ImageFailure {
  if (!(error instanceof AtollError)) return { message: messageOf(error) };
  return { code: error.code, message: error.message, hint: error.hint };
}

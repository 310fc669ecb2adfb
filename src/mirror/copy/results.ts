import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { ImageBytes } from './blob-mover.ts';
import type { ImageFailure, ImageJob, ImageResult, Outcome } from './job.ts';
import { type ImagePlan, sizeOf } from './plan.ts';

/** One image on its way, for the first time or again. */
export interface CopyAttempt {
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

  copied(attempt: CopyAttempt, plan: ImagePlan): void {
    const sizeBytes = sizeOf(plan) ?? 0;
    const event = { ...eventNames(attempt, plan), sizeBytes, ...attempt.bytes };
    this.#ctx.emit({ type: 'image.copied', ...event });
    this.#succeeded(attempt, plan, 'copied');
  }

  skipped(attempt: CopyAttempt, plan: ImagePlan): void {
    const event = { ...eventNames(attempt, plan), reason: 'already there' };
    this.#ctx.emit({ type: 'image.skipped', ...event });
    this.#succeeded(attempt, plan, 'skipped');
  }

  /** `plan` where there was one before it failed. */
  failed(attempt: CopyAttempt, plan: ImagePlan | undefined, cause: unknown): void {
    const { from, to } = attempt.job;
    const error = failureOf(cause);
    const { code, message } = error;
    const event = { type: 'image.failed', source: from, target: to, message } as const;
    this.#ctx.emit(code ? { ...event, code } : event);
    this.#keep(attempt, plan, { outcome: 'failed', error });
  }

  #succeeded(attempt: CopyAttempt, plan: ImagePlan, outcome: Outcome): void {
    const root = plan.root.node.descriptor;
    const attachments = plan.attachments.length;
    this.#keep(attempt, plan, { outcome, root, sizeBytes: sizeOf(plan), attachments });
  }

  #keep(
    { job, index, number, bytes }: CopyAttempt,
    plan: ImagePlan | undefined,
    rest: Partial<ImageResult> & Pick<ImageResult, 'outcome'>,
  ): void {
    const { from, to, reason } = job;
    const digest = plan?.root.node.descriptor.digest;
    const { copiedBytes } = bytes;
    const result = { from, to, digest, copiedBytes, attachments: 0, attempts: number, reason };
    this.#results[index] = { ...result, ...rest };
  }
}

function eventNames({ job }: CopyAttempt, plan: ImagePlan) {
  return { source: job.from, target: job.to, digest: plan.root.node.descriptor.digest };
}

function failureOf(error: unknown): ImageFailure {
  if (!(error instanceof AtollError)) return { message: messageOf(error) };
  return { code: error.code, message: error.message, hint: error.hint };
}

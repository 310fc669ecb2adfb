import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { SECRET_DIRECTORY_MODE, SECRET_MODE, unwritable } from '../core/files.ts';
import { redact } from '../core/redact.ts';
import { retry } from '../core/retry.ts';
import type { JsonObject, Step, StepRun } from './step.ts';

const DEFAULT_GRACE_MS = 15_000;

/** One line at a time, without secrets, in order, even when the process dies right after. */
export function stepLogger(ctx: Pick<Context, 'now'>, path: string): (line: string) => void {
  mkdirSync(dirname(path), { recursive: true, mode: SECRET_DIRECTORY_MODE });
  return (line) => {
    try {
      appendFileSync(path, `${ctx.now().toISOString()} ${redact(line)}\n`, { mode: SECRET_MODE });
    } catch (error) {
      throw unwritable(path, error);
    }
  };
}

/** Runs a step with its retries, each try bounded by its timeout and grace period. */
export function runStep(ctx: Context, step: Step, run: StepRun): Promise<JsonObject> {
  return retry(ctx, { operation: step.title, attempts: step.attempts ?? 1 }, () =>
    step.timeoutMs === undefined ? step.run(ctx, run) : runBounded(ctx, step, step.timeoutMs, run),
  );
}

async function runBounded(
  ctx: Context,
  step: Step,
  timeoutMs: number,
  run: StepRun,
): Promise<JsonObject> {
  const graceMs = step.graceMs ?? DEFAULT_GRACE_MS;
  const timeUp = new AbortController();
  const expired = new AtollError(
    'TIMED_OUT',
    `Step "${step.id}" took longer than ${timeoutMs / 1000} s`,
    {
      hint: 'Look at its log, then run the same command again: it resumes',
      details: { step: step.id, timeoutMs },
    },
  );
  let giveUp: NodeJS.Timeout | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    timeUp.signal.addEventListener('abort', () => {
      giveUp = setTimeout(() => reject(expired), graceMs);
    });
  });
  const timer = setTimeout(() => timeUp.abort(expired), timeoutMs);
  try {
    const signal = AbortSignal.any([ctx.signal, timeUp.signal]);
    return await Promise.race([step.run({ ...ctx, signal }, run), abandoned]);
  } catch (error) {
    // A step that left because its time was up failed by the timeout, whatever it threw.
    throw timeUp.signal.aborted && !ctx.signal.aborted ? expired : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(giveUp);
  }
}

import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import type { AtollEvent } from '../core/events.ts';
import { openEventLog, recordedContext, runNameOf } from '../workflow/event-log.ts';
import type { WatchedCommand } from './watched-command.ts';

/** Does the work of a command as a run of one stage, whose events a page can follow. */
export async function recordCommand<T>(
  ctx: Context,
  { name, stage, runs }: WatchedCommand,
  work: (ctx: Context) => Promise<T>,
  /** What is wrong with a result that is no success. */
  troubleIn: (result: T) => string | undefined,
): Promise<T> {
  const started = ctx.now();
  const run = runNameOf(started);
  const log = await openEventLog(ctx, join(runs, run));
  const elapsed = () => ctx.now().getTime() - started.getTime();
  // The command line tells its own beginning and end; these are for who looks at the page.
  const end = (step: AtollEvent, outcome: 'succeeded' | 'failed' | 'interrupted') => {
    log.record(step);
    log.record({ type: 'run.finished', run, outcome, durationMs: elapsed() });
  };
  try {
    log.record({ type: 'run.started', run, site: name });
    log.record({ type: 'step.started', step: stage, title: stage });
    const result = await work(recordedContext(ctx, log));
    const message = troubleIn(result);
    if (message === undefined)
      end({ type: 'step.finished', step: stage, durationMs: elapsed() }, 'succeeded');
    else end({ type: 'step.failed', step: stage, message }, 'failed');
    return result;
  } catch (error) {
    end(failureOf(stage, error), ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  } finally {
    await log.close();
  }
}

function failureOf(step: string, error: unknown): AtollEvent {
  const failed = { type: 'step.failed', step, message: messageOf(error) } as const;
  if (!(error instanceof AtollError)) return failed;
  const { code, hint } = error;
  return hint === undefined ? { ...failed, code } : { ...failed, code, hint };
}

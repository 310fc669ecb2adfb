import type { Context } from '../../core/context.ts';
import { AtollError, isTransient, messageOf } from '../../core/errors.ts';
import { formatDuration } from '../../core/format.ts';
import { sleep } from '../../core/retry.ts';

/** What a look at the cluster said: it is as wanted, or why it is not yet. */
export type Look<T> =
  | { readonly done: true; readonly value: T }
  | {
      readonly done: false;
      readonly reason: string;
      /** It will not come by itself: waiting on is of no use. */
      readonly hopeless?: { readonly hint: string } | undefined;
    };

export interface WaitOptions<T> {
  readonly task: string;
  /** `the machine config pools`: what is waited for. */
  readonly title: string;
  readonly timeoutMs: number;
  readonly everyMs?: number | undefined;
  /** What to do when the time is over. */
  readonly hint: string;
  readonly look: (ctx: Context) => Promise<Look<T>>;
}

const EVERY_MS = 5000;

/**
 * Looks again and again until the cluster is as wanted, and says each time why it is not. An API that
 * is away for a while is a reason like any other.
 */
export async function waitFor<T>(ctx: Context, options: WaitOptions<T>): Promise<T> {
  const { task, title, timeoutMs, everyMs = EVERY_MS } = options;
  const started = ctx.now().getTime();
  const elapsed = () => ctx.now().getTime() - started;
  ctx.emit({ type: 'task.started', task, title: `Waiting for ${title}` });
  for (;;) {
    const seen = await lookOnce(ctx, options);
    if (seen.done) {
      ctx.emit({ type: 'task.finished', task, title, durationMs: elapsed() });
      return seen.value;
    }
    ctx.emit({ type: 'task.progressed', task, note: seen.reason });
    const isOver = elapsed() >= timeoutMs;
    if (isOver || seen.hopeless) {
      throw gaveUp(ctx, options, seen.reason, seen.hopeless?.hint, elapsed());
    }
    await sleep(ctx, everyMs);
  }
}

async function lookOnce<T>(ctx: Context, { look }: WaitOptions<T>): Promise<Look<T>> {
  try {
    return await look(ctx);
  } catch (error) {
    if (ctx.signal.aborted || !isTransient(error)) throw error;
    return { done: false, reason: messageOf(error) };
  }
}

function gaveUp<T>(
  ctx: Context,
  { task, title, hint }: WaitOptions<T>,
  reason: string,
  hopeless: string | undefined,
  waitedMs: number,
): AtollError {
  const after = hopeless === undefined ? ` after ${formatDuration(waitedMs)}` : '';
  const message = `Cannot wait for ${title} any longer${after}: ${reason}`;
  ctx.emit({ type: 'task.failed', task, title, code: 'CLUSTER_FAILED', message });
  return new AtollError('CLUSTER_FAILED', message, { hint: hopeless ?? hint });
}

import { setMaxListeners } from 'node:events';
import type { Context } from './context.ts';
import { AtollError } from './errors.ts';
import { sleep } from './retry.ts';

/** Hours of the day in which something may run, in the time of this machine; it may go over midnight. */
export interface TimeWindow {
  /** `22:00-06:00`, as it was given. */
  readonly text: string;
  /** Minutes after midnight. */
  readonly from: number;
  readonly to: number;
}

const WINDOW = /^(?<from>(?:[01]?\d|2[0-3]):[0-5]\d)-(?<to>(?:[01]?\d|2[0-3]):[0-5]\d)$/;
const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;

export function parseWindow(text: string): TimeWindow {
  const { from, to } = WINDOW.exec(text)?.groups ?? {};
  if (from && to && from !== to) return { text, from: minutesOf(from), to: minutesOf(to) };
  throw new AtollError('USAGE', `Cannot read the time window "${text}"`, {
    hint: 'Write it as 22:00-06:00',
  });
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** How long until a window opens (0 inside it), and how long until it closes after that. */
export function windowAt({ from, to }: TimeWindow, now: Date) {
  const since = now.getTime() - new Date(now).setHours(0, 0, 0, 0);
  const until = (minute: number) => (minute * MINUTE_MS - since + DAY_MS) % DAY_MS;
  const closesInMs = until(to) || DAY_MS;
  const lengthMs = ((to - from) * MINUTE_MS + DAY_MS) % DAY_MS || DAY_MS;
  const opensInMs = closesInMs <= lengthMs ? 0 : until(from);
  return { opensInMs, closesInMs: opensInMs === 0 ? closesInMs : opensInMs + lengthMs };
}

/** Waits until the window opens, and stops the work when it closes: what works here goes on next time. */
export async function withinWindow<T>(
  ctx: Context,
  window: TimeWindow | undefined,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  if (!window) return await work(ctx);
  const { opensInMs, closesInMs } = windowAt(window, ctx.now());
  if (opensInMs > 0) {
    const message = `Waiting for the time window ${window.text}`;
    ctx.emit({ type: 'note.added', message });
    await sleep(ctx, opensInMs);
  }
  const closing = new AbortController();
  const timer = setTimeout(() => closing.abort(closed(window)), closesInMs - opensInMs);
  const signal = AbortSignal.any([ctx.signal, closing.signal]);
  setMaxListeners(0, signal);
  try {
    return await work({ ...ctx, signal });
  } finally {
    clearTimeout(timer);
  }
}

function closed({ text }: TimeWindow): AtollError {
  return new AtollError('INTERRUPTED', `Stopped: the time window ${text} is over`, {
    hint: 'Run the same command again: it goes on where this one stopped',
  });
}

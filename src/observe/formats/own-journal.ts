import { dateOf } from './dates.ts';
import type { LogLine } from './log-line.ts';

/** atoll's own `events.ndjson`: one event per line. Only what went wrong has words worth matching. */
export function decodeOwnEvent(raw: string): LogLine {
  try {
    const event = JSON.parse(raw) as Record<string, unknown>;
    return { message: messageOf(event), at: dateOf(event.at) };
  } catch {
    return { message: raw };
  }
}

export function isOwnEvent(line: string): boolean {
  return /^\{.*"type":"[a-z]+\.[a-z-]+"/.test(line) && line.includes('"seq":');
}

function messageOf(event: Readonly<Record<string, unknown>>): string {
  const code = typeof event.code === 'string' ? ` [${event.code}]` : '';
  const subject = [event.source, event.step, event.operation].find(
    (one) => typeof one === 'string',
  );
  const text = typeof event.message === 'string' ? event.message : '';
  return `${event.type}${code}${subject === undefined ? '' : ` ${subject}`}: ${text}`;
}

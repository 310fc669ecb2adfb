import { AtollError, messageOf } from '../core/errors.ts';
import { redact, redactJson } from '../core/redact.ts';
import type { Style } from './command.ts';

/** What happened, why, what to do next, and the code; a bug shows its stack and asks for a report. */
export function errorText(error: unknown, style: Style): string {
  if (!(error instanceof AtollError)) return redact(bugText(error, style));
  const lines = [`${style.red(error.message)} ${style.dim(`[${error.code}]`)}`];
  for (const cause of causesOf(error)) lines.push(`  ${style.dim('because:')} ${indented(cause)}`);
  if (error.hint) lines.push(`  ${style.bold('next:')} ${indented(error.hint)}`);
  return redact(lines.join('\n'));
}

/** The same as plain data, for `--output json`. */
export function errorJson(error: unknown): Record<string, unknown> {
  if (!(error instanceof AtollError)) {
    return redactJson({ code: 'BUG', message: messageOf(error), stack: stackOf(error) });
  }
  const { code, message, hint, details } = error;
  return redactJson({ code, message, hint, details, because: causesOf(error) });
}

/** The messages down the chain of causes, without those the message above already holds. */
function causesOf(error: AtollError): string[] {
  const causes: string[] = [];
  const seen = new Set<unknown>([error]);
  let above = error.message;
  for (let cause = error.cause; cause && !seen.has(cause); cause = nextCause(cause)) {
    seen.add(cause);
    // OpenSSL ends its words with a new line.
    const message = messageOf(cause).trimEnd();
    if (message && !above.includes(message)) causes.push(message);
    above = message || above;
  }
  return causes;
}

function nextCause(error: unknown): unknown {
  // Node wraps the failures of several addresses in one error without words of its own.
  if (error instanceof AggregateError && error.cause === undefined) return error.errors[0];
  return error instanceof Error ? error.cause : undefined;
}

function bugText(error: unknown, style: Style): string {
  return [
    style.red('This is a bug in atoll, not something you did'),
    stackOf(error),
    `  ${style.bold('next:')} Please report it with the command line and the lines above`,
  ].join('\n');
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}

const indented = (text: string) => text.replaceAll('\n', '\n    ');

import { type FoundWords, word } from '../plain-reading.ts';

/** Tells that a step failed, and not why. */
export const NO_REASON = String.raw`(?!\W*(?:[^:]{0,60}: ){0,8}(?:exit status|exit code|timed out|timeout|context deadline|non-zero|MODULE FAILURE|All items completed|Timeout when waiting|[Oo]ne or more|failed to (?:complete|apply)|(?:\w+ )?(?:was|were|is|are) not ready within|failed to provision [\w-]+ machines(?: within|$)|error\(s\)|unknown error|The command was|see stdout))`;

const MAX_REASON = 300;

/** The words of the program, without what delimits them. */
export function reason(found: FoundWords): string {
  const why = word(found, 'why', 'said', 'error', 'code') ?? '';
  const plain = why
    .replace(/\\n/g, ' ')
    .replace(/\\+(["'])/g, '$1')
    .trimEnd();
  const whole = isOpen(plain) ? plain.replace(/["\s]+$/, '') : plain;
  return whole.length > MAX_REASON ? `${whole.slice(0, MAX_REASON)}…` : whole;
}

/** A quote at its end has no other that opens it. */
const isOpen = (text: string): boolean => text.split('"').length % 2 === 0;

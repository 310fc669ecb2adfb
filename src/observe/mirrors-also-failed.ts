const MARK = '(Mirrors also failed: ';

/**
 * The part of a pull error that matters. Where mirrors were tried, the message ends with what the
 * source itself said, which in a disconnected site is always a timeout: that part is taken off.
 *
 *   initializing source docker://S: (Mirrors also failed: [M1: cause] [M2: cause]): S: timeout
 *   └──────────────────────────────── what is left ──────────────────────────────┘
 */
export function withoutSourceError(text: string): string {
  const start = text.indexOf(MARK);
  if (start < 0) return withoutTail(text);
  return text.slice(0, endOfMirrors(text, start + MARK.length));
}

/** With several mirrors the list is broken into lines: the last begins with a bracket and ends the list. */
function withoutTail(text: string): string {
  const end = text.startsWith('[') ? text.indexOf(']): ') : -1;
  return end < 0 ? text : text.slice(0, end + 2);
}

/** The mirrors that were tried, each with what it answered. */
export function mirrorErrors(text: string): readonly { mirror: string; error: string }[] {
  const start = text.indexOf(MARK);
  if (start < 0) return [];
  const inner = text.slice(start + MARK.length, endOfMirrors(text, start + MARK.length));
  return inner
    .replace(/\)$/, '')
    .split(/\](?:\\n|\s)+\[/)
    .map((part) => /^\[?(?<mirror>\S+?): (?<error>.*?)\]?$/.exec(part.trim())?.groups)
    .filter((groups) => groups !== undefined)
    .map(({ mirror = '', error = '' }) => ({ mirror, error }));
}

/** Just after the bracket that closes the list; the end of the text when it was cut off. */
function endOfMirrors(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '[' || character === '(') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === ')') {
      if (depth <= 0) return at + 1;
      depth -= 1;
    }
  }
  return text.length;
}

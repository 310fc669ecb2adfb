import type { EvidenceLine } from '../evidence.ts';

/** What several lines of a text say together, and none of them alone. */
export interface Compared {
  readonly id: string;
  /** The word for the cause, where it is another one than that of the rule it speaks for. */
  readonly causeId?: string;
  readonly cause: string;
  readonly remedy: string;
  /** The lines that it rests on. */
  readonly evidence: readonly EvidenceLine[];
  /** The names of what it says more precisely: rules, causes and readings. */
  readonly decides: RegExp;
}

/** Looks at all lines of a short text; undefined where they do not tell. */
export type Comparison = (lines: readonly EvidenceLine[]) => Compared | undefined;

/** The first line that a pattern fits, with what it found there. */
export function firstMatch(
  lines: readonly EvidenceLine[],
  pattern: RegExp,
): { readonly line: EvidenceLine; readonly match: RegExpExecArray } | undefined {
  for (const line of lines) {
    const match = pattern.exec(line.text);
    if (match) return { line, match };
  }
  return undefined;
}

/** `a, b and c` */
export function listed(words: readonly string[], longest = 5): string {
  const shown = words.slice(0, longest);
  const rest = words.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '');
}

import type { Evidence } from '../claim.ts';
import type { EvidenceLine } from '../evidence.ts';
import { isQuoted } from '../match-line.ts';
import { SAID_ASIDE } from './failure-of.ts';
import { saidIn, tellsOf } from './own-words.ts';
import { FAILS } from './read-plainly.ts';

/** As many as are read at a glance. */
const SHOWN = 3;

/** One line of a text, with what is to be said of it. */
export interface ToldLine {
  readonly line: EvidenceLine;
  /** How surely it tells of a failure; 0: not by its words. */
  readonly severity: number;
  /** A reading knows it, and tells more than that something fails. */
  readonly isRead: boolean;
}

/**
 * What the same text states of other things that are not as they must be, in its own order. What is told as the cause
 * may be the wrong one: whoever sees the others beside it sees that, too. None of them accuses anything.
 */
export function alsoSaid(
  lines: readonly ToldLine[],
  chosen: readonly Evidence[],
  isKnown: (line: EvidenceLine) => boolean,
): readonly EvidenceLine[] {
  const told = chosen.map(({ text }) => essence(text));
  const isTold = (said: string) => told.some((one) => one.includes(said) || said.includes(one));
  // What is shown of a chosen line may be cut or redacted.
  const places = new Set(chosen.map(({ file, line }) => `${file}:${line}`));
  const seen = new Set<string>();
  const others: (ToldLine & { readonly weight: number; readonly at: number })[] = [];
  for (const [at, line] of lines.entries()) {
    const { text } = line.line;
    if (places.has(`${line.line.file}:${line.line.line}`)) continue;
    const said = essence(text);
    const weight = isTold(said) || seen.has(said) || isQuoted(text) ? 0 : weightOf(line);
    if (weight === 0) continue;
    seen.add(said);
    others.push({ ...line, weight, at });
  }
  const foremost = others.toSorted((a, b) => b.weight - a.weight || a.at - b.at);
  return firstOf(foremost, ({ line }) => !isKnown(line))
    .toSorted((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

/** As few are asked as will do: all rules look at each. */
function firstOf<T>(all: readonly T[], isWanted: (one: T) => boolean): T[] {
  const first: T[] = [];
  for (const one of all) {
    if (first.length === SHOWN) break;
    if (isWanted(one)) first.push(one);
  }
  return first;
}

/** Two lines that differ in numbers and times only, or in the name of their field, say the same. */
const essence = (text: string): string =>
  saidIn(text)
    .toLowerCase()
    .replace(/[\d\W_]+/g, ' ')
    .replace(/^ ?(?:message|reason|msg|error) /, '')
    .trim();

function weightOf({ line, severity, isRead }: ToldLine): number {
  const tells = tellsOf(line.text);
  // What calls itself an error need not name what it is about.
  const isStated = tells > (severity === 2 ? 0 : 1);
  if (!isRead && (!isStated || (severity === 0 && SAID_ASIDE.test(line.text)))) return 0;
  return severity * 2 + Number(isRead) * 2 + Number(FAILS.test(line.text)) + tells;
}

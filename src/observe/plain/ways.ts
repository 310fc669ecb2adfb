import type { EvidenceLine } from '../evidence.ts';
import { isQuoted } from '../match-line.ts';
import { RETRY } from '../retries.ts';
import type { Severity } from '../set-aside.ts';
import { failureOf, isKernelNote, type LinesOfShape, lastingOf, NO_FAILURE } from './failure-of.ts';
import { bareWords, ownWords, tellsOf } from './own-words.ts';
import type { PlainReading, Reading } from './plain-reading.ts';
import { FAILS, PLAIN_READINGS, readPlainly } from './read-plainly.ts';

/** One way to look at the end of a text: which lines tell of a failure, and what they say. */
export interface Way {
  /** How surely lines tell of one that have so many others behind them; 0: they do not. */
  readonly failureOf: (shape: LinesOfShape, behind: number) => Severity;
  readonly read: (line: EvidenceLine) => Reading | undefined;
  /** How much a line tells; where it is not asked, all tell as much. */
  readonly weigh?: (line: EvidenceLine) => number;
  /** Only of a text of a few lines, of which none is there for nothing. */
  readonly isOfFew?: boolean;
  /** Only of what stands right before a line that tells of a failure, and not why. */
  readonly isBeforeFailure?: boolean;
  /** Only where the text ends with an error that hardly says why. */
  readonly isBehindGeneral?: boolean;
}

/** The first that finds something speaks. */
export const WAYS: readonly Way[] = [
  {
    failureOf: ({ line }) => failureOf(line),
    read: readLine,
  },
  { failureOf: lastingOf, read: readSurely },
  {
    failureOf: ({ line }) => (FAILS.test(line.text) || failureOf(line) === 2 ? failureOf(line) : 0),
    read: readOwnWords,
    weigh: ({ text }) => tellsOf(text),
  },
  {
    isOfFew: true,
    failureOf: ({ line }) => (tellsOf(line.text) > 1 ? failureOf(line) : 0),
    read: readOwnWords,
    weigh: ({ text }) => tellsOf(text),
  },
  {
    isBeforeFailure: true,
    failureOf: ({ line }) => (tellsOf(line.text) > 1 ? failureOf(line) : 0),
    read: readOwnWords,
  },
  {
    isOfFew: true,
    failureOf: (shape, behind) => (isWarning(shape.line) ? lastingOf(shape, behind) : 0),
    read: readOwnWords,
  },
  {
    isBehindGeneral: true,
    failureOf: ({ line }) => (saysMuch(line) ? 1 : 0),
    read: (line) => readSurely(line) ?? readOwnWords(line),
  },
  {
    failureOf: ({ line }) => (failureOf(line) === 2 ? 2 : 0),
    read: ({ text }) => (FAILS.test(text) ? bareWords(text) : undefined),
  },
];

/** The installer tells as debug what its parts met, and ends with an error that only says which of them did not come. */
const saysMuch = ({ text }: EvidenceLine): boolean =>
  FAILS.test(text) &&
  tellsOf(text) > 1 &&
  !NO_FAILURE.test(text) &&
  !isQuoted(text) &&
  !RETRY.test(text);

/** A client that watches says so of what a server does not have yet, and asks again. */
const isWarning = ({ text }: EvidenceLine): boolean =>
  FAILS.test(text) && tellsOf(text) > 1 && !text.includes('reflector.go');

function readOwnWords(line: EvidenceLine): Reading | undefined {
  return isKernelNote(line) ? undefined : ownWords(line.text);
}

export function readLine({ text, lead, origins }: EvidenceLine): Reading | undefined {
  return readPlainly(text, lead, origins);
}

/** What only tells that something fails is no cause where it was not even an error. */
export function readSurely(line: EvidenceLine): Reading | undefined {
  const reading = readLine(line);
  return reading && !UNSURE.has(reading.id) ? reading : undefined;
}

const idsOf = (isSo: (one: PlainReading) => boolean | undefined) =>
  new Set(PLAIN_READINGS.filter(isSo).map(({ id }) => id));
/** Readings that tell that something fails, and hardly why. */
export const GENERAL = idsOf((one) => one.isGeneral);
const UNSURE = idsOf((one) => one.isGeneral || one.isVague);

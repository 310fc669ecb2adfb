import type { Evidence } from '../claim.ts';
import type { EvidenceLine } from '../evidence.ts';
import { isQuoted } from '../match-line.ts';
import { quoteLine } from '../quote-line.ts';
import { RETRY, WENT_ILL } from '../retries.ts';
import { type Severity, severityOf } from '../set-aside.ts';
import { ownWords, tellsOf } from './own-words.ts';
import type { PlainReading, Reading } from './plain-reading.ts';
import { FAILS, PLAIN_READINGS, readPlainly } from './read-plainly.ts';
import { goesOn } from './went-on.ts';

/** What the decisive error says by itself, where the catalogue has no cause. */
export interface LikelyCause extends Reading {
  /** Lines that say so. */
  readonly count: number;
  readonly evidence: readonly Evidence[];
}

/** Lines of one shape: the first of them, and how many there were. */
export interface LinesOfShape {
  readonly line: EvidenceLine;
  readonly count: number;
}

/** klog, and programs that begin with the word. */
const ERROR = /(?:^|[\s\]:}])[EF]\d{4} \d\d:\d\d|^\W*(?:[\w.-]+:? ){0,3}(?:error|fatal|failed)\b/i;
const WARNS =
  /(?:^|[\s\]:}])[IW]\d{4} \d\d:\d\d|\b(?:INFO|DEBUG|WARN(?:ING)?|NOTICE)\b|<(?:info|debug|warn)>|will (?:re)?try|reflector\.go|system:anonymous/;
/**
 * That logs could not be fetched, too, follows from what went wrong before; who asks a server for what it does not have
 * yet goes on; clients may hang up; a balancer that has other servers serves on; and events that are normal are none.
 */
const NO_FAILURE =
  /gather(?:ing)? (?:debug )?(?:bootstrap )?logs|Failed to read tfstate|leaderelection\.go:|\bpermissive=1\b|^\s*(?:\S+ +)?Normal +[A-Z]\w+ |\| Normal \||"(?:GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT) \S+ HTTP\/\d|TLS handshake error from(?!.*first record does not look)|Server \S+ is DOWN\b.*\b[1-9]\d* active and|^<? ?HTTP\/[\d.]+ 401/i;
const ENDED_ILL = new RegExp(WENT_ILL, 'i');
/** What people write around what they paste, and how a ticket marks it. */
const PROSE =
  /^\s*(?:(?:```|~~~)\s*\w*\s*$|#{2,4} |\*\*[\w ?']+\*\*:?\s*$)|^(?!\s*(?:ERROR?|FATAL?)\b)[^=:[\]{}"]*\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur|[Aa]nyone|[Tt]hanks)\b[^=[\]{}]*$|^[^=:[\]{}"]*\b(?:[Yy]our?|[Pp]lease)\b[^=[\]{}]*\?\s*$/;

/** How surely a line tells of a failure; 0: it does not. */
function failureOf(line: EvidenceLine): Severity {
  if (NO_FAILURE.test(line.text)) return 0;
  const own = severityOf(line);
  if (own !== 1) return own;
  if (WARNS.test(line.text) || RETRY.test(line.text) || isQuoted(line.text)) return 0;
  return ERROR.test(line.text) ? 2 : 1;
}

/** Whoever pastes a few lines shows what does not go on: what is warned of, waited for or tried again to the last is it. */
function lastingOf({ line, count }: LinesOfShape, behind: number): Severity {
  const isLate = behind < LASTING && !PASSES.test(line.text);
  const lasts = count >= LASTING || (isLate && (behind === 0 || !SAID_ASIDE.test(line.text)));
  return lasts && !NO_FAILURE.test(line.text) && !isQuoted(line.text) ? 1 : 0;
}
const LASTING = 3;
/**
 * Said once it may well be over the next time: what is waited for, what has tries left, advice of the API. A budget
 * does not give way to being asked again.
 */
const PASSES = /\bwaiting\b|\(\d+\/\d+\)|warnings\.go|will (?:re)?try(?!.*disruption budget)/i;
/** Only what is said last is meant as the end. */
const SAID_ASIDE = /\blevel=(?:debug|info)\b|^\W*(?:DEBUG|INFO)\b/;

/** What follows an error that ends a program is seldom longer: how it is to be called, what to do about it. */
const AT_LEAST = 25;
/** As many lines as people choose one by one. */
const FEW = 6;

type ShapeOf = (text: string) => LinesOfShape | undefined;
type IsHarmless = (line: EvidenceLine) => boolean;

/** One way to look at the end of a text: which lines tell of a failure, and what they say. */
interface Way {
  /** How surely lines tell of one that have so many others behind them; 0: they do not. */
  readonly failureOf: (shape: LinesOfShape, behind: number) => Severity;
  readonly read: (line: EvidenceLine) => Reading | undefined;
  /** How much a line tells; where it is not asked, all tell as much. */
  readonly weigh?: (line: EvidenceLine) => number;
  /** Only of a text of a few lines, of which none is there for nothing. */
  readonly isOfFew?: boolean;
}

/** The first that finds something speaks. */
const WAYS: readonly Way[] = [
  {
    failureOf: ({ line }) => failureOf(line),
    read: readLine,
  },
  { failureOf: lastingOf, read: readSurely },
  {
    failureOf: ({ line }) => (FAILS.test(line.text) ? failureOf(line) : 0),
    read: ({ text }) => ownWords(text),
    weigh: ({ text }) => tellsOf(text),
  },
  {
    isOfFew: true,
    failureOf: ({ line }) => (tellsOf(line.text) > 1 ? failureOf(line) : 0),
    read: ({ text }) => ownWords(text),
    weigh: ({ text }) => tellsOf(text),
  },
];

function readLine({ text, lead, origins }: EvidenceLine): Reading | undefined {
  return readPlainly(text, lead, origins);
}

/** What only tells that something fails is no cause where it was not even an error. */
function readSurely(line: EvidenceLine): Reading | undefined {
  const reading = readLine(line);
  return reading && !UNSURE.has(reading.id) ? reading : undefined;
}

/**
 * Of all errors the one that decides: programs end with it, and services say it to the last. So only the end of each
 * file is looked at, and nothing there behind which things went on. What is only warned of, or is tried again,
 * decides nothing, unless the error comes right behind it and says no more, or there is no other.
 */
export function likelyCause(
  ends: readonly (readonly string[])[],
  shapeOf: ShapeOf,
  isHarmless: IsHarmless,
): LikelyCause | undefined {
  for (const way of WAYS) {
    const claims = ends
      .filter(({ length }) => !way.isOfFew || length <= FEW)
      .flatMap((lines) => claimsAtEnd(lines, shapeOf, isHarmless, way));
    const [first] = claims.toSorted(
      (a, b) =>
        b.severity - a.severity || Number(isGeneral(a)) - Number(isGeneral(b)) || b.tells - a.tells,
    );
    if (first) return first.claim;
  }
  return undefined;
}

/** The last line of each file's end that calls itself an error; of several files the one of the last. */
export function lastError(
  ends: readonly (readonly string[])[],
  shapeOf: ShapeOf,
  isHarmless: IsHarmless,
): Evidence | undefined {
  const lines = ends.flat().flatMap((text) => shapeOf(text)?.line ?? []);
  const last = lines.findLast((line) => failureOf(line) === 2 && !isHarmless(line));
  return last && evidenceOf(last);
}

interface Claim {
  readonly severity: Severity;
  readonly tells: number;
  readonly claim: LikelyCause;
}

const idsOf = (isSo: (one: PlainReading) => boolean | undefined) =>
  new Set(PLAIN_READINGS.filter(isSo).map(({ id }) => id));
const GENERAL = idsOf((one) => one.isGeneral);
const UNSURE = idsOf((one) => one.isGeneral || one.isVague);
const isGeneral = ({ claim }: Claim): boolean => GENERAL.has(claim.id);

/** The last comes first. */
function claimsAtEnd(
  all: readonly string[],
  shapeOf: ShapeOf,
  isHarmless: IsHarmless,
  way: Way,
): readonly Claim[] {
  const claims: Claim[] = [];
  const lines = all.filter((text) => !PROSE.test(text));
  const end = lines.slice(-Math.max(AT_LEAST, Math.ceil(lines.length / 3))).toReversed();
  let next: LinesOfShape | undefined;
  let endedIll = false;
  for (const [behind, text] of end.entries()) {
    const shape = wholeShape(shapeOf(text), next);
    const severity = shape ? severityIn(shape, behind, next, isHarmless, way) : 0;
    const claim = shape && severity > 0 ? claimOf(shape, way) : undefined;
    if (claim && shape) claims.push({ severity, tells: way.weigh?.(shape.line) ?? 0, claim });
    else if (!endedIll && goesOn(text)) break;
    endedIll ||= ENDED_ILL.test(text);
    next = shape;
  }
  return claims;
}

/** What ends with a colon is said by the line behind it. */
function wholeShape(
  shape: LinesOfShape | undefined,
  next: LinesOfShape | undefined,
): LinesOfShape | undefined {
  if (!shape || !next || !/:\s*$/.test(shape.line.text)) return shape;
  const text = `${shape.line.text.trimEnd()} ${next.line.text.trim()}`;
  return { ...shape, line: { ...shape.line, text } };
}

/** What is harmless where things go on is not where the error right behind it says no more. */
function severityIn(
  shape: LinesOfShape,
  behind: number,
  next: LinesOfShape | undefined,
  isHarmless: IsHarmless,
  way: Way,
): Severity {
  const own = way.failureOf(shape, behind);
  return own > 0 && !isHarmless(shape.line) ? own : warnedOf(shape, next);
}

/** A program warns of what stopped it, and ends with an error that does not say it again. */
function warnedOf({ line }: LinesOfShape, next: LinesOfShape | undefined): Severity {
  const isLast = next !== undefined && failureOf(next.line) === 2 && !readLine(next.line);
  return isLast && NOT_AS_ERROR.test(line.text) && !RETRY.test(line.text) ? 1 : 0;
}

const NOT_AS_ERROR = /\bW\d{4} |\bWARN|\blevel=(?:info|debug)\b|^\W*(?:DEBU|INFO)/i;

function claimOf({ line, count }: LinesOfShape, way: Way): LikelyCause | undefined {
  const reading = way.read(line);
  return reading && { ...reading, count, evidence: [evidenceOf(line)] };
}

export const evidenceOf = (line: EvidenceLine): Evidence => ({
  file: line.file,
  line: line.line,
  ...(line.at ? { at: line.at.toISOString() } : {}),
  text: quoteLine(line.text).slice(0, 600),
});

import type { Evidence } from '../claim.ts';
import type { EvidenceLine } from '../evidence.ts';
import { quoteLine } from '../quote-line.ts';
import { RETRY } from '../retries.ts';
import type { Severity } from '../set-aside.ts';
import { alsoSaid, type ToldLine } from './also-said.ts';
import { conditionsFolded } from './conditions.ts';
import { chainsFolded, sentencesFolded } from './error-chain.ts';
import {
  ENDED_ILL,
  failureOf,
  isStarting,
  type LinesOfShape,
  NO_FAILURE,
  PROSE,
  saysItFailed,
} from './failure-of.ts';
import { OWN_WORDS } from './own-words.ts';
import type { Reading } from './plain-reading.ts';
import { FAILS } from './read-plainly.ts';
import { GENERAL, readLine, readSurely, WAYS, type Way } from './ways.ts';
import { createOutcome, goesOn, saysOfReadyPod, speakersOf } from './went-on.ts';

/** What the decisive error says by itself, where the catalogue has no cause. */
export interface LikelyCause extends Reading {
  /** Lines that say so. */
  readonly count: number;
  readonly evidence: readonly Evidence[];
  /** Whoever said it calls it no error: it may as well be harmless. */
  readonly isWarned?: true;
}

/** What follows an error that ends a program is seldom longer: how it is to be called, what to do about it. */
const AT_LEAST = 40;
/** As many lines as people choose one by one. */
const FEW = 6;

type ShapeOf = (text: string) => LinesOfShape | undefined;
type IsHarmless = (line: EvidenceLine) => boolean;

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
  let general: Claim | undefined;
  const isInVain = ends.some((lines) => lines.slice(-SOON).some((one) => WAITED_IN_VAIN.test(one)));
  for (const way of WAYS) {
    if (way.isBehindGeneral && !general && !isInVain) continue;
    const claims = ends
      .filter((lines) => !way.isOfFew || lines.filter((one) => one.trim() !== '').length <= FEW)
      .flatMap((lines) => claimsAtEnd(lines, shapeOf, isHarmless, way));
    const [first] = claims.toSorted(
      (a, b) =>
        Number(isGeneral(a)) - Number(isGeneral(b)) || b.severity - a.severity || b.tells - a.tells,
    );
    if (!first || isGeneral(first)) general ??= first;
    else return likelyOf(general && !saysMore(first, general) ? general : first);
  }
  return general && likelyOf(general);
}

/** What hardly says why speaks only where no other error does. */
const saysMore = (one: Claim, general: Claim): boolean =>
  one.tells > 1 &&
  (one.evidence.file !== general.evidence.file || one.evidence.line !== general.evidence.line);

const likelyOf = ({ claim, evidence }: Claim): LikelyCause => ({ ...claim, evidence: [evidence] });

/** The lines that state the most of what is wrong, besides those that are chosen. */
export function statedLines(
  ends: readonly (readonly string[])[],
  shapeOf: ShapeOf,
  isKnown: (line: EvidenceLine) => boolean,
  chosen: readonly Evidence[],
): readonly EvidenceLine[] {
  const lines = ends.flatMap(endOf).flatMap((text): readonly ToldLine[] => {
    const line = shapeOf(text)?.line;
    if (!line || NO_FAILURE.test(line.text)) return [];
    return [{ line, severity: failureOf(line), isRead: readSurely(line) !== undefined }];
  });
  return alsoSaid(lines, chosen, isKnown);
}

/** What is looked at of a text, without what people write around it. */
function endOf(all: readonly string[]): readonly string[] {
  const lines = all.filter((text) => !PROSE.test(text));
  return lines.slice(-Math.max(AT_LEAST, Math.ceil(lines.length / 3)));
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
  readonly claim: Omit<LikelyCause, 'evidence'>;
  readonly evidence: Evidence;
}

const isGeneral = ({ claim, evidence }: Claim): boolean =>
  GENERAL.has(claim.id) || WAITED_IN_VAIN.test(evidence.text);

/** Who waited for others says how it asked them, not why they did not come. */
const WAITED_IN_VAIN =
  /Bootstrap failed to complete|[Ff]ailed (?:to wait|waiting) for|Cluster initialization failed|(?:was|were) not ready within|failed to initialize the cluster|failed to provision [\w-]+ machines(?: within \w+)?\W*$|machines are not ready|did not reach provision|failed to progress after|\[FAILED\] Failed to start|Check validations|requires user action|failed to (?:get base ISO image|complete the change)\W*$|[Ee]rror syncing pod|Ignition failed: (?:config is not valid|resource not found)\W*$/;

/** The last comes first. */
function claimsAtEnd(
  all: readonly string[],
  shapeOf: ShapeOf,
  isHarmless: IsHarmless,
  way: Way,
): readonly Claim[] {
  const claims: Claim[] = [];
  const folded = conditionsFolded(sentencesFolded(chainsFolded(endOf(all))));
  const speakers = speakersOf(folded.map(({ text }) => text)).toReversed();
  const outcome = createOutcome();
  const isOver = saysOfReadyPod(all);
  const seen: Behind = { lines: 0, next: undefined, failedAt: Number.NEGATIVE_INFINITY };
  let endedIll = false;
  for (const [at, { text, whole }] of folded.toReversed().entries()) {
    const speaker = speakers[at];
    if (!speaker || outcome.isGood(speaker) || isOver(text)) continue;
    const shape = wholeShape(withText(shapeOf(text), text, whole), seen.next);
    const claim = shape && claimIn(shape, seen, isHarmless, way);
    if (claim) claims.push(claim);
    else if (!endedIll && wentOn(text, seen)) outcome.note(speaker);
    endedIll ||= ENDED_ILL.test(text) || WAITED_IN_VAIN.test(text);
    if (shape && saysItFailed(shape.line) && !isHarmless(shape.line)) seen.failedAt = seen.lines;
    seen.next = shape;
    seen.lines += Number(!SAYS_NOTHING.test(text));
  }
  return claims;
}

/** What stands behind the line that is looked at. */
interface Behind {
  lines: number;
  next: LinesOfShape | undefined;
  /** How many lines there were behind the one that said last that something failed. */
  failedAt: number;
}

const wentOn = (text: string, { lines }: Behind): boolean =>
  goesOn(text) && !(lines === 0 && IGNORED.test(text));
/** How Ansible says that it goes on: who pastes nothing behind it shows what failed. */
const IGNORED = /^\s*\.\.\.ignoring$/;
const SOON = 5;
/** The installer hands on empty lines of its parts, too. */
const SAYS_NOTHING = /^\s*(?:DEBUG|INFO|ERROR)\s*$/;

/** The head of a chain of errors speaks for all of it. */
const withText = (
  shape: LinesOfShape | undefined,
  text: string,
  whole: string,
): LinesOfShape | undefined =>
  shape && whole !== text ? { ...shape, line: { ...shape.line, text: whole } } : shape;

/** What ends with a colon is said by the line behind it. */
function wholeShape(
  shape: LinesOfShape | undefined,
  next: LinesOfShape | undefined,
): LinesOfShape | undefined {
  if (!shape || !next || !/:\s*$/.test(shape.line.text)) return shape;
  const text = `${shape.line.text.trimEnd()} ${next.line.text.trim()}`;
  return { ...shape, line: { ...shape.line, text } };
}

/** What is harmless where things go on is not where the error right behind it says no more, unless it is noise wherever it is said. */
function severityIn(
  shape: LinesOfShape,
  { lines, next, failedAt }: Behind,
  isHarmless: IsHarmless,
  way: Way,
): Severity {
  if (isStarting(shape) || (way.isBeforeFailure && lines - failedAt > SOON)) return 0;
  const own = way.failureOf(shape, lines);
  const isNoise = isHarmless(shape.line);
  if (own > 0 && !isNoise) return own;
  return isNoise && !ELSEWHERE.test(shape.line.text) ? 0 : warnedOf(shape, next);
}
/** Harmless only while there is another: the last of them is what stopped it. */
const ELSEWHERE = /\btrying next\b/i;

/** A program warns of what stopped it, and ends with an error that does not say it again. */
function warnedOf({ line }: LinesOfShape, next: LinesOfShape | undefined): Severity {
  const isLast = next !== undefined && failureOf(next.line) === 2 && !readLine(next.line);
  const isWarned = WARNED.test(line.text) || (ASIDE.test(line.text) && saysIll(line));
  const isPassing = RETRY.test(line.text) || NO_FAILURE.test(line.text);
  return isLast && isWarned && !isPassing ? 1 : 0;
}

const WARNED = /\bW\d{4} |\bWARN/i;
/** Said in passing it may be a step like any other. */
const saysIll = (line: EvidenceLine): boolean =>
  !DONE.test(line.text) && (FAILS.test(line.text) || readSurely(line) !== undefined);
const DONE = /\balready\b/i;
const ASIDE = /\blevel=(?:info|debug)\b|^\W*(?:DEBU|INFO)/i;

function claimIn(
  shape: LinesOfShape,
  behind: Behind,
  isHarmless: IsHarmless,
  way: Way,
): Claim | undefined {
  const { line, count } = shape;
  const severity = severityIn(shape, behind, isHarmless, way);
  const reading = severity > 0 ? way.read(line) : undefined;
  if (!reading) return undefined;
  const tells = way.weigh?.(line) ?? 0;
  const isWarned = reading.id === OWN_WORDS && ONLY_WARNS.test(line.text);
  const claim = isWarned ? { ...asWarned(reading), count } : { ...reading, count };
  return { severity, tells, claim, evidence: evidenceOf(line) };
}

/** By its level, which events of a cluster do not have: theirs of what failed are called warnings, too. */
const ONLY_WARNS =
  /\bW\d{4} \d\d:|\blevel"?[=:] ?"?warn|(?:^|[\s[])WARN(?:ING)?(?![\w-])|^\W*warning: /;

/** What nobody knows and nobody calls an error is only told. */
const asWarned = (reading: Reading): Reading & { readonly isWarned: true } => ({
  ...reading,
  remedy:
    'A warning alone stops nothing. Where something does not work, look for the error behind it; where all works, it may be left alone',
  isWarned: true,
});

export const evidenceOf = (line: EvidenceLine): Evidence => ({
  file: line.file,
  line: line.line,
  ...(line.at ? { at: line.at.toISOString() } : {}),
  text: quoteLine(line.text).slice(0, 600),
});

import type { Evidence } from '../claim.ts';
import type { EvidenceLine } from '../evidence.ts';
import { isQuoted, seenText } from '../match-line.ts';
import { quoteLine } from '../quote-line.ts';
import { RETRY } from '../retries.ts';
import { type Severity, severityOf } from '../set-aside.ts';
import { ANSWER_READINGS } from './answer-readings.ts';
import { HOST_READINGS } from './host-readings.ts';
import { INPUT_READINGS } from './input-readings.ts';
import { NETWORK_READINGS } from './network-readings.ts';
import { otherEndOf } from './other-end.ts';
import type { PlainReading } from './plain-reading.ts';

/** What the decisive error says by itself, where the catalogue has no cause. */
export interface LikelyCause {
  readonly id: string;
  readonly cause: string;
  readonly remedy: string;
  /** Lines that say so. */
  readonly count: number;
  readonly evidence: readonly Evidence[];
}

export const PLAIN_READINGS: readonly PlainReading[] = [
  ...NETWORK_READINGS,
  ...ANSWER_READINGS,
  ...HOST_READINGS,
  ...INPUT_READINGS,
];

/** Programs put the cause behind what it led to: of a long line its end is read. */
const READ_TEXT = 2000;

/** What one line says by itself. */
export function readPlainly(
  text: string,
): Pick<LikelyCause, 'id' | 'cause' | 'remedy'> | undefined {
  const seen = seenText(text).slice(-READ_TEXT);
  const fails = FAILS.test(seen);
  for (const { id, pattern, cause, remedy, isVague } of PLAIN_READINGS) {
    const match = isVague && !fails ? undefined : pattern.exec(seen);
    if (!match) continue;
    const upTo = seen.slice(0, match.index + match[0].length);
    const end = otherEndOf(upTo) ?? otherEndOf(seen);
    return { id, cause: quoteLine(cause({ groups: match.groups ?? {}, end })), remedy };
  }
  return undefined;
}

/** Lines of one shape: the first of them, and how many there were. */
export interface LinesOfShape {
  readonly line: EvidenceLine;
  readonly count: number;
}

/** klog, and programs that begin with the word. */
const ERROR = /(?:^|[\s\]:}])[EF]\d{4} \d\d:\d\d|^\W*(?:[\w.-]+:? ){0,3}(?:error|fatal|failed)\b/i;
const MILD =
  /(?:^|[\s\]:}])[IW]\d{4} \d\d:\d\d|\b(?:INFO|DEBUG|WARN(?:ING)?|NOTICE)\b|will (?:re)?try|reflector\.go|system:anonymous/;
const FAILS = /\b(?:errors?|fatal|fail(?:ed|ure|ing)\w*|unable|cannot|can't|could not|couldn't)\b/i;
/** What programs say when things go on. */
const GOES_ON =
  /(?<!\b(?:not|never|isn't|wasn't) )(?<!un)\b(?:succe(?:ss|eded)\w*|completed?|done|ready|started|finished|accepted|joined|pulled|passed|fetched|created|enabled|is UP|running|healthy|200|ok)\b/i;

/** How surely a line tells of a failure; 0: it does not. */
function failureOf(line: EvidenceLine): Severity {
  const own = severityOf(line);
  if (own !== 1) return own;
  if (MILD.test(line.text) || RETRY.test(line.text) || isQuoted(line.text)) return 0;
  return ERROR.test(line.text) ? 2 : 1;
}

const AT_LEAST = 8;

/**
 * Of all errors the one that decides: programs end with it, and services say it to the last. So only the end of each
 * file is looked at, and nothing there behind which things went on. What is only warned of, or is tried again,
 * decides nothing.
 */
export function likelyCause(
  ends: readonly (readonly string[])[],
  shapeOf: (text: string) => LinesOfShape | undefined,
  isHarmless: (line: EvidenceLine) => boolean,
): LikelyCause | undefined {
  const claims = ends.flatMap((lines) => claimsAtEnd(lines, shapeOf, isHarmless));
  return claims.toSorted((a, b) => b.severity - a.severity)[0]?.claim;
}

/** The last comes first. */
function claimsAtEnd(
  lines: readonly string[],
  shapeOf: (text: string) => LinesOfShape | undefined,
  isHarmless: (line: EvidenceLine) => boolean,
) {
  const claims: { readonly severity: Severity; readonly claim: LikelyCause }[] = [];
  const looked = lines.slice(-Math.max(AT_LEAST, Math.ceil(lines.length / 3))).toReversed();
  for (const text of looked) {
    const shape = shapeOf(text);
    const severity = shape ? failureOf(shape.line) : 0;
    const reading = shape && severity > 0 ? readPlainly(shape.line.text) : undefined;
    if (shape && reading && !isHarmless(shape.line))
      claims.push({
        severity,
        claim: { ...reading, count: shape.count, evidence: [evidenceOf(shape.line)] },
      });
    else if (GOES_ON.test(text) && !FAILS.test(text)) break;
  }
  return claims;
}

export const evidenceOf = (line: EvidenceLine): Evidence => ({
  file: line.file,
  line: line.line,
  ...(line.at ? { at: line.at.toISOString() } : {}),
  text: quoteLine(line.text).slice(0, 600),
});

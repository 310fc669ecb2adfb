import { seenText } from '../match-line.ts';
import { quoteLine, unlessSecret } from '../quote-line.ts';
import { isNoMessage } from './no-message.ts';
import { atAGlance, type Reading } from './plain-reading.ts';

/** What all programs say of a thing that is not as it must be. */
const STATES = new RegExp(
  String.raw`(?<![\w./-])(?:${[
    "not|no(?! further)|never|neither|without|missing|lacks?|cannot|[a-z]+n['’]t",
    'invalid|illegal|malformed|bad|wrong|incorrect|corrupt(?:ed)?|truncated|broken|stale|expired',
    'un(?:bound|trusted|supported|known|recogni[sz]ed|expected|defined|resolvable|readable|healthy|available|reachable|authorized|able to)',
    '0 [a-z ]{3,30} match|incompatible|insufficient|required|requires?|must|mandatory|should|expect(?:s|ed|ing)|only',
    'already|duplicate|ambiguous|conflict(?:s|ing)?|mismatch|differs?|different|overlaps?',
    'exceed(?:s|ed)?|maximum|quota|has been reached|too \\w+|(?:less|greater|more) than|out of',
    'den(?:ied|ies)|disallow(?:ed|s)|reserved|immutable|refus(?:ed|es)|reject(?:ed|s)|forbidden|prohibited|violat(?:es|ed|ion)',
    'please (?:specify|provide|set)|[A-Z]+_(?:[A-Z]+_)*(?:NOT_FOUND|DENIED|INVALID|MISSING|EXPIRED|EXISTS|IN_USE|UNAVAILABLE)',
    'disabled|dropped|blocked|locked|busy|in use|full|empty|exists|is a directory|detected|contains',
  ].join('|')})(?![\w/-])`,
  'i',
);

/** Tells that something failed, and not why, or where that is told. */
const TELLS_NOTHING =
  /\bexit(?:ed)?(?: with)?:? (?:status|code|value)|\bnon-?zero\b|\breturned (?:a )?(?:non|error)|timed out waiting for the condition|context (?:deadline exceeded|canceled)$|Failed with result|Could not run transaction|completed with error\W*$|not loaded due to errors|config is not valid\W*$|[Mm]ain process exited|errors? occurred(?!: \S)|giving up|retries exceeded(?! with url)|MODULE FAILURE|No more hosts|\bsee (?:the )?(?:logs?|above|below|["']?(?:systemctl|journalctl|stdout))|for (?:more )?details|Traceback|goroutine \d|panic:|recipe for target|make(?:\[\d+\])?: \*\*\*|Dependency failed|repeated too quickly|failed=\d|could not wait for|All items completed|^Back-off (?:pulling|restarting)|node \\?"[^"]+" not found|\bretrying(?:\.{3}|…)?$|\bComm: \S+ (?:Not t|T)ainted|:\s*$/i;

/** How a program of Python or Java ends. */
const EXCEPTION = /^[\w.]*(?:Error|Exception): \S/;

/** Of a table, whose "no" and "none" are values. */
const isRow = (said: string): boolean =>
  !/[:"]/.test(said) && said.split(/ {2,}/, MIN_COLUMNS).length === MIN_COLUMNS;
const MIN_COLUMNS = 3;

/** What names failures without one having happened: a field with its value, the legend of a table, what is waited for, a command. */
const ORDINARY =
  /^[\w .()/-]+:\s*(?:no|none|false|nil|null|<\w+>|[\d.]+\w?)\W*$|(?:(?:^|, )\S [\w-]+){3}|^\W*Waiting (?!.*: )|^[a-z][\w-]*(?: [a-z][\w-]*){0,3}(?: --[a-z][\w-]*(?:[ =](?!--)\S+)?){2,}$/i;

const isOrdinary = (said: string): boolean =>
  ORDINARY.test(said) || isNoMessage(said) || isRow(said);

/** What gRPC says before each error, which calls most of them unknown. */
const OF_GRPC = /rpc error: code = \w+ desc = ?/g;

/** Behind what was stated it takes nothing from it. */
const HOW_IT_ENDED =
  /(?:: (?:context (?:deadline exceeded|canceled)|timed out waiting for the condition))+\W*$/;

/** A name, a path, a field or a number: what it is about. */
const NAMES =
  /["'`][^"'`]+["'`]|\/[\w.-]+|\b[\w-]+\.[\w.-]+|\b[A-Z]+[a-z]+[A-Z]\w+|\b[a-z]+(?:-[a-z]+){2,}\b|\d/;

/** Who says it, when, and how bad it is: what stands before the error itself. */
const BEFORE_IT: readonly RegExp[] = [
  /^.*\bevents?\.go:\d+\] Event\(.*?\): type: 'Warning' reason: '\w+' /,
  // Rows of events, as "oc describe" and "oc get events" print them.
  /^\s*(?:\S+ +)?Warning +[A-Z]\w+ +(?:(?:\d\S*|<\w+>)(?: \([^)]*\))? +)?(?:(?:pod|node|job|[a-z]+)\/\S+ +|[a-z][\w.-]*(?:, [\w.-]+)? {2,})?/,
  /^.*?\b[EFW]\d{4} \d\d:\d\d:\d\d(?:\.\d+)?\s+\d+ \S+\.go:\d+\] /,
  /^\W*\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s+/,
  // The journal, as it is pasted with the numbers of its lines.
  /^\W*\d+\s+[A-Z][a-z]{2} +\d+ [\d:]+ \S+ [\w.@-]+\[\d+\]: /,
  // Harbor's own parts say where in their source they are.
  /^.*?\[(?:ERROR|FATAL)\] \[\/[\w./-]+\.go:\d+\](?:\[[^\]]*\])*: /,
  /^.*?\[(?:error|crit|alert|emerg)\] \d+#\d+: (?:\*\d+ )?/,
  /^\W*(?:ERRO|FATA|WARN)\[[^\]]*\]\s*/,
  /^\W*(?:ERROR|FATAL)(?: [\w-]+\](?=:))?\]?[:!]?\s+/,
  /^\W*(?:(?:error|fatal|fatal error)\b[:\]]\s*)+/i,
];

/** Where logs of fields, JSON and tasks keep what went wrong. */
const FIELDS =
  /(?:^|[\s{,."])(?:err(?:or)?(?:[._]?[Mm]essage|\.\w+)?|status[_]?[Mm]essage|msg|[Mm]essage|reason|std(?:err|out)|details?|failures)"?(?:=|: ?)\[?"(?!")(.+?)(?:"(?=,? ?"|\s*[}\]]|\s[\w.]+=|$)|$)/g;
/** Not a value, but the first words of a sentence in quotes. */
const QUOTES_A_WORD = /^[^"\\]{0,30}" \w[^"=]*$/;
/** Of structured klog what was said, without the names of what it was about. */
const KLOG_MESSAGE = /\.go:\d+\] "((?:[^"\\]|\\.){20,})"(?= [\w.]+=|$)/g;
const BARE_MESSAGE = /^(?:time="?\S+"? )?level=\w+ msg=(?!")(.+)$/;

/** What programs advise, having said what is wrong. */
const ADVICE =
  /(?<=\w[.;]) (?:If |Please |See |Refer |To |Try |You (?:can|may|should) |In the case )(?!.*\berror: ).*$/;

/** By what AWS finds a request again. */
const OF_REQUEST = /[\s,]*\bstatus code: \d+, request id:.*$/;

const SHORTEST = 12;
const LONGEST = 480;
const HEAD = 160;

/** How much a text says of what is wrong: 0 nothing, 2 with the name of what it is about. */
function weightOf(said: string): number {
  const stated = said.replace(OF_GRPC, '').replace(HOW_IT_ENDED, '');
  if (stated.length < SHORTEST || TELLS_NOTHING.test(stated) || isOrdinary(stated)) return 0;
  if (!STATES.test(stated) && !EXCEPTION.test(stated)) return 0;
  return NAMES.test(stated) ? 2 : 1;
}

interface OwnWords {
  readonly said: string;
  readonly weight: number;
}

/** What was printed as one line, with the breaks that it had: where it is long each of them is an error of its own. */
function piecesOf(part: string): readonly string[] {
  const plain = part.replace(/\\+(["'])/g, '$1');
  const whole = plain.replace(/(?:\\+[nrt])+/g, ' ');
  return whole.length > LONGEST ? plain.split(/(?:\\+[nrt])+/) : [whole];
}

/** Of the line and its fields what tells the most. */
function tellingPart(text: string): OwnWords {
  const seen = seenText(text).trim();
  const fields = [
    ...seen.matchAll(FIELDS),
    ...seen.matchAll(new RegExp(BARE_MESSAGE, 'g')),
    ...seen.matchAll(KLOG_MESSAGE),
  ]
    .map(([, field = '']) => unlessSecret(field, seen) ?? '')
    .filter((field) => !QUOTES_A_WORD.test(field));
  const whole = BEFORE_IT.reduce((rest, before) => rest.replace(before, ''), seen);
  const parts = (fields.length > 0 ? fields : [whole]).flatMap(piecesOf).map((part) => {
    const said = part.replace(ADVICE, '').replace(OF_REQUEST, '').trim();
    return { said, weight: weightOf(said) };
  });
  return parts.reduce((best, part) => (part.weight > best.weight ? part : best));
}

/** What a line says without who said it, when, and how bad it is. */
export const saidIn = (text: string): string => shown(tellingPart(text).said);

/** Cut only when it is clean: the first half of a secret's name no longer tells that what follows is one. */
const shown = (said: string): string =>
  atAGlance(quoteLine(said.replace(SIGNED, '?…')), HEAD, LONGEST);
/** What signs an address fills the line, and why it was asked in vain stands behind it. */
const SIGNED = /\?(?=[^\s"'<>]*(?:signature|_sign|sig)=)[^\s"'<>]{40,}/gi;

/** How much the error a line tells of says by itself; 0: not what is wrong. */
export const tellsOf = (text: string): number => tellingPart(text).weight;

/** The error in its own words, where they state what is wrong. */
export function ownWords(text: string): Reading | undefined {
  const { said, weight } = tellingPart(text);
  return weight === 0 ? undefined : quoted(said);
}

/** The error in its own words, whatever they are, if it is named what failed. */
export function bareWords(text: string): Reading | undefined {
  const { said } = tellingPart(text);
  const isBare =
    said.length < SHORTEST ||
    TELLS_NOTHING.test(said) ||
    isOrdinary(said) ||
    /\bfailed\W*$/i.test(said);
  return isBare ? undefined : quoted(said);
}

/** The id of what no reading knows. */
export const OWN_WORDS = 'says-itself';

function quoted(said: string): Reading {
  return {
    id: OWN_WORDS,
    cause: shown(said),
    remedy:
      'No rule knows this error, which is the one that says the most: look at what it names, and at what was done right before it',
  };
}

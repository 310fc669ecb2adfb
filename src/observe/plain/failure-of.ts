import type { EvidenceLine } from '../evidence.ts';
import { isQuoted } from '../match-line.ts';
import { RETRY, WENT_ILL } from '../retries.ts';
import { type Severity, severityOf } from '../set-aside.ts';
import { FAILS } from './read-plainly.ts';

/** Lines of one shape: the first of them, and how many there were. */
export interface LinesOfShape {
  readonly line: EvidenceLine;
  readonly count: number;
}

/** klog, and programs that begin with the word. */
const ERROR =
  /^E: |^[\w.-]+\[[EF]\]: |^\W{0,3}\[?(?:ALERT|CRIT|EMERG)\b|(?:^|[\s\]:}])[EF]\d{4} \d\d:\d\d|^\W*(?:\d\d:\d\d:\d\d\S*\s+)?(?:[\w.-]+:? +){0,3}(?:error|fatal|failed)\b/i;
const WARNS =
  /^[\w.-]+\[[DIW]\]: |(?:^|[\s\]:}])[IW]\d{4} \d\d:\d\d|\b(?:INFO|DEBUG?|WARN(?:ING)?|NOTICE)\b|<(?:info|debug|warn)>|will (?:re)?try|reflector\.go|system:anonymous/;
/**
 * That logs could not be fetched, too, follows from what went wrong before; who asks a server for what it does not have
 * yet goes on; clients may hang up; a balancer that has other servers serves on; who ignores it, or says that it can be
 * ignored, goes on; and events that are normal are none.
 */
export const NO_FAILURE =
  /\b(?:config|reply|cached|\/etc\/hosts) \S+ is NXDOMAIN\b|^\s*\[\d+\/\d+\] .{3,80} must be |%!s?\((?:EXTRA )?<nil>\)|Failed to find module '|logging before flag\.Parse: [IW]\d{4} |^\s*Loaded: loaded \(|autoexec\.ipxe\.\.\. |Attempted to gather |control plane host address(?:es from state| must be provided)|unable to get REST mapping for |failed to create some manifests|gather(?:ing)? (?:debug )?(?:bootstrap )?logs|Cannot (?:display|refresh) available updates|Failed to read tfstate|leaderelection\.go:(?!.* is forbidden: )|\bpermissive=1\b|^\s*(?:\S+ +)?Normal +(?!\w*(?:Error|Failed)\b)[A-Z]\w+ |\| Normal \||^(?!.*\[(?:error|crit|alert|emerg)\] \d+#\d+: ).*"(?:GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT) \S+ HTTP\/\d|TLS handshake error from(?!.*first record does not look)|Server \S+ is DOWN\b.*\b[1-9]\d* active and|^(?!.*(?:absolute|executable|parse|unsupported|invalid|unknown)).*, ignoring(?:[:.]|$)|^\W*Ignoring |\b(?:can|may|should) be (?:safely )?ignored\b|\bsafe(?:ly)? (?:to )?ignore\b|\b(?:this|which) is (?:expected|normal|harmless)\b|^<? ?HTTP\/[\d.]+ 401/i;
/** Whoever records an event logs it as information, whatever it tells. */
const LOGGED_EVENT = /\bevents?\.go:\d+\] "?Event\b.*\btype[:=] ?['"]Warning['"]/;
export const ENDED_ILL = new RegExp(WENT_ILL, 'i');
/** What people write around what they paste, and how a ticket marks it. */
export const PROSE =
  /^\s*(?:(?:```|~~~)\s*\w*\s*$|#{2,4} (?!.*#$)|\*\*[\w ?']+\*\*:?\s*$)|^(?!\s*(?:ERROR?|FATAL?)\b)[^=:[\]{}"]*\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur|[Aa]nyone|[Tt]hanks)\b(?!-)[^=[\]{}]*$|^[^=:[\]{}"]*\b(?:[Yy]our?|[Pp]lease)\b[^=[\]{}]*\?\s*$/;

/** How surely a line tells of a failure; 0: it does not. */
export function failureOf(line: EvidenceLine): Severity {
  if (NO_FAILURE.test(line.text)) return 0;
  if (LOGGED_EVENT.test(line.text)) return 2;
  const own = severityOf(line);
  if (own !== 1) return own;
  if (WARNS.test(line.text) || RETRY.test(line.text) || isQuoted(line.text)) return 0;
  return ERROR.test(line.text) ? 2 : 1;
}

/** Whoever pastes a few lines shows what does not go on: what is warned of, waited for or tried again to the last is it. */
export function lastingOf({ line, count }: LinesOfShape, behind: number): Severity {
  const isLate = behind < LASTING && !PASSES.test(line.text);
  const lasts = count >= LASTING || (isLate && (behind === 0 || !SAID_ASIDE.test(line.text)));
  return lasts && !NO_FAILURE.test(line.text) && !isQuoted(line.text) ? 1 : 0;
}
const LASTING = 3;
/**
 * Said once it may well be over the next time: what is waited for, what has tries left, advice of the API, a pull that
 * may fail without its secret. A budget does not give way to being asked again.
 */
const PASSES =
  /\bwaiting\b|image pull may not succeed|\(\d+\/\d+\)|warnings\.go|reflector\.go:\d+\].*could not find the requested resource|will (?:re)?try(?!.*disruption budget)/i;
/** Only what is said last is meant as the end; a command warns before it does what it was told. */
export const SAID_ASIDE = /\blevel=(?:debug|info)\b|^\W*(?:DEBUG?|INFO)\b|^WARN\[\d{4}\]/;

/** Services of one host start together, and their database is slower: only who is refused again and again has none. */
export const isStarting = ({ line, count }: LinesOfShape): boolean =>
  count < LASTING && WAITS_FOR_DATABASE.test(line.text);
const WAITS_FOR_DATABASE =
  /\b(?:connect to|ping) (?:the )?(?:db|database|postgres\w*|mysql|redis|tcp:\/\/)\S*,? .{0,20}retry(?:ing)? (?:after|in) \d.{0,200}connection refused/i;

/** What the kernel notes besides, of devices and firmware, stops nothing where it calls it neither a failure nor one of these. */
const STOPS =
  /panic|\bBUG\b|\boops\b|call trace|killed|memory|I\/O|corrupt|hung|blocked|lockup|stall|time(?:d )?out|hardware|link|carrier|mount|\broot\b|space|full|dropp|reset|reject|denied|lockdown|symbol|read-only|abort|offline|duplicate|segfault|protection|not responding|(?:un|not )support/i;
export const isKernelNote = ({ text, origins }: EvidenceLine): boolean =>
  (/^(?:kernel: |\[ *\d+\.\d{6}\] )/.test(text) ||
    origins.some((origin) => origin.endsWith('/kernel'))) &&
  !FAILS.test(text) &&
  !STOPS.test(text);

/** Whether a line says in any words that something failed. */
export const saysItFailed = (line: EvidenceLine): boolean =>
  (FAILS.test(line.text) || ENDED_ILL.test(line.text)) && failureOf(line) > 0;

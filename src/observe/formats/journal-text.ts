import { UNIT_OF_PROGRAM } from '../../openshift/bootstrap/steps.ts';
import { dateOf, newestBefore } from './dates.ts';
import type { LogLine } from './log-line.ts';
import { MONTH, monthOf } from './months.ts';
import { offsetOf } from './zones.ts';

/**
 * The text forms of `journalctl` that occur in log bundles and in what people save by hand:
 *
 *   short        Aug 20 10:11:12 host bootkube.sh[2100]: message      no year, UTC on RHCOS
 *   short-iso    2026-08-20T10:11:12+0000 host bootkube.sh[2100]: message
 *   with-unit    Wed 2026-08-20 10:11:12 UTC host bootkube.service[2100]: message      also short-full
 *   short-unix   1787220672.123456 host bootkube.sh[2100]: message
 *   monotonic    [   19.234567] host bootkube.sh[2100]: message
 *   delta        [   19.234567 <    0.000123 >] host bootkube.sh[2100]: message
 *   no time      bootkube.sh[2100]: message      also behind the name of its host
 */
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const PROGRAM = String.raw`([^\s[:(]+(?:\([^)\s]*\))?)(?:\[\d+\])?: ?`;
const SHORT = new RegExp(
  String.raw`^ ?(${MONTH}) *(\d{1,2})[日일]? (\d\d):(\d\d):(\d\d)(?:\.\d+)? (\S+) ${PROGRAM}`,
  'u',
);
/** As German and others put it: the day first. */
const DAY_FIRST = new RegExp(
  String.raw`^(\d{1,2})\.? (${MONTH}) (\d\d):(\d\d):(\d\d)(?:\.\d+)? (\S+) ${PROGRAM}`,
  'u',
);
const ISO = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?)(Z|[+-]\d\d:?\d\d)? (\S+) ${PROGRAM}`,
);
const WITH_UNIT = new RegExp(
  String.raw`^\p{L}{2,4}\.? (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ([A-Z]{2,5}|[+-][\d:]+) (\S+) ${PROGRAM}`,
  'u',
);
const UNIX = new RegExp(String.raw`^(\d{10})\.\d{3,6} (\S+) ${PROGRAM}`);
/** The kernel alone has no number. */
const MONOTONIC =
  /^\[ *\d+\.\d+(?: *<[ \d.*]*>)?\] (\S+) (kernel(?=:)|[^\s[:]+(?=\[))(?:\[\d+\])?: ?/;
/** `hosts[1]: Invalid value` is a field of a list, and no program with its number. */
const NO_FIELD = String.raw`(?! ?(?:(?:Invalid|Required|Unsupported|Duplicate) value|Forbidden: |Too (?:long|many): ))`;
const NO_TIME = new RegExp(String.raw`^([a-z][\w@.-]*)\[\d+\]: ?${NO_FIELD}`);
/** Words before a place in a list look like a host before a program: numbers of programs are higher. */
const NO_TIME_HOST = new RegExp(
  String.raw`^([a-z0-9][\w.-]*) (systemd(?=\[1\])|[a-z(][\w@.()-]*(?=\[\d{3,}\]))\[\d+\]: ?${NO_FIELD}`,
);

export function decodeJournalText(raw: string, reference: Date): LogLine {
  return (
    withUnit(raw) ??
    shortLine(raw, reference) ??
    isoLine(raw) ??
    unixLine(raw) ??
    lineWithoutTime(raw) ?? { message: raw }
  );
}

const FORMS = [SHORT, ISO, WITH_UNIT, DAY_FIRST, UNIX, MONOTONIC, NO_TIME, NO_TIME_HOST];

/** Whether a line looks like the output of `journalctl`. */
export function isJournalText(line: string): boolean {
  return FORMS.some((form) => form.test(line));
}

function withUnit(raw: string): LogLine | undefined {
  const match = WITH_UNIT.exec(raw);
  if (!match) return undefined;
  const [head, day, time, zone = '', host, unit = ''] = match;
  return {
    message: raw.slice(head.length),
    at: dateOf(`${day}T${time}${offsetOf(zone)}`),
    host,
    unit: unitOf(unit),
  };
}

function isoLine(raw: string): LogLine | undefined {
  const match = ISO.exec(raw);
  if (!match) return undefined;
  const [head, time, zone = 'Z', host, program = ''] = match;
  const at = dateOf(`${time?.replace(',', '.')}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
  return { message: raw.slice(head.length), at, host, unit: unitOf(program) };
}

function shortLine(raw: string, reference: Date): LogLine | undefined {
  const match = SHORT.exec(raw) ?? DAY_FIRST.exec(raw);
  if (!match) return undefined;
  const [head, first = '', second = '', hours, minutes, seconds, host, program = ''] = match;
  const isDay = /^\d+$/.test(first);
  const [month, day] = isDay ? [monthOf(second), first] : [monthOf(first), second];
  const at = newestBefore(reference, (year) =>
    Date.UTC(year, month, Number(day), Number(hours), Number(minutes), Number(seconds)),
  );
  return { message: raw.slice(head.length), at, host, unit: unitOf(program) };
}

function unixLine(raw: string): LogLine | undefined {
  const match = UNIX.exec(raw);
  if (!match) return undefined;
  const [head, seconds, host, program = ''] = match;
  const at = new Date(Number(seconds) * 1000);
  return { message: raw.slice(head.length), at, host, unit: unitOf(program) };
}

function lineWithoutTime(raw: string): LogLine | undefined {
  const [head, host, program] = MONOTONIC.exec(raw) ?? NO_TIME_HOST.exec(raw) ?? [];
  if (head !== undefined && program !== undefined) {
    return { message: raw.slice(head.length), host, unit: unitOf(program) };
  }
  const [start, name] = NO_TIME.exec(raw) ?? [];
  return start === undefined || name === undefined
    ? undefined
    : { message: raw.slice(start.length), unit: unitOf(name) };
}

/** `bootkube.sh`, `bootkube.service` and `bootkube` are all the unit `bootkube`. */
export function unitOf(program: string): string {
  const name = program.replace(/\.(?:service|sh|socket|target|scope)$/, '');
  return UNIT_OF_PROGRAM[name] ?? name;
}

export interface JournalEntry {
  readonly at: Date;
  readonly host: string;
  /** `bootkube.service` */
  readonly unit: string;
  /** `bootkube.sh` */
  readonly program: string;
  readonly pid: number;
  readonly message: string;
}

const pad = (value: number): string => String(value).padStart(2, '0');
const clock = (at: Date): string => at.toISOString().slice(11, 19);

/** As `journalctl --output=short` prints it: how bundles keep the journal of one unit. */
export function formatShort(entry: JournalEntry): string {
  const month = MONTHS.slice(entry.at.getUTCMonth() * 3, entry.at.getUTCMonth() * 3 + 3);
  return `${month} ${pad(entry.at.getUTCDate())} ${clock(entry.at)} ${entry.host} ${entry.program}[${entry.pid}]: ${entry.message}`;
}

/** As `journalctl --output=with-unit` prints it: how bundles keep the whole journal. */
export function formatWithUnit(entry: JournalEntry): string {
  const weekday = 'SunMonTueWedThuFriSat'.slice(entry.at.getUTCDay() * 3).slice(0, 3);
  const day = entry.at.toISOString().slice(0, 10);
  return `${weekday} ${day} ${clock(entry.at)} UTC ${entry.host} ${entry.unit}[${entry.pid}]: ${entry.message}`;
}

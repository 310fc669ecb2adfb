import { UNIT_OF_PROGRAM } from '../../openshift/bootstrap/steps.ts';
import { dateOf } from './dates.ts';
import type { LogLine } from './log-line.ts';

/**
 * The text forms of `journalctl` that occur in log bundles and in what people save by hand:
 *
 *   short        Aug 20 10:11:12 host bootkube.sh[2100]: message      no year, UTC on RHCOS
 *   short-iso    2026-08-20T10:11:12+0000 host bootkube.sh[2100]: message
 *   with-unit    Wed 2026-08-20 10:11:12 UTC host bootkube.service[2100]: message      also short-full
 *   short-unix   1787220672.123456 host bootkube.sh[2100]: message
 *   monotonic    [   19.234567] host bootkube.sh[2100]: message
 *   no time      bootkube.sh[2100]: message
 */
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const PROGRAM = String.raw`([^\s[:(]+(?:\([^)\s]*\))?)(?:\[\d+\])?: ?`;
const SHORT = new RegExp(
  String.raw`^(\p{L}{3,5}\.?|\d{1,2}月) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.\d+)? (\S+) ${PROGRAM}`,
  'u',
);
/** As German and others put it: the day first. */
const DAY_FIRST = new RegExp(
  String.raw`^(\d{1,2})\.? (\p{L}{3,5}\.?) (\d\d):(\d\d):(\d\d)(?:\.\d+)? (\S+) ${PROGRAM}`,
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
const MONOTONIC = /^\[ *\d+\.\d+\] (\S+) ([^\s[:]+)\[\d+\]: ?/;
/** `hosts[1]: Invalid value` is a field of a list, and no program with its number. */
const NO_TIME =
  /^([a-z][\w@.-]*)\[\d+\]: ?(?! ?(?:(?:Invalid|Required|Unsupported|Duplicate) value|Forbidden: |Too (?:long|many): ))/;

/** The months of other languages, by how they begin; those that look alike everywhere are not repeated. */
const OTHER_MONTHS: readonly (readonly [pattern: RegExp, month: number])[] = [
  [/^(?:ene|gen|янв|sty|led|oca)/, 0],
  [/^(?:fév|fev|фев|lut|úno|şub)/, 1],
  [/^(?:mär|мар|brez|mrt|maa)/, 2],
  [/^(?:avr|abr|апр|kwi|dub|nis)/, 3],
  [/^(?:mai|mag|mei|мая|май|maj|kvě)/, 4],
  [/^(?:juin|giu|июн|cze|čer|haz)/, 5],
  [/^(?:juil|lug|июл|lip|tem)/, 6],
  [/^(?:aoû|ago|авг|sie|srp|ağu)/, 7],
  [/^(?:set|сен|wrz|zář|eyl)/, 8],
  [/^(?:okt|ott|out|окт|paź|říj|eki)/, 9],
  [/^(?:ноя|lis|kas)/, 10],
  [/^(?:dez|déc|dic|дек|gru|pro|ara)/, 11],
];

function monthOf(name: string): number {
  if (name.endsWith('月')) return Number.parseInt(name, 10) - 1;
  const lower = name.toLowerCase();
  const english = MONTHS.toLowerCase().indexOf(lower.slice(0, 3)) / 3;
  if (Number.isInteger(english) && english >= 0) return english;
  return OTHER_MONTHS.find(([pattern]) => pattern.test(lower))?.[1] ?? Number.NaN;
}

export function decodeJournalText(raw: string, reference: Date): LogLine {
  return (
    withUnit(raw) ??
    shortLine(raw, reference) ??
    isoLine(raw) ??
    unixLine(raw) ??
    lineWithoutTime(raw) ?? { message: raw }
  );
}

/** Whether a line looks like the output of `journalctl`. */
export function isJournalText(line: string): boolean {
  return [SHORT, ISO, WITH_UNIT, DAY_FIRST, UNIX, MONOTONIC, NO_TIME].some((form) =>
    form.test(line),
  );
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

/** `+02` and `+0530` as a date wants them. A name says no offset; the machines of a cluster run on UTC. */
function offsetOf(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours === undefined ? 'Z' : `${hours}:${minutes}`;
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
  const [head, host, program] = MONOTONIC.exec(raw) ?? [];
  if (head !== undefined && program !== undefined) {
    return { message: raw.slice(head.length), host, unit: unitOf(program) };
  }
  const [start, name] = NO_TIME.exec(raw) ?? [];
  return start === undefined || name === undefined
    ? undefined
    : { message: raw.slice(start.length), unit: unitOf(name) };
}

/** The year that puts a date without one at most a day after the reference. */
function newestBefore(reference: Date, timeIn: (year: number) => number): Date | undefined {
  const year = reference.getUTCFullYear();
  const thisYear = timeIn(year);
  if (Number.isNaN(thisYear)) return undefined;
  return new Date(thisYear <= reference.getTime() + 86_400_000 ? thisYear : timeIn(year - 1));
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

import type { LogLine } from './log-line.ts';

/**
 * The text forms of `journalctl` that occur in log bundles and in what people save by hand:
 *
 *   short        Aug 20 10:11:12 host bootkube.sh[2100]: message      no year, UTC on RHCOS
 *   short-iso    2026-08-20T10:11:12+0000 host bootkube.sh[2100]: message
 *   with-unit    Wed 2026-08-20 10:11:12 UTC host bootkube.service[2100]: message
 */
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const SHORT =
  /^([A-Z][a-z]{2}|\d{1,2}月) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.\d+)? (\S+) ([^\s[:]+)(?:\[\d+\])?: ?/;
const ISO =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?)(Z|[+-]\d\d:?\d\d)? (\S+) ([^\s[:]+)(?:\[\d+\])?: ?/;
const WITH_UNIT =
  /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ([A-Z]{2,5}|[+-][\d:]+) (\S+) ([^\s[:]+)(?:\[\d+\])?: ?/;

/** Programs that do not carry the name of their unit. */
const UNIT_OF_PROGRAM: Readonly<Record<string, string>> = {
  'cluster-bootstrap': 'bootkube',
  'wait-for-ceo': 'bootkube',
  etcdctl: 'bootkube',
  'release-image-download': 'release-image',
  'report-progress': 'progress',
  kubenswrapper: 'kubelet',
  hyperkube: 'kubelet',
};

export function decodeJournalText(raw: string, modified: Date): LogLine {
  return withUnit(raw) ?? shortLine(raw, modified) ?? isoLine(raw) ?? { message: raw };
}

/** Whether a line looks like the output of `journalctl`. */
export function isJournalText(line: string): boolean {
  return SHORT.test(line) || ISO.test(line) || WITH_UNIT.test(line);
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

function shortLine(raw: string, modified: Date): LogLine | undefined {
  const match = SHORT.exec(raw);
  if (!match) return undefined;
  const [head, month = '', day, hours, minutes, seconds, host, program = ''] = match;
  const index = month.endsWith('月') ? Number.parseInt(month, 10) - 1 : MONTHS.indexOf(month) / 3;
  const at = newestBefore(modified, (year) =>
    Date.UTC(year, index, Number(day), Number(hours), Number(minutes), Number(seconds)),
  );
  return { message: raw.slice(head.length), at, host, unit: unitOf(program) };
}

/** The year that puts a date without one at most a day after its file was written. */
function newestBefore(modified: Date, timeIn: (year: number) => number): Date | undefined {
  const year = modified.getUTCFullYear();
  const thisYear = timeIn(year);
  if (Number.isNaN(thisYear)) return undefined;
  return new Date(thisYear <= modified.getTime() + 86_400_000 ? thisYear : timeIn(year - 1));
}

function dateOf(text: string): Date | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at;
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

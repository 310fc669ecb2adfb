import type { EvidenceLine } from '../evidence.ts';
import { dateOf } from '../formats/dates.ts';
import { monthOf } from '../formats/months.ts';
import { PROMPT } from '../place-line.ts';
import type { Comparison } from './comparison.ts';

/** As openssl prints it, in its two forms, and as objects have it. */
const ENDS =
  /\bnot\s?after"?\s*[:=]\s*"?(?<at>[A-Z][a-z]{2} +\d+ [\d:]+ \d{4} GMT|\d{4}-\d\d-\d\d[T ][\d:]+Z?)/i;
const ASKED_DATE = /(?:^|[$#] )(?:sudo )?date(?: -\w+)?\s*$/;
/** What "date" answers where the locale puts the day first. */
const DAY_FIRST =
  /\b(?<day>\d{1,2})\.? (?<month>[\p{L}]{3,})\.? (?<year>\d{4}),? +(?<time>\d{1,2}:\d\d:\d\d)/u;

function clockIn({ text, at }: EvidenceLine): Date | undefined {
  const { day, month, year, time } = DAY_FIRST.exec(text)?.groups ?? {};
  if (day && month && year && time) {
    const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
    const told = Date.UTC(Number(year), monthOf(month), Number(day), hour, minute, second);
    if (!Number.isNaN(told)) return new Date(told);
  }
  return at ?? dateOf(text.trim());
}

/** What the machine held for the time: whoever looks at a certificate asks for it right after. */
function askedClock(lines: readonly EvidenceLine[]): { at: Date; line: EvidenceLine } | undefined {
  const asked = lines.findIndex(
    ({ text }) => ASKED_DATE.test(text) && (PROMPT.test(text) || text.trim() === 'date'),
  );
  const line = lines.slice(asked + 1).find(({ text }) => text.trim() !== '');
  const at = asked >= 0 && line ? clockIn(line) : undefined;
  return at && line ? { at, line } : undefined;
}

const minutes = (at: Date): string => `${at.toISOString().slice(0, 16)}Z`;

/** When a certificate ends, and what the clock says. */
export const certificateDates: Comparison = (lines) => {
  const clock = askedClock(lines);
  const ended = lines.flatMap((line) => {
    const end = dateOf(ENDS.exec(line.text)?.groups?.at);
    return end && clock && end < clock.at ? [{ end, line }] : [];
  });
  const [first] = ended;
  if (!first || !clock) return undefined;
  const many = ended.length > 1 ? `${ended.length} certificates` : 'The certificate';
  return {
    id: 'compared-certificate-dates',
    cause: `${many} ended before the time that the machine has: ${minutes(first.end)} came before ${minutes(clock.at)}`,
    remedy:
      'Renew it. Where it is of a kubelet, approve the requests that wait ("oc get csr"); kubelets and control plane renew theirs by themselves while they run, so machines that were off that long need it by hand',
    evidence: [...ended.map(({ line }) => line), clock.line],
    decides: /cert/,
  };
};

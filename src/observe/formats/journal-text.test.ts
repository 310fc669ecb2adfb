import { expect, test } from 'vitest';
import {
  decodeJournalText,
  formatShort,
  formatWithUnit,
  isJournalText,
  unitOf,
} from './journal-text.ts';

const LATER = new Date('2026-08-21T00:00:00Z');
const AT = new Date('2026-08-20T10:11:12Z');
const LINE = { message: 'text', at: AT, host: 'host', unit: 'crio' };

test.each([
  ['short', 'Aug 20 10:11:12 host crio[1]: text'],
  ['short, with parts of a second', 'Aug 20 10:11:12.345 host crio[1]: text'],
  ['short, of a program without a number', 'Aug 20 10:11:12 host crio: text'],
  ['short, the day first', '20. Aug 10:11:12 host crio[1]: text'],
  ['short, the day first without a dot', '20 août 10:11:12 host crio[1]: text'],
  ['in Chinese', '8月 20 10:11:12 host crio[1]: text'],
  ['in Chinese, with the day in words', '8月20日 10:11:12 host crio[1]: text'],
  ['in Korean', ' 8월 20 10:11:12 host crio[1]: text'],
  ['in Vietnamese', 'Th08 20 10:11:12 host crio[1]: text'],
  ['in Vietnamese, with a space', 'Thg 8 20 10:11:12 host crio[1]: text'],
  ['in Catalan', 'd’ag. 20 10:11:12 host crio[1]: text'],
  ['in Catalan, the day first', "20 d'ag. 10:11:12 host crio[1]: text"],
  ['in Estonian, with spaces', 'aug   20 10:11:12 host crio[1]: text'],
  ['in Russian, the day first', '20 августа 10:11:12 host crio[1]: text'],
  ['in Russian', 'авг 20 10:11:12 host crio[1]: text'],
  ['short-iso', '2026-08-20T10:11:12Z host crio[1]: text'],
  ['short-iso, without a zone', '2026-08-20T10:11:12 host crio[1]: text'],
  ['short-iso, with a zone', '2026-08-20T12:11:12+0200 host crio[1]: text'],
  ['short-iso, with a zone and a colon', '2026-08-20T12:11:12+02:00 host crio[1]: text'],
  ['with-unit', 'Thu 2026-08-20 10:11:12 UTC host crio.service[1]: text'],
  ['with-unit, of another language', 'Do 2026-08-20 12:11:12 CEST host crio.service[1]: text'],
  ['with-unit, of New York', 'Thu 2026-08-20 06:11:12 EDT host crio.service[1]: text'],
  ['with-unit, of India', 'Thu 2026-08-20 15:41:12 IST host crio.service[1]: text'],
  ['with-unit, of Tokyo', 'Thu 2026-08-20 19:11:12 JST host crio.service[1]: text'],
  ['with-unit, of a zone that means several', 'Thu 2026-08-20 10:11:12 CST host crio[1]: text'],
  ['with-unit, of a zone that is unknown', 'Thu 2026-08-20 10:11:12 QQT host crio[1]: text'],
  ['with-unit, with an offset', 'Thu 2026-08-20 12:11:12 +02 host crio.service[1]: text'],
  ['with-unit, with a longer offset', 'Thu 2026-08-20 15:41:12 +05:30 host crio.service[1]: text'],
])('decodeJournalText reads a line in the form %s', (_, raw) => {
  expect(isJournalText(raw)).toBe(true);
  expect(decodeJournalText(raw, LATER)).toEqual(LINE);
});

test('decodeJournalText reads parts of a second where the form has them', () => {
  const at = new Date('2026-08-20T10:11:12.345Z');

  expect(decodeJournalText('2026-08-20T10:11:12,345Z host crio[1]: text', LATER).at).toEqual(at);
  expect(decodeJournalText('Thu 2026-08-20 10:11:12.345 UTC host crio[1]: text', LATER).at).toEqual(
    at,
  );
});

test('decodeJournalText reads forms without a date', () => {
  expect(decodeJournalText('1787220672.123456 host crio[1]: text', LATER)).toEqual({
    ...LINE,
    at: new Date(1_787_220_672_000),
  });
  const since = { message: 'text', host: 'host', unit: 'crio' };
  expect(decodeJournalText('[   19.234567] host crio[1]: text', LATER)).toEqual(since);
  for (const delta of ['<    0.000123 >', '<>', '<            >', '<    0.000123*>'])
    expect(decodeJournalText(`[   19.234567 ${delta}] host crio[1]: text`, LATER)).toEqual(since);
  expect(decodeJournalText('[    0.000000] host kernel: text', LATER)).toEqual({
    ...since,
    unit: 'kernel',
  });
  for (const raw of ['host crio[100]: text', 'host systemd[1]: text'])
    expect(decodeJournalText(raw, LATER)).toMatchObject({ message: 'text', host: 'host' });
  expect(decodeJournalText('crio[1]: text', LATER)).toEqual({ message: 'text', unit: 'crio' });
});

test.each([
  'no journal',
  'Aug 20 10:11 host crio[1]: text',
  'Crio[1]: text',
  'platform.hosts[1]: Required value: it is empty',
  'of platform.hosts[100]: Required value: it is empty',
  'error in hosts[2]: no name',
  'bad hosts[2]: no name',
  'Bad hosts[200]: no name',
  '[1] host x',
])('decodeJournalText leaves %j as it is', (raw) => {
  expect(isJournalText(raw)).toBe(false);
  expect(decodeJournalText(raw, LATER)).toEqual({ message: raw });
});

test.each([
  ['Jan', 0],
  ['gennaio', 0],
  ['marras', 10],
  ['maalis', 2],
  ['de nov.', 10],
  ['Th13', undefined],
  ['13월', undefined],
  ['Νοέ', 10],
  ['lap.', 10],
  ['jui', 6],
  ['červenec', 6],
  ['června', 5],
  ['gen', 0],
  ['fév.', 1],
  ['März', 2],
  ['Apr', 3],
  ['mai', 4],
  ['juin', 5],
  ['juil.', 6],
  ['aoû', 7],
  ['Sept', 8],
  ['okt', 9],
  ['Nov', 10],
  ['Dez', 11],
  ['dic', 11],
  ['anx', undefined],
  ['12月', 11],
])('decodeJournalText knows the month %s', (name, month) => {
  const { at } = decodeJournalText(
    `${name} 05 00:00:00 host x[1]: y`,
    new Date('2027-01-01T00:00:00Z'),
  );

  expect(at?.getUTCMonth()).toBe(month);
});

test('decodeJournalText puts a date without a year at most a day after the reference', () => {
  const yearAt = (reference: string) =>
    decodeJournalText('Aug 20 10:00:00 host x[1]: y', new Date(reference)).at?.getUTCFullYear();

  expect(yearAt('2026-08-20T12:00:00Z')).toBe(2026);
  expect(yearAt('2026-08-19T10:00:00Z')).toBe(2026);
  expect(yearAt('2026-08-19T09:59:59Z')).toBe(2025);
});

test('decodeJournalText has no time for a date there is none for', () => {
  expect(decodeJournalText('xyz 20 10:11:12 host crio[1]: text', LATER)).toEqual({
    ...LINE,
    at: undefined,
  });
  expect(decodeJournalText('2026-13-20T10:11:12Z host crio[1]: text', LATER).at).toBeUndefined();
});

test.each([
  ['crio.service', 'crio'],
  ['bootkube.sh', 'bootkube'],
  ['init.scope', 'init'],
  ['kubenswrapper', 'kubelet'],
  ['cluster-bootstrap', 'bootkube'],
  ['a.service.d', 'a.service.d'],
])('unitOf %s is %s', (program, unit) => {
  expect(unitOf(program)).toBe(unit);
});

const ENTRY = {
  at: new Date('2026-02-03T04:05:06Z'),
  host: 'h',
  unit: 'u.service',
  program: 'p.sh',
  pid: 7,
  message: 'm',
};

test('formatShort and formatWithUnit write as journalctl does', () => {
  expect(formatShort(ENTRY)).toBe('Feb 03 04:05:06 h p.sh[7]: m');
  expect(formatWithUnit(ENTRY)).toBe('Tue 2026-02-03 04:05:06 UTC h u.service[7]: m');
});

import { expect, test } from 'vitest';
import { isJournalList, journalListAsText } from './journal-list.ts';

const ENTRIES = [
  {
    __REALTIME_TIMESTAMP: '1787220672000000',
    _HOSTNAME: 'host',
    _SYSTEMD_UNIT: 'crio.service',
    _PID: '7',
    MESSAGE: 'one [{"two"}]',
  },
  {
    __REALTIME_TIMESTAMP: '1787220673000000',
    _HOSTNAME: 'host',
    SYSLOG_IDENTIFIER: 'kubenswrapper',
    MESSAGE: [...Buffer.from('größe')],
  },
];
const LINES = [
  'Thu 2026-08-20 10:11:12 UTC host crio[7]: one [{"two"}]',
  'Thu 2026-08-20 10:11:13 UTC host kubelet[0]: größe',
];

async function read(text: string, size = 10_000) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const lines: string[] = [];
  const numbers: number[] = [];
  for await (const part of journalListAsText(chunks())) {
    lines.push(...part.bytes.toString().split('\n').slice(0, -1));
    numbers.push(...part.numbers);
  }
  return { lines, numbers };
}

test.each([
  ['in one line', JSON.stringify(ENTRIES), [1, 1]],
  [
    'with one entry in a line',
    `[${ENTRIES.map((one) => JSON.stringify(one)).join(',\n')}]`,
    [1, 2],
  ],
  ['with one field in a line', JSON.stringify(ENTRIES, undefined, 2), [2, 9]],
  ['with tabs', JSON.stringify(ENTRIES, undefined, '\t'), [2, 9]],
])('journalListAsText reads a list %s, cut anywhere', async (_, text, numbers) => {
  expect(isJournalList(text)).toBe(true);
  for (const size of [7, 10_000]) expect(await read(text, size)).toEqual({ lines: LINES, numbers });
});

test('journalListAsText gives long lists in parts, and of a list without an end what is whole', async () => {
  const many = Array.from({ length: 1200 }, () => ENTRIES[0]);

  const { lines, numbers } = await read(`${JSON.stringify(many).slice(0, -1)},{"MESSAGE":"cu`);

  expect(lines).toHaveLength(1200);
  expect(numbers).toHaveLength(1200);
});

test.each([
  '{"__CURSOR":"s=1"}',
  '[1]',
  '[{"phase":"service start"}]',
  '[{"a":"\\"__CURSOR\\":"}]',
])('isJournalList does not take %s for it', (head) => {
  expect(isJournalList(head)).toBe(false);
});

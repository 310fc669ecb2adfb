import { expect, test } from 'vitest';
import type { NumberedLines } from '../scan/line-scanner.ts';
import { isJournalFields, journalFieldsAsText } from './journal-fields.ts';

const VERBOSE = [
  'Thu 2026-08-20 10:11:12.345678 UTC [s=1;i=2;b=3]',
  '    _HOSTNAME=host',
  '    _SYSTEMD_UNIT=crio.service',
  '    _PID=7',
  '    MESSAGE=one',
  '    MESSAGE=of two',
  'Thu 2026-08-20 10:11:13.000000 UTC [s=1;i=3;b=3]',
  '    _HOSTNAME=host',
  '    MESSAGE=two=2',
  '',
].join('\n');
const PRETTY = [
  '{',
  '\t"__REALTIME_TIMESTAMP" : "1787220672000000",',
  '\t"_HOSTNAME" : "host",',
  '\t"_SYSTEMD_UNIT" : "crio.service",',
  '\t"_PID" : 7,',
  '\t"BROKEN" : "cut,',
  '\t"MESSAGE" : "one \\"and\\" two"',
  '}',
  '{',
  '\t"MESSAGE" : "second"',
  '}',
  '',
].join('\n');

async function partsOf(text: string, size = 10_000): Promise<NumberedLines[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
  }
  const parts: NumberedLines[] = [];
  for await (const part of journalFieldsAsText(chunks())) parts.push(part);
  return parts;
}

async function linesOf(text: string, size?: number): Promise<string[]> {
  const bytes = (await partsOf(text, size)).map((part) => part.bytes);
  return Buffer.concat(bytes).toString().trimEnd().split('\n');
}

test.each([VERBOSE, PRETTY])(
  'journalFieldsAsText knows the lines that messages and what is beside them stand in',
  async (text) => {
    for (const size of [1, 50, 10_000]) {
      const beside = `$ journalctl\n${text}beside\n`;
      const editor = beside.split('\n');

      const numbers = (await partsOf(beside, size)).flatMap((part) => part.numbers);

      expect(numbers.map((number) => editor[number - 1])).toEqual([
        '$ journalctl',
        expect.stringMatching(/MESSAGE.*one/),
        expect.stringMatching(/MESSAGE.*(?:two|second)/),
        'beside',
      ]);
    }
  },
);

test.each([1, 50, 10_000])(
  'journalFieldsAsText reads verbose output, in pieces of %i',
  async (size) => {
    expect(await linesOf(VERBOSE, size)).toEqual([
      'Thu 2026-08-20 10:11:12 UTC host crio[7]: one',
      'Thu 2026-08-20 10:11:13 UTC host unknown[0]: two=2',
    ]);
  },
);

test('journalFieldsAsText reads the zone of verbose output', async () => {
  const [line] = await linesOf(VERBOSE.replace('10:11:12.345678 UTC', '12:11:12.345678 CEST'));

  expect(line).toBe('Thu 2026-08-20 10:11:12 UTC host crio[7]: one');
});

test.each([1, 50, 10_000])(
  'journalFieldsAsText reads json-pretty, in pieces of %i',
  async (size) => {
    expect(await linesOf(PRETTY, size)).toEqual([
      expect.stringMatching(/ UTC host crio\[7\]: one "and" two$/),
      'Thu 1970-01-01 00:00:00 UTC unknown unknown[0]: second',
    ]);
  },
);

test('journalFieldsAsText reads an entry that has no end, and one behind a mark', async () => {
  expect(await linesOf('{\n\t"MESSAGE" : "cut"')).toEqual([expect.stringMatching(/: cut$/)]);
  expect(await linesOf('\x1e{\n\t"MESSAGE" : "a"\n}\n\x1e{\n\t"MESSAGE" : "b"\n}\n')).toEqual([
    expect.stringMatching(/: a$/),
    expect.stringMatching(/: b$/),
  ]);
});

const BYTES = [...Buffer.from('größe')].join(',\n\t\t');

test.each([1, 50, 10_000])(
  'journalFieldsAsText reads a message of bytes with one in a line, in pieces of %i',
  async (size) => {
    const text = [
      '{',
      '\t"_HOSTNAME" : "host",',
      `\t"MESSAGE" : [\n\t\t${BYTES}\n\t],`,
      '\t"_COMM" : "crio"',
      `}\n{\n  "MESSAGE": [\n    ${BYTES}\n  ]\n}\n`,
    ].join('\n');

    expect(await linesOf(text, size)).toEqual([
      expect.stringMatching(/ host crio\[0\]: größe$/),
      expect.stringMatching(/ unknown unknown\[0\]: größe$/),
    ]);
  },
);

test('journalFieldsAsText reads of a list of bytes without an end what is there', async () => {
  const cut = `{\n\t"MESSAGE" : [\n\t\t${BYTES},\n`;

  expect(await linesOf(cut)).toEqual([expect.stringMatching(/: größe$/)]);
  expect(await linesOf(`${cut}}\n{\n\t"MESSAGE" : "next"\n}\n`)).toEqual([
    expect.stringMatching(/: größe$/),
    expect.stringMatching(/: next$/),
  ]);
});

test('journalFieldsAsText reads a list that is longer than any message as far as it keeps it', async () => {
  const cut = `{\n\t"MESSAGE" : [\n${'\t\t65,\n'.repeat(1_000_000)}\t],\n\t"_COMM" : "crio"\n}\n`;
  const [line = ''] = await linesOf(cut, 1_000_000);

  expect(line).toMatch(/ crio\[0\]: A{1000}/);
  expect(line.length).toBeLessThan(1_100_000);
});

test('journalFieldsAsText makes nothing of nothing', async () => {
  expect(await linesOf('')).toEqual(['']);
  expect(await linesOf('{\n}\n  words without a field\n')).toEqual(['']);
});

test.each([1, 10_000])(
  'journalFieldsAsText leaves what stands beside the journal as it is, in pieces of %i',
  async (size) => {
    const pasted = `$ journalctl -o verbose\n${VERBOSE}$ ausearch -m avc\ntype=AVC denied\n`;
    expect(await linesOf(pasted, size)).toEqual([
      '$ journalctl -o verbose',
      'Thu 2026-08-20 10:11:12 UTC host crio[7]: one',
      'Thu 2026-08-20 10:11:13 UTC host unknown[0]: two=2',
      '$ ausearch -m avc',
      'type=AVC denied',
    ]);
    expect(await linesOf(`${PRETTY}error: after\n`, size)).toEqual([
      expect.stringMatching(/: one "and" two$/),
      expect.stringMatching(/: second$/),
      'error: after',
    ]);
  },
);

test.each([
  ['verbose', VERBOSE],
  ['json-pretty', PRETTY],
  ['json-pretty without spaces', '{\n  "MESSAGE":"x"\n}'],
  ['json-pretty in a sequence', '\x1e{\n\t"__CURSOR" : "s=1",\n'],
])('isJournalFields knows %s', (_, head) => {
  expect(isJournalFields(head)).toBe(true);
});

test.each([
  ['another object', '{\n  "kind": "Node"\n}'],
  ['an object on one line', '{ "MESSAGE": "x" }'],
  ['a line of a journal', 'Thu 2026-08-20 10:11:12 UTC host crio[1]: [s=1]\nA=b\n'],
  ['a head without fields', 'Thu 2026-08-20 10:11:12.3 UTC [s=1]\nMESSAGE=x\n'],
  ['words', 'see {\n'],
])('isJournalFields does not take %s for it', (_, head) => {
  expect(isJournalFields(head)).toBe(false);
});

import { expect, test } from 'vitest';
import { isJournalExport, journalExportAsText, textOfFields } from './journal-export.ts';

async function linesOf(chunks: readonly (string | Buffer)[]): Promise<string[]> {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: string[] = [];
  for await (const part of journalExportAsText(bytes())) lines.push(part.bytes.toString());
  return lines.join('').split('\n').filter(Boolean);
}

const messagesOf = async (...chunks: readonly (string | Buffer)[]) =>
  (await linesOf(chunks)).map((line) => line.replace(/^.*?\]: /, ''));

const binary = (name: string, value: Buffer) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(value.length));
  return Buffer.concat([Buffer.from(`${name}\n`), length, value, Buffer.from('\n')]);
};

test('journalExportAsText makes one line of each entry, the last one also without its end', async () => {
  const text =
    '__REALTIME_TIMESTAMP=1787220672000000\n_HOSTNAME=h\n_SYSTEMD_UNIT=crio.service\n_PID=7\nPRIORITY=6\nMESSAGE=a=b\n\n\nMESSAGE=second\n';

  expect(await linesOf([text])).toEqual([
    'Thu 2026-08-20 10:11:12 UTC h crio[7]: a=b',
    'Thu 1970-01-01 00:00:00 UTC unknown unknown[0]: second',
  ]);
});

test('journalExportAsText skips a value nobody wants, in pieces or whole, and goes on behind it', async () => {
  const dump = binary('COREDUMP', Buffer.alloc(3000, '\n'));
  const whole = Buffer.concat([dump, Buffer.from('MESSAGE=after\n\n')]);

  expect(await messagesOf(whole)).toEqual(['after']);
  for (const size of [1, 7, 1000]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, at * size + size),
    );
    expect(await messagesOf(...pieces)).toEqual(['after']);
  }
});

test('journalExportAsText skips a message that is too long, and keeps one that is not', async () => {
  const LIMIT = 1024 * 1024;
  const after = Buffer.from('_PID=1\n\nMESSAGE=after\n\n');
  const of = (size: number) =>
    messagesOf(Buffer.concat([binary('MESSAGE', Buffer.alloc(size, 'x')), after]));

  expect((await of(LIMIT)).map(({ length }) => length)).toEqual([LIMIT, 5]);
  expect((await of(LIMIT + 1)).map(({ length }) => length)).toEqual([0, 5]);
});

test('journalExportAsText keeps fields apart that follow a value with newlines', async () => {
  const entry = Buffer.concat([
    binary('MESSAGE', Buffer.from('two\nlines')),
    Buffer.from('_PID=9\n_HOSTNAME=h\n\n'),
  ]);

  expect(await linesOf([entry])).toEqual(['Thu 1970-01-01 00:00:00 UTC h unknown[9]: two\\nlines']);
});

test('journalExportAsText goes on behind a line that is too long to be kept', async () => {
  const endless = Array.from({ length: 20 }, () => 'x'.repeat(100_000));

  expect(await messagesOf(...endless, '\nMESSAGE=after\n\n')).toEqual(['after']);
});

test('textOfFields has words for what is not known', () => {
  expect(textOfFields({ _PID: 'none', MESSAGE: 'm' })).toBe(
    'Thu 1970-01-01 00:00:00 UTC unknown unknown[0]: m\n',
  );
  expect(textOfFields({ _PID: '12', SYSLOG_IDENTIFIER: 'p', _HOSTNAME: 'h' })).toBe(
    'Thu 1970-01-01 00:00:00 UTC h p[12]: \n',
  );
});

test('isJournalExport knows the fields an export begins with', () => {
  expect(isJournalExport('__CURSOR=s=1\n')).toBe(true);
  expect(isJournalExport('__SEQNUM=1\n')).toBe(true);
  expect(isJournalExport('x __CURSOR=s=1\n')).toBe(false);
  expect(isJournalExport('MESSAGE=x\n')).toBe(false);
});

test.each([1, 7, 10_000])(
  'journalExportAsText knows the lines of the file that messages stand in, in pieces of %i',
  async (size) => {
    const bytes = Buffer.concat([
      Buffer.from('__REALTIME_TIMESTAMP=1\n_PID=7\nMESSAGE=one\n\n'),
      Buffer.from('__REALTIME_TIMESTAMP=2\n'),
      binary('COREDUMP', Buffer.from('a\nb\nc')),
      binary('MESSAGE', Buffer.from('two\nthree')),
      Buffer.from('\n__REALTIME_TIMESTAMP=3\nMESSAGE=four\n'),
    ]);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const editor = bytes.toString('latin1').split('\n');

    const numbers: number[] = [];
    for await (const part of journalExportAsText(chunks())) numbers.push(...part.numbers);

    expect(numbers.map((number) => editor[number - 1])).toEqual([
      'MESSAGE=one',
      'MESSAGE',
      'MESSAGE=four',
    ]);
  },
);

import { expect, test } from 'vitest';
import { decodeLogrus, decodeOcMirror, decodePlain, formatLogrus } from './installer-log.ts';
import { formatJournalExport, journalExportAsText } from './journal-export.ts';
import { decodeJournalJson, formatJournalJson, withTextMessages } from './journal-json.ts';
import { decodeJournalText, formatShort, formatWithUnit } from './journal-text.ts';
import { jsonObjects, parseObject, yamlObjects } from './objects.ts';
import { decodeOwnEvent } from './own-journal.ts';
import { formatServiceRecord, parseServiceRecord } from './service-record.ts';

const ENTRY = {
  at: new Date('2026-08-20T10:11:12Z'),
  host: 'bootstrap.c1',
  unit: 'bootkube.service',
  program: 'bootkube.sh',
  pid: 2100,
  message: 'Starting cluster-bootstrap...',
};
const LINE = { message: ENTRY.message, at: ENTRY.at, host: ENTRY.host, unit: 'bootkube' };
const LATER = new Date('2026-08-20T12:00:00Z');

test('decodeJournalText reads every text form of journalctl', () => {
  const iso =
    '2026-08-20T12:11:12+0200 bootstrap.c1 bootkube.sh[2100]: Starting cluster-bootstrap...';

  expect(decodeJournalText(formatShort(ENTRY), LATER)).toEqual(LINE);
  expect(decodeJournalText(formatWithUnit(ENTRY), LATER)).toEqual(LINE);
  expect(decodeJournalText(iso, LATER)).toEqual(LINE);
  expect(decodeJournalText('no journal at all', LATER)).toEqual({ message: 'no journal at all' });
});

test('decodeJournalText knows offsets, Chinese months and containers of bootkube', () => {
  const said = 'Starting cluster-bootstrap...';
  const lines = [
    `Thu 2026-08-20 12:11:12 +02 bootstrap.c1 bootkube.service[2100]: ${said}`,
    `Thu 2026-08-20 15:41:12 +0530 bootstrap.c1 bootkube.service[2100]: ${said}`,
    `8月 20 10:11:12 bootstrap.c1 bootkube.sh[2100]: ${said}`,
    `Aug 20 10:11:12 bootstrap.c1 cluster-bootstrap[2100]: ${said}`,
  ];

  for (const line of lines) expect(decodeJournalText(line, LATER)).toEqual(LINE);
});

test('decodeJournalText takes the year from when the file was written', () => {
  const silvester = 'Dec 31 23:59:59 host crio[1]: x';

  expect(decodeJournalText(silvester, new Date('2027-01-01T00:10:00Z')).at).toEqual(
    new Date('2026-12-31T23:59:59Z'),
  );
});

test.each([
  ['error="no such \\"thing\\""', 'level=error msg=it fails error=no such "thing"'],
  ['error=EOF', 'level=error msg=it fails error=EOF'],
  ['name=a reason="full disk"', 'level=error msg=it fails error=full disk'],
  ['label="Disks" message="none fits"', 'level=error msg=it fails error=none fits'],
  ['name=a', 'level=error msg=it fails'],
])('decodeLogrus keeps what went wrong of %s', (fields, message) => {
  expect(decodeLogrus(`time="2026-08-20T10:11:12Z" level=error msg="it fails" ${fields}`)).toEqual({
    message,
    at: ENTRY.at,
  });
});

test('decodeJournalJson reads what formatJournalJson writes, and messages given as bytes', () => {
  const bytes = JSON.stringify({
    MESSAGE: [...Buffer.from('colour')],
    _SYSTEMD_UNIT: 'crio.service',
  });

  expect(decodeJournalJson(formatJournalJson(ENTRY))).toEqual(LINE);
  expect(decodeJournalJson(bytes)).toMatchObject({ message: 'colour', unit: 'crio' });
  expect(decodeJournalJson('{"MESSAGE":"cut o')).toEqual({ message: '{"MESSAGE":"cut o' });
});

test('withTextMessages makes bytes searchable', async () => {
  const raw = `${formatJournalJson(ENTRY)}\n{"MESSAGE":[${[...Buffer.from('manifest unknown')]}]}\n`;

  const text = await collect(withTextMessages(chunked(Buffer.from(raw), 10_000)));

  expect(text).toContain('"MESSAGE":"manifest unknown"');
});

test('journalExportAsText reads what formatJournalExport writes, newlines included', async () => {
  const odd = { ...ENTRY, message: 'two\nlines' };
  const bytes = Buffer.concat([formatJournalExport(ENTRY), formatJournalExport(odd)]);

  for (const size of [1, 13, 10_000]) {
    const parts: string[] = [];
    for await (const part of journalExportAsText(chunked(bytes, size)))
      parts.push(part.bytes.toString());
    const lines = parts.join('').trim().split('\n');
    expect(lines.map((line) => decodeJournalText(line, LATER))).toEqual([
      LINE,
      { ...LINE, message: 'two\\nlines' },
    ]);
  }
});

test('decodeLogrus reads what the installer prints', () => {
  const line = { message: 'level=info msg=API v1.31.0 up', at: undefined };

  expect(decodeLogrus('level=info msg=API v1.31.0 up')).toEqual(line);
  expect(decodeLogrus('level=info msg="API v1.31.0 up"')).toEqual(line);
  expect(decodeLogrus('INFO API v1.31.0 up')).toEqual({ message: line.message });
});

test('decodeLogrus reads what formatLogrus writes', () => {
  const raw = formatLogrus(ENTRY.at, 'error', 'Get "https://x": EOF');

  expect(decodeLogrus(raw)).toEqual({
    message: 'level=error msg=Get "https://x": EOF',
    at: ENTRY.at,
  });
});

test('decodeOcMirror and decodePlain take the time off where there is one', () => {
  expect(decodeOcMirror('2026/08/20 10:11:12  [ERROR]  : x').at).toEqual(ENTRY.at);
  expect(decodePlain('2026-08-20T10:11:12.123456789Z text')).toEqual({
    message: 'text',
    at: ENTRY.at,
  });
  expect(decodePlain('text')).toEqual({ message: 'text' });
});

test('decodeOwnEvent tells type, code and subject of an event', () => {
  const raw = JSON.stringify({
    type: 'image.failed',
    code: 'TLS_EXPIRED',
    source: 'q/a',
    message: 'm',
  });

  expect(decodeOwnEvent(raw).message).toBe('image.failed [TLS_EXPIRED] q/a: m');
});

test('parseServiceRecord reads what formatServiceRecord writes, without empty fields', () => {
  const entries = [
    {
      timestamp: '2026-08-20T10:11:12Z',
      phase: 'stage end' as const,
      stage: 'x',
      result: 'failure' as const,
    },
  ];
  const text = formatServiceRecord([
    { ...entries[0], errorLine: '', errorMessage: undefined } as never,
  ]);

  expect(parseServiceRecord('r', text)).toEqual(entries);
  expect(text).not.toContain('errorLine');
  expect(() => parseServiceRecord('r.json', '[{"phase":"x"}]')).toThrow(/r\.json.*0/s);
});

test('jsonObjects splits a list at any chunking and counts lines', async () => {
  const list = {
    kind: 'List',
    metadata: { items: [{ no: 1 }] },
    items: [{ a: '}"{' }, { b: [{ c: 'ü' }] }],
  };
  const text = Buffer.from(JSON.stringify(list, null, 2));

  for (const size of [1, 7, 10_000]) {
    const objects = [];
    for await (const raw of jsonObjects(chunked(text, size))) objects.push(raw);
    expect(objects.map((raw) => parseObject(raw, 'json'))).toEqual(list.items);
    expect(objects[0]?.line).toBeGreaterThan(1);
  }
});

test('jsonObjects takes a document that is no list as one object', async () => {
  const objects = [];
  for await (const raw of jsonObjects(chunked(Buffer.from('{"kind":"Node"}'), 4)))
    objects.push(raw);

  expect(objects.map((raw) => parseObject(raw, 'json'))).toEqual([{ kind: 'Node' }]);
});

test('yamlObjects splits lists and documents', async () => {
  const text =
    '---\napiVersion: v1\nitems:\n- kind: A\n  x:\n  - 1\n- kind: B\nkind: List\n---\nkind: C\n';
  const objects = [];
  for await (const raw of yamlObjects(chunked(Buffer.from(text), 5))) objects.push(raw);

  const parsed = objects.map((raw) => parseObject(raw, 'yaml'));

  expect(parsed).toContainEqual({ kind: 'A', x: [1] });
  expect(parsed).toContainEqual({ kind: 'C' });
  expect(parsed.some((one) => one?.kind === 'B')).toBe(true);
});

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

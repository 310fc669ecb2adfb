import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import type { AtollEvent } from '../core/events.ts';
import type { EvidenceLine, EvidenceSink } from './evidence.ts';
import { readEvidence, withOrigin } from './read-evidence.ts';

const now = () => new Date('2026-08-21T00:00:00Z');

async function reading(
  files: Readonly<Record<string, string | Buffer>>,
  { origin, abort }: { origin?: string; abort?: boolean } = {},
) {
  const root = await tempDir();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  const seen = {
    lines: [] as EvidenceLine[],
    records: [] as unknown[],
    objects: [] as unknown[],
    unread: [] as unknown[],
    files: [] as unknown[],
    events: [] as AtollEvent[],
  };
  const short = (path: string) => path.slice(root.length + 1);
  const sink: EvidenceSink = {
    patterns: [{ pattern: 'needle in the haystack', where: ['*'], appliesTo: () => true }],
    kinds: new Set(['Node']),
    onLine: (line) => seen.lines.push({ ...line, file: short(line.file) }),
    onRecord: (service, entries, { file, line }) =>
      seen.records.push([service, entries.length, short(file), line]),
    onObject: (object, { line }) => seen.objects.push([object.kind, line]),
    onUnread: ({ path, reason }) => seen.unread.push([short(path), reason]),
    onFile: (path, { format }) => seen.files.push([path, format]),
    onTime: () => undefined,
  };
  const controller = new AbortController();
  if (abort) controller.abort(new Error('stopped'));
  const emit = (event: AtollEvent) => seen.events.push(event);
  const ctx = silentContext({ now, emit, signal: controller.signal });
  const totals = await readEvidence(ctx, [root], sink, { origin });
  return { ...seen, totals };
}

const NEEDLE = 'needle in the haystack\n';

test('readEvidence reads each file as what it is, and says what it was', async () => {
  const { files, lines, objects, totals } = await reading({
    'bootstrap/journals/crio.log': `Aug 20 10:11:12 b crio[1]: ${NEEDLE}`,
    'resources/nodes.json': '{"items":[{"kind":"Node"}]}',
    'namespaces/a/x.yaml': 'kind: Node\n',
    'notes.txt': NEEDLE,
    'empty.txt': '',
    'x.png': NEEDLE,
  });

  expect(files).toEqual([
    ['bootstrap/journals/crio.log', 'journal'],
    ['namespaces/a/x.yaml', 'objects-yaml'],
    ['notes.txt', 'plain'],
    ['resources/nodes.json', 'objects-json'],
  ]);
  expect(lines.map(({ file, origins }) => [file, ...origins])).toEqual([
    ['bootstrap/journals/crio.log', 'journal:bootstrap/crio'],
    ['notes.txt', 'text:unknown'],
  ]);
  expect(objects).toEqual([
    ['Node', 1],
    ['Node', 1],
  ]);
  expect(totals.files).toBe(6);
});

test('readEvidence counts what it reads, and tells when it begins and ends', async () => {
  const { events, totals } = await reading({ 'a.txt': 'x'.repeat(100), 'b.txt': 'y'.repeat(50) });

  expect(totals).toEqual({ files: 2, bytes: 150 });
  expect(events).toMatchObject([
    { type: 'task.started', task: 'read-evidence' },
    { type: 'task.finished', task: 'read-evidence', summary: '2 files' },
  ]);
});

test('readEvidence tells now and then how far it is in a long file', async () => {
  const { events } = await reading({
    'a.txt': Buffer.alloc(70 * 1024 * 1024, `${'x'.repeat(1023)}\n`),
  });

  const told = events.filter(({ type }) => type === 'task.progressed');
  expect(told).toMatchObject([
    { doneBytes: 33 * 1024 * 1024, doneItems: 0 },
    { doneBytes: 66 * 1024 * 1024, doneItems: 0 },
  ]);
});

test('readEvidence stops where it is told to', async () => {
  await expect(reading({ 'a.txt': NEEDLE }, { abort: true })).rejects.toThrow();
});

test('readEvidence says what is no text', async () => {
  const { unread, files } = await reading({ 'core.bin': Buffer.from([1, 0, 2, 0, 3]) });

  expect(unread).toEqual([['core.bin', 'not text']]);
  expect(files).toEqual([]);
});

const entry = (minute: number, phase: string, more: object = {}) => ({
  timestamp: `2026-08-20T10:0${minute}:00Z`,
  phase,
  ...more,
});
const failed = (minute: number, errorMessage: string) =>
  entry(minute, 'service end', { result: 'failure', errorMessage });
const RECORD = 'bootstrap/services/bootkube.json';

test('readEvidence hands on a record, and what it says of failures as lines of the journal', async () => {
  const entries = [entry(0, 'service start'), failed(1, `one\n${NEEDLE}`)];

  const { records, lines } = await reading({ [RECORD]: JSON.stringify(entries) });

  expect(records).toEqual([['bootkube', 2, RECORD, 1]]);
  expect(lines).toMatchObject([
    { text: 'one' },
    {
      file: RECORD,
      line: 1,
      text: NEEDLE.trim(),
      origins: ['record:bootkube', 'journal:bootstrap/bootkube'],
      at: new Date('2026-08-20T10:01:00Z'),
    },
  ]);
});

test('readEvidence leaves out what failed before a service succeeded', async () => {
  const entries = [
    failed(1, 'early'),
    entry(2, 'service end', { result: 'success' }),
    entry(3, 'stage end', { result: 'success' }),
    failed(4, 'late'),
  ];

  const { lines } = await reading({ [RECORD]: JSON.stringify(entries) });

  expect(lines.map(({ text }) => text)).toEqual(['late']);
});

test('readEvidence says why a record cannot be read, and reads on', async () => {
  const { unread, lines } = await reading({
    [RECORD]: '[{"phase":"service end"}]',
    'bootstrap/services/huge.json': `[${' '.repeat(16 * 1024 * 1024)}]`,
    'notes.txt': NEEDLE,
  });

  expect(unread).toEqual([
    [RECORD, expect.stringContaining('Cannot read the service record')],
    ['bootstrap/services/huge.json', 'too large for a service record'],
  ]);
  expect(lines).toHaveLength(1);
});

test('readEvidence knows a record by its content, but not whose it is', async () => {
  const { records } = await reading({ 'x.txt': JSON.stringify([failed(1, 'x')]) });

  expect(records).toEqual([['unknown', 1, 'x.txt', 1]]);
});

test('withOrigin wins over a guess, and over nothing that is known', () => {
  const guess = { format: 'plain', origins: ['cli:oc'], guessed: true } as const;
  const known = { format: 'journal', origins: ['journal:node/crio'] } as const;

  expect(withOrigin(guess, 'cli:podman')).toEqual({
    format: 'plain',
    origins: ['cli:podman'],
    guessed: undefined,
  });
  expect(withOrigin(guess, undefined)).toBe(guess);
  expect(withOrigin(known, 'cli:podman')).toBe(known);
  expect(withOrigin(undefined, 'cli:podman')).toBeUndefined();
});

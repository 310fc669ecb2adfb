import { expect, test } from 'vitest';
import type { EvidenceLine, EvidenceSink, LinePattern } from './evidence.ts';
import type { FileKind } from './file-kind.ts';
import { formatJournalExport } from './formats/journal-export.ts';
import { placed } from './line-in-place.ts';
import { createLineReader } from './read-lines.ts';
import { whereMatcher } from './rules/where.ts';

const NOW = new Date('2026-08-21T00:00:00Z');

const pattern = (text: string, ...where: readonly string[]): LinePattern => ({
  pattern: text,
  where: where.length > 0 ? where : ['*'],
  appliesTo: (origin) =>
    (where.length > 0 ? where : ['*']).some((one) => whereMatcher(one)(origin)),
});

interface Seen {
  readonly lines: { line: EvidenceLine; found: string[] }[];
  readonly times: Date[][];
}

function sinkFor(patterns: readonly LinePattern[], isWorth?: (raw: string) => boolean) {
  const seen: Seen = { lines: [], times: [] };
  const sink: EvidenceSink = {
    patterns,
    kinds: new Set(),
    ...(isWorth ? { isWorth } : {}),
    onLine: (line, found) =>
      seen.lines.push({ line, found: found.map(({ pattern: text }) => text) }),
    onTime: (at, first) => seen.times.push([first, at]),
    onRecord: () => undefined,
    onObject: () => undefined,
    onUnread: () => undefined,
    onFile: () => undefined,
  };
  return { seen, sink };
}

const GUESSED: FileKind = { format: 'plain', origins: [], guessed: true };

async function* chunksOf(...chunks: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function reading(
  chunks: string | Buffer | readonly string[],
  kind: FileKind,
  patterns: readonly LinePattern[],
  isWorth?: (raw: string) => boolean,
): Promise<Seen> {
  const { seen, sink } = sinkFor(patterns, isWorth);
  const content = Array.isArray(chunks) ? chunksOf(...chunks) : chunksOf(chunks as string);
  await createLineReader(sink, NOW).read(
    { name: 'f.log', path: 'f.log', modified: NOW, content },
    kind,
  );
  return seen;
}

const NEEDLE = pattern('needle in the haystack');

test('createLineReader tells of a line what it says, where it stands and who wrote it when', async () => {
  const { lines } = await reading(
    'nothing\nAug 20 10:11:12 master-0 crio[1]: needle in the haystack\n',
    GUESSED,
    [NEEDLE],
  );

  expect(lines).toEqual([
    {
      line: {
        file: 'f.log',
        line: 2,
        text: 'needle in the haystack',
        origins: ['journal:node/crio'],
        at: new Date('2026-08-20T10:11:12Z'),
        host: 'master-0',
        lead: undefined,
      },
      found: ['needle in the haystack'],
    },
  ]);
});

test('createLineReader offers the patterns of the origin only, in the order they were given', async () => {
  const patterns = [
    pattern('second word', '*'),
    pattern('first word', 'journal:node/crio'),
    pattern('first word', 'journal:bootstrap/*'),
    pattern('first word', 'journal:node/*'),
  ];
  const text = 'Aug 20 10:11:12 master-0 crio[1]: first word, second word\n';

  const { lines } = await reading(text, GUESSED, patterns);

  expect(lines.map(({ found }) => found)).toEqual([['second word', 'first word', 'first word']]);
  expect((await reading(text, GUESSED, patterns.slice(2, 3))).lines).toEqual([]);
});

test('createLineReader gives all lines of a file with a place of its own that origin', async () => {
  const kind: FileKind = { format: 'journal', origins: ['journal:node/kubelet'] };
  const { lines } = await reading('Aug 20 10:11:12 x y[1]: needle in the haystack\n', kind, [
    NEEDLE,
    pattern('needle in', 'journal:bootstrap/*'),
  ]);

  expect(lines.map(({ line, found }) => [line.text, line.origins, found])).toEqual([
    ['needle in the haystack', ['journal:node/kubelet'], ['needle in the haystack']],
  ]);
});

test('createLineReader asks a journal of one machine line by line for the unit', async () => {
  const kind: FileKind = { format: 'journal', origins: [], machine: 'bootstrap' };
  const patterns = [
    pattern('needle in the haystack', 'journal:bootstrap/crio'),
    pattern('needle in the', 'console:bootstrap'),
    pattern('needle in the', 'installer-log'),
    pattern('needle in', 'journal:bootstrap/unknown'),
  ];
  const text = 'Aug 20 10:11:12 x crio[1]: needle in the haystack\nneedle in the haystack\n';

  const { lines } = await reading(text, kind, patterns);

  expect(lines.map(({ line, found }) => [line.origins, found])).toEqual([
    [['journal:bootstrap/crio'], ['needle in the haystack']],
    [['journal:bootstrap/unknown'], ['needle in']],
  ]);
});

test('createLineReader takes nothing apart that is not worth it', async () => {
  const asked: string[] = [];
  const { lines } = await reading(
    'needle in the haystack 1\nneedle in the haystack 2\n',
    GUESSED,
    [NEEDLE],
    (raw) => {
      asked.push(raw);
      return raw.endsWith('2');
    },
  );

  expect(asked).toHaveLength(2);
  expect(lines.map(({ line }) => line.line)).toEqual([2]);
});

test('createLineReader tells the first and the last time of a file, whatever the lines say', async () => {
  const text = [
    'no time at all',
    'Aug 20 10:11:12 master-0 crio[1]: one',
    'Aug 20 10:15:12 master-0 crio[1]: two',
    'no time at all',
    '',
  ].join('\n');

  expect((await reading([text.slice(0, 60), text.slice(60)], GUESSED, [NEEDLE])).times).toEqual([
    [new Date('2026-08-20T10:11:12Z'), new Date('2026-08-20T10:15:12Z')],
  ]);
  expect((await reading('no time\n', GUESSED, [NEEDLE])).times).toEqual([]);
});

test('createLineReader finds the last time at the end of a long file, cut anywhere', async () => {
  const filler = `${'x'.repeat(100)}\n`.repeat(400);
  const last = 'Aug 20 10:15:12 master-0 crio[1]: two\n';
  const chunks = [
    'Aug 20 10:11:12 master-0 crio[1]: one\n',
    filler,
    last.slice(0, 9),
    last.slice(9),
  ];

  expect((await reading(chunks, GUESSED, [NEEDLE])).times).toEqual([
    [new Date('2026-08-20T10:11:12Z'), new Date('2026-08-20T10:15:12Z')],
  ]);
});

test('createLineReader takes the year of dates without one from a date in the file that has it', async () => {
  const short = 'Aug 20 10:11:12 master-0 crio[1]: needle in the haystack\n';
  const yearOf = async (first: string) =>
    (await reading(`${first}\n${short}`, GUESSED, [NEEDLE])).lines[0]?.line.at?.getUTCFullYear();

  expect(await yearOf('nothing')).toBe(2026);
  expect(await yearOf('2024-08-20T10:00:00Z began')).toBe(2024);
  expect(await yearOf('-- Logs begin at Tue 2023-08-01 10:00:00 UTC --')).toBe(2023);
  expect(await yearOf('time="2022-08-20T10:00:00Z" level=info msg="x"')).toBe(2022);
  // Half a year around it: what is dated later belongs to the year before.
  expect(await yearOf('2024-01-20T10:00:00Z began')).toBe(2023);
  expect(await yearOf('built from 2021-08-20T10:00:00Z')).toBe(2026);
});

test('createLineReader reads journals in the forms of machines', async () => {
  const entry = {
    at: new Date('2026-08-20T10:11:12Z'),
    host: 'master-0',
    unit: 'crio.service',
    program: 'crio',
    pid: 1,
    message: 'needle in the haystack',
  };
  const fields =
    'Thu 2026-08-20 10:11:12.0 UTC [s=1]\n    _HOSTNAME=master-0\n    _SYSTEMD_UNIT=crio.service\n    MESSAGE=needle in the haystack\n';
  const json = JSON.stringify({
    _HOSTNAME: 'master-0',
    _SYSTEMD_UNIT: 'crio.service',
    MESSAGE: [...Buffer.from('needle in the haystack')],
  });
  const originsOf = async (content: string | Buffer, format: FileKind['format']) =>
    (await reading(content, { format, origins: [] }, [NEEDLE])).lines.map(
      ({ line }) => line.origins,
    );

  expect(await originsOf(formatJournalExport(entry), 'journal-export')).toEqual([
    ['journal:node/crio'],
  ]);
  expect(await originsOf(fields, 'journal-fields')).toEqual([['journal:node/crio']]);
  expect(await originsOf(`${json}\n`, 'journal-json')).toEqual([['journal:node/crio']]);
});

test('createLineReader offers lines from elsewhere to the patterns of their origin, and no empty ones', () => {
  const { seen, sink } = sinkFor([pattern('one', 'object:Node'), pattern('two', 'object:Pod')]);
  const reader = createLineReader(sink, NOW);
  const about = { file: 'f', line: 3, origins: ['object:Node/n'] };

  reader.offer(['a', '', 'b'], about);
  reader.offer(['c'], { ...about, origins: ['object:Event/x'] });

  expect(seen.lines).toEqual([
    { line: { ...about, text: 'a' }, found: ['one'] },
    { line: { ...about, text: 'b' }, found: ['one'] },
  ]);
});

const inPlace = (text: string, before: readonly string[] = [], kind: FileKind = GUESSED) =>
  placed({ text, before: () => before }, kind, NOW);

test('placed reads what is indented together with what it goes on with', () => {
  const line = (text: string) => `Aug 20 10:11:12 master-0 crio[1]: ${text}`;

  expect(
    inPlace(line('    not found'), [line('unrelated'), line('Pull failed:'), line('  of a layer')]),
  ).toMatchObject({ message: 'Pull failed: of a layer not found', origins: ['journal:node/crio'] });
  expect(inPlace(line('    not found'), [line('Failed'), line('Caused by:')]).message).toBe(
    'Failed Caused by: not found',
  );
  expect(inPlace(line('  not found')).message).toBe('  not found');
  expect(inPlace(line(' not found'), [line('Pull failed:')]).message).toBe(' not found');
});

test('placed takes a line that does not tell for what the line before it began', () => {
  const crio = 'Aug 20 10:11:12 master-0 crio[1]: x';

  expect(inPlace('words', [crio, 'more words'])).toMatchObject({
    origins: ['journal:node/crio', 'text:unknown'],
    lead: 'more words',
  });
  expect(inPlace('words', ['error: x']).origins).toEqual([
    ...['cli:oc', 'cli:podman', 'cli:skopeo', 'cli:oc-mirror', 'text:unknown'],
  ]);
});

test.each([
  ['an empty line', ' '],
  ['a prompt', 'root@host# oc get nodes'],
])('placed does not look beyond %s', (_, between) => {
  const before = ['Aug 20 10:11:12 master-0 crio[1]: x', between];

  expect(inPlace('words', before).origins).toEqual(['text:unknown']);
  expect(inPlace('words', before, { ...GUESSED, origins: ['cli:oc'] }).origins).toEqual(['cli:oc']);
});

test.each([
  '$ oc-mirror list operators --catalog=x',
  '[root@host ~]# oc mirror --v2 -c isc.yaml file://x',
  'oc adm release mirror --to=m.lab:5000/ocp \\',
  '$ sudo podman pull m.lab:5000/x',
  'docker push m.lab:5000/x',
  '$ ./bin/skopeo copy docker://a docker://b',
])('placed takes what stands below "%s" for what the command says', (command) => {
  expect(inPlace('FATAL x', [command, '  --from=y']).origins).toEqual([
    ...['cli:oc', 'cli:podman', 'cli:skopeo', 'cli:oc-mirror', 'text:unknown'],
  ]);
});

test.each([
  '$ oc logs x',
  '$ docker logs registry',
  '$ oc adm must-gather',
  'docker push was slow,',
])('placed does not take what stands below "%s" for its own words', (command) => {
  expect(inPlace('FATAL x', [command]).origins).toEqual(['text:unknown']);
});

test('placed leads a line with the command that was typed and the line before it', () => {
  const before = () => ['[a@b ~]$ curl https://mirror.lab/v2/', '* Trying', 'so far', '< nothing'];
  const kind: FileKind = { format: 'plain', origins: [], guessed: true };
  const leadOf = (text: string) => placed({ text, before }, kind, NOW).lead;

  expect(leadOf('curl: (60) no')).toBe('[a@b ~]$ curl https://mirror.lab/v2/ so far');
  expect(leadOf('Error: no')).toBe('[a@b ~]$ curl https://mirror.lab/v2/ so far');
  expect(leadOf('Aug 20 10:11:12 host crio[1]: no')).toBeUndefined();
});

test('placed reads a folded value of YAML as one line', () => {
  const hit = {
    text: '        failed caused by: Post "https://tagging.lab/": dial tcp',
    before: () => ['    - lastSeen: now', "      message: 'it could not", '        find a zone:'],
    after: () => ["        10.0.0.1: i/o timeout'", '      reason: ProviderError'],
  };
  const kind: FileKind = { format: 'plain', origins: [], guessed: true };

  expect(placed(hit, kind, NOW).message).toBe(
    'message: \'it could not find a zone: failed caused by: Post "https://tagging.lab/": dial tcp 10.0.0.1: i/o timeout\'',
  );
  expect(placed({ ...hit, before: () => ['no key'] }, kind, NOW).message).toBe(hit.text.trim());
});

test.each([
  ["    message: 'RouteHealthDegraded: failed to GET route:", "x509: signed by nobody'", true],
  ['    message: "RouteHealthDegraded: failed to GET route:', 'x509: signed by nobody"', true],
  ["    message: 'closed'", 'x509: signed by nobody', false],
  ['    message: bare', 'x509: signed by nobody', false],
])('placed takes what looks like a key for a part of the value above: %s', (key, text, isPart) => {
  const kind: FileKind = { format: 'plain', origins: [], guessed: true };
  const { message } = placed({ text: `      ${text}`, before: () => [key] }, kind, NOW);

  expect(message.includes('message:')).toBe(isPart);
});

test('placed leads the errors that a registry lists with the line above the list', () => {
  const kind: FileKind = { format: 'plain', origins: [], guessed: true };
  const head = 'Error reading manifest 2 in docker.io/team/app: errors:';
  const before = () => [head, 'denied: requested access to the resource is denied'];
  const leadOf = (lines: () => readonly string[]) =>
    placed({ text: 'unauthorized: authentication required', before: lines }, kind, NOW).lead;

  expect(leadOf(before)).toBe(head);
  expect(leadOf(() => ['no list', 'denied: requested'])).toBe('denied: requested');
});

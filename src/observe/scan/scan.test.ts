import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineScanner, type LineHit, wholeLines } from './line-scanner.ts';
import { createLiteralMatcher } from './literal-matcher.ts';

test('createLiteralMatcher finds what a plain search finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'C', 'c', ' '), maxLength: 60 });
  const literal = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 6 });
  fc.assert(
    fc.property(
      letters,
      fc.uniqueArray(literal, { minLength: 1, maxLength: 6 }),
      (text, literals) => {
        const matcher = createLiteralMatcher(literals);
        const bytes = Buffer.from(text);
        const found: string[] = [];
        for (let from = 0; ; ) {
          const hit = matcher.find(bytes, from, bytes.length);
          if (!hit) break;
          for (const one of hit.literals.map((index) => literals[index] ?? '')) {
            const around = text.slice(Math.max(0, hit.at - one.length), hit.at + one.length + 3);
            expect(around.toLowerCase()).toContain(one);
            found.push(one);
          }
          from = hit.at + 1;
        }

        const expected = [...text].flatMap((_, at) =>
          literals.filter((one) => text.toLowerCase().startsWith(one, at)),
        );
        expect(found.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: 300 },
  );
});

async function scan(patterns: string[], chunks: string[]): Promise<LineHit[]> {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const hits: LineHit[] = [];
  for await (const batch of createLineScanner(patterns).scan(bytes())) hits.push(...batch);
  return hits;
}

test('createLineScanner gives line, text and patterns whatever the chunks', async () => {
  const text = 'first\r\nsecond with a needle\n\nneedle and thread\nlast thread';
  const chunkings = [[text], [...text], [text.slice(0, 20), text.slice(20)]];

  for (const chunks of chunkings) {
    const hits = await scan(['needle', 'thread'], chunks);
    expect(hits.map(({ line, text: one, patterns }) => [line, one, [...patterns]])).toEqual([
      [2, 'second with a needle', [0]],
      [4, 'needle and thread', [0, 1]],
      [5, 'last thread', [1]],
    ]);
  }
});

test('createLineScanner tells of a line only what all parts of a pattern allow', async () => {
  const lines = [
    'failed to read the seal of A',
    'failed to read a book',
    'failed to read the seal of B',
    ' failed to read on',
  ];

  const hits = await scan(['^(?!.*of B).*failed to read .*(?:seal|stamp) '], [lines.join('\n')]);

  // The last one goes on with a line that may hold the rest.
  expect(hits.map(({ line }) => line)).toEqual([1, 4]);
});

test('createLineScanner cuts a line that never ends', async () => {
  const chunks = Array.from({ length: 40 }, () => 'x'.repeat(64 * 1024));

  const hits = await scan(['needle'], [...chunks, ' a needle']);

  expect(hits).toHaveLength(1);
});

/** Scanners are kept: with a number of its own each is a new one. */
let scanners = 0;

async function scanFresh(patterns: readonly string[], text: string, isReworded = false) {
  scanners += 1;
  const number = (one: string) => one.replaceAll('#', String(scanners));
  async function* once() {
    yield Buffer.from(number(text));
  }
  const hits: LineHit[] = [];
  for await (const batch of createLineScanner(patterns.map(number), isReworded).scan(once()))
    hits.push(...batch);
  return hits.map((hit) => ({ ...hit, text: hit.text.replaceAll(String(scanners), '#') }));
}

const patternsIn = async (patterns: readonly string[], text: string, isReworded = false) =>
  (await scanFresh(patterns, text, isReworded)).map(({ line, patterns: found }) => [
    line,
    ...[...found].toSorted((a, b) => a - b),
  ]);

test('createLineScanner offers a line to each pattern of which it holds a literal', async () => {
  const patterns = ['needle #', 'thread #|needle #', 'button #', 'needle # .*thread #'];

  expect(await patternsIn(patterns, 'thread #\nneedle # and thread #\nbutton\n')).toEqual([
    [1, 1],
    [2, 0, 1, 3],
  ]);
});

test('createLineScanner asks for everything a pattern needs only where lines stay as they are', async () => {
  const patterns = ['longest literal # .*second word', '^(?!.*never).*longest literal #'];
  const text = 'longest literal # alone\nlongest literal # never\n';

  expect(await patternsIn(patterns, text)).toEqual([[1, 1]]);
  expect(await patternsIn(patterns, text, true)).toEqual([
    [1, 0, 1],
    [2, 0, 1],
  ]);
});

test.each([
  ['goes on after a colon', 'longest literal #:  '],
  ['goes on after a quote', '"longest literal #"  '],
  ['is indented', '  longest literal #'],
  ['is quoted', '> longest literal #'],
])('createLineScanner does not ask for everything of a line that %s', async (_, text) => {
  expect(await patternsIn(['longest literal #.*second word'], text)).toEqual([[1, 0]]);
});

test('createLineScanner gives the lines before a hit, as far as they are at hand', async () => {
  const [near] = await scanFresh(['needle #'], 'one\ntwo\nneedle #\nthree\n');
  const [far] = await scanFresh(['needle #'], `${'x'.repeat(3000)}\nlast\nneedle #\n`);
  const [first] = await scanFresh(['needle #'], 'needle #');

  expect(near?.before()).toEqual(['one', 'two']);
  expect(far?.before().map(({ length }) => length)).toEqual([2 * 1024 - 6, 4]);
  expect(first?.before()).toEqual([]);
});

test('createLineScanner cuts out of a long line what is around a hit, with its beginning', async () => {
  const head = 'h'.repeat(600);
  const noise = 'x'.repeat(20_000);

  const [hit, ...more] = await scanFresh(['needle #'], `${head}${noise}needle #${noise}`);

  expect(more).toEqual([]);
  expect(hit?.text.startsWith(`${'h'.repeat(512)} … xxx`)).toBe(true);
  expect(hit?.text).toContain(`${'x'.repeat(2048)}needle #xxx`);
  expect(hit?.text).not.toContain(`${'x'.repeat(2049)}needle`);
  expect(hit?.text.replace(/^h+ … /, '').length).toBeGreaterThan(8000);
  expect(hit?.text.length).toBeLessThanOrEqual(8 * 1024 + 512 + 3);
});

test('createLineScanner gives a line whole that is not too long, to its end', async () => {
  const line = `needle # ${'x'.repeat(8 * 1024 - 20)}`;

  expect((await scanFresh(['needle #'], `${line}\r\nnext`)).map(({ text }) => text)).toEqual([
    line,
  ]);
});

test('createLineScanner finds in the beginning of a long line what a pattern needs', async () => {
  const noise = 'x'.repeat(20_000);
  const patterns = ['by whom #.*longest literal #'];

  expect(await patternsIn(patterns, `by whom # ${noise} longest literal #`)).toEqual([[1, 0]]);
  expect(await patternsIn(patterns, `${noise} by whom # ${noise} longest literal #`)).toEqual([]);
});

test('createLineScanner finds nothing where nothing is looked for, and refuses what cannot be', async () => {
  expect(await scanFresh([], 'text #')).toEqual([]);
  await expect(scanFresh(['\\d+#'], 'text #')).rejects.toThrow('No literal to look for in');
});

test('createLineScanner makes one scanner for the same patterns', () => {
  expect(createLineScanner(['the same pattern'])).toBe(createLineScanner(['the same pattern']));
  expect(createLineScanner(['the same pattern'], true)).not.toBe(
    createLineScanner(['the same pattern']),
  );
});

test('wholeLines cuts a stream at ends of lines, and a line that never ends where it must', async () => {
  async function* chunks(...texts: readonly string[]) {
    for (const text of texts) yield Buffer.from(text);
  }
  const blocksOf = async (...texts: readonly string[]) => {
    const blocks: string[] = [];
    for await (const block of wholeLines(chunks(...texts))) blocks.push(block.toString());
    return blocks;
  };
  const long = 'x'.repeat(1024 * 1024);

  expect(await blocksOf('a\nb', 'c', 'd\ne\n', 'f')).toEqual(['a\n', 'bcd\ne\n', 'f']);
  expect(await blocksOf('a\n', 'b\n')).toEqual(['a\n', 'b\n']);
  expect(await blocksOf('a\nb')).toEqual(['a\nb']);
  expect((await blocksOf(long, 'y', 'z')).map(({ length }) => length)).toEqual([
    1024 * 1024 + 1,
    1,
  ]);
});

test('a scanner knows what stands before the last line of a paste, which has no end', async () => {
  async function* paste() {
    yield Buffer.from('$ oc get nodes\nan error that is known');
  }
  const scanner = createLineScanner(['error that is known']);

  const hits: LineHit[] = [];
  for await (const found of scanner.scan(paste())) hits.push(...found);

  expect(hits.map((hit) => [hit.line, hit.before()])).toEqual([[2, ['$ oc get nodes']]]);
});

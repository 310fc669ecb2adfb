import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineScanner, type LineHit } from './line-scanner.ts';
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

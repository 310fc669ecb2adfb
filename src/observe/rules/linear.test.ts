import { expect, test } from 'vitest';
import { ambiguitiesOf } from '../../../test/support/pattern-shape.ts';
import { createLineScanner, LONGEST_TEXT } from '../scan/line-scanner.ts';
import { requiredLiterals } from '../scan/literals.ts';
import { SIGNAL_PATTERNS } from '../timeline/timeline.ts';
import { shippedRules } from './catalogue.ts';

test.each([
  ['(a+)+b', ['nested']],
  ['(?:\\w+ ?)*end of it', ['nested']],
  ['\\w+\\d*x', ['adjacent']],
  ['.*.*x', ['adjacent']],
  ['\\S+(?:abc)?\\w*x', ['adjacent']],
  ['[^"]+[a-z]{2,}', ['adjacent']],
  ['(?!.*.*x)abc', ['adjacent']],
  ['\\d+\\s+\\d+', []],
  ['"[^"]*" .*x', []],
  ['a.*b.*c', []],
  ['.{0,60}\\w+ x', []],
  ['(?:a+|b+)c', []],
])('ambiguitiesOf /%s/', (source, expected) => {
  expect(ambiguitiesOf(source)).toEqual(expected);
});

const PATTERNS = [
  ...shippedRules().flatMap(({ id, pattern, over, needs, unless }) =>
    [pattern, over, ...needs, ...unless].flatMap((source) => (source ? [{ id, source }] : [])),
  ),
  ...SIGNAL_PATTERNS.map(({ pattern }) => ({ id: 'timeline', source: pattern })),
];

test('no pattern of the catalogue is ambiguous: what does not match is not tried in many ways', () => {
  const wrong = PATTERNS.filter(({ source }) => ambiguitiesOf(source).length > 0);

  expect(wrong).toEqual([]);
});

const MEGABYTE = 1024 * 1024;

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** How many characters are handed to patterns, and the longest of the texts. */
async function offered(text: string): Promise<{ characters: number; longest: number }> {
  const lengths: number[] = [];
  const scanner = createLineScanner(PATTERNS.map(({ source }) => source));
  for await (const hits of scanner.scan(once(text)))
    lengths.push(...hits.map((hit) => hit.text.length));
  return {
    characters: lengths.reduce((sum, one) => sum + one, 0),
    longest: Math.max(0, ...lengths),
  };
}

const LITERALS = [...new Set(PATTERNS.flatMap(({ source }) => requiredLiterals(source, 3) ?? []))];

test.each([
  ['every literal there is, again and again', LITERALS.join(' ')],
  ['one literal without end', LITERALS[0] ?? ''],
  [
    'the longest literal, then runs of one character',
    `${LITERALS.toSorted((a, b) => b.length - a.length)[0]}${'a'.repeat(5000)}`,
  ],
  ['the rarest literal once in a long run', `${'x'.repeat(300_000)}${LITERALS.at(-1)}`],
])(
  'a line of a megabyte with %s is handed on in pieces, no more than it holds',
  async (_, part) => {
    const line = part.repeat(Math.ceil(MEGABYTE / part.length)).slice(0, MEGABYTE);

    const one = await offered(line);
    const two = await offered(`${line}${line}`);

    // With each piece come the beginning of its line and a quarter of the piece before.
    expect(one.characters).toBeLessThan(1.5 * MEGABYTE);
    expect(two.characters).toBeLessThan(3 * MEGABYTE);
    expect(one.longest).toBeLessThanOrEqual(LONGEST_TEXT + 1024);
  },
);

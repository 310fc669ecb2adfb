import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { seenText } from '../match-line.ts';
import { shippedRules } from '../rules/catalogue.ts';
import { SIGNAL_PATTERNS } from '../timeline/timeline.ts';
import { createLineScanner, type LineHit, type LineScanner } from './line-scanner.ts';
import { requiredLiterals } from './literals.ts';

const UNITS = ['kubelet', 'crio', 'bootkube', 'approve-csr', 'node-image-pull', 'release-image'];

/** How lines begin; a journal with units has one of these in every line. */
const BEGINNINGS = UNITS.map(
  (unit) => `Thu 2026-08-20 10:12:37 UTC bootstrap ${unit}.service[5867]: I0820 10:12:37.1`,
);

test('no pattern is looked for by words with which lines of a journal begin', () => {
  const sources = [
    ...shippedRules().flatMap(({ pattern = [], over = [] }) => [pattern, over].flat()),
    ...SIGNAL_PATTERNS.map(({ pattern }) => pattern),
  ];
  const common = sources.filter((source) =>
    requiredLiterals(source, 3)?.some((literal) =>
      BEGINNINGS.some((text) => text.toLowerCase().includes(literal)),
    ),
  );

  expect(sources.length).toBeGreaterThan(200);
  expect(common).toEqual([]);
});

/** Every line that rules and corpus hold. */
async function* knownText(): AsyncGenerator<Buffer> {
  for (const { sample, wordings, not_sample } of shippedRules()) {
    const texts = [sample, ...wordings, not_sample].filter((one) => typeof one === 'string');
    yield Buffer.from(`${texts.join('\n')}\n`);
  }
  for (const half of ['known', 'blind']) {
    const folder = new URL(`../../../test/corpus/${half}/`, import.meta.url);
    for (const name of await readdir(folder)) yield readFile(new URL(name, folder));
  }
}

async function* oneChunk(text: Buffer): AsyncGenerator<Buffer> {
  yield text;
}

async function hitsOf(scanner: LineScanner, text: Buffer): Promise<Map<number, LineHit>> {
  const hits = new Map<number, LineHit>();
  for await (const batch of scanner.scan(oneChunk(text)))
    for (const hit of batch) hits.set(hit.line, hit);
  return hits;
}

test('the scanner lets no line pass that a pattern would match', async () => {
  const rules = shippedRules().filter(({ regexp }) => regexp !== undefined);
  const scanner = createLineScanner(rules.map(({ pattern = '' }) => pattern));
  const matched: { missed: boolean; id: string; line: string }[] = [];
  for await (const text of knownText()) {
    const hits = await hitsOf(scanner, text);
    for (const [index, line] of text.toString().split('\n').entries()) {
      const found = hits.get(index + 1)?.patterns;
      const seen = seenText(line);
      for (const [pattern, { id, regexp }] of rules.entries())
        if (regexp?.test(seen)) matched.push({ missed: !found?.has(pattern), id, line });
    }
  }

  expect(matched.filter(({ missed }) => missed)).toEqual([]);
  expect(matched.length).toBeGreaterThan(1000);
}, 300_000);

// Makes dist/failures.json: the catalogue of failures as JSON, which is read in a tenth of the time that YAML takes.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { loadSources } from './load-sources.mjs';

const root = join(import.meta.dirname, '..');

/**
 * Holds the hash of what it was made from: a catalogue that was changed since is read as YAML. What rules are only
 * tested by can be left out.
 */
export async function failuresJson({ withTests = true } = {}) {
  const folder = join(root, 'assets', 'failures');
  const texts = readdirSync(folder)
    .sort()
    .map((name) => ({
      file: `assets/failures/${name}`,
      text: readFileSync(join(folder, name), 'utf8'),
    }));
  const hash = createHash('sha256');
  for (const { text } of texts) hash.update(text);
  const files = texts.map(({ file, text }) => ({ file, data: parse(text) }));
  return JSON.stringify(
    { sha256: hash.digest('hex'), files, clauses: await clausesOf(files) },
    (name, value) => (withTests ? value : withoutTests(name, value)),
  );
}

/** By which literals each pattern is looked for: to find that out takes longer than to read most logs. */
async function clausesOf(files) {
  const { literalClauses } = await loadSources(
    `export { literalClauses } from './src/observe/scan/literals.ts';`,
  );
  const patterns = files.flatMap(({ data: { failures = [], causes = {} } }) => [
    ...failures.flatMap(({ pattern, over, needs = [], unless = [] }) => [
      ...[pattern, over].filter((one) => one !== undefined),
      ...needs,
      ...unless,
    ]),
    ...Object.values(causes.lines ?? {}),
  ]);
  const sources = new Set(patterns.flatMap(sourceOf));
  return [...sources].map((source) => [source, literalClauses(source, 1)]);
}

/** What is no expression is told, with its rule, by whoever reads the catalogue. */
function sourceOf(pattern) {
  try {
    return [new RegExp(pattern).source];
  } catch {
    return [];
  }
}

/** A rule must have a look-alike: an empty one takes no room. */
function withoutTests(name, value) {
  if (name === 'wordings') return undefined;
  return name === 'not_sample' ? '' : value;
}

if (process.argv[1] === import.meta.filename) {
  const [path = join(root, 'dist', 'failures.json')] = process.argv.slice(2);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await failuresJson());
}

// Makes dist/failures.json: the catalogue of failures as JSON, which is read in a tenth of the time that YAML takes.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');

/**
 * Holds the hash of what it was made from: a catalogue that was changed since is read as YAML. What rules are only
 * tested by can be left out.
 */
export function failuresJson({ withTests = true } = {}) {
  const folder = join(root, 'assets', 'failures');
  const texts = readdirSync(folder)
    .sort()
    .map((name) => ({
      file: `assets/failures/${name}`,
      text: readFileSync(join(folder, name), 'utf8'),
    }));
  const hash = createHash('sha256');
  for (const { text } of texts) hash.update(text);
  return JSON.stringify(
    {
      sha256: hash.digest('hex'),
      files: texts.map(({ file, text }) => ({ file, data: parse(text) })),
    },
    (name, value) => (withTests ? value : withoutTests(name, value)),
  );
}

/** A rule must have a look-alike: an empty one takes no room. */
function withoutTests(name, value) {
  if (name === 'wordings') return undefined;
  return name === 'not_sample' ? '' : value;
}

if (process.argv[1] === import.meta.filename) {
  const [path = join(root, 'dist', 'failures.json')] = process.argv.slice(2);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, failuresJson());
}

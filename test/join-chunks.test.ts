import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { joinChunks } from '../scripts/join-chunks.mjs';
import { tempDir } from './support/temp.ts';

const says = (word: string) => `console.log('${word}');\n`;
const FILES = new Map([
  [
    'cli/main.js',
    `${says('main')}require("../chunks/a.js").later();\nrequire("../chunks/d.js");\n`,
  ],
  [
    'chunks/a.js',
    `${says('a')}const b = require("./b.js");\nexports.later = () => { const c = require("./c.js"); b.say(c); };\n`,
  ],
  ['chunks/b.js', `${says('b')}exports.say = (c) => console.log('b says ' + c.word);\n`],
  ['chunks/c.js', `${says('c')}exports.word = 'c';\n`],
  ['chunks/d.js', `${says('d')}module.exports = require("./b.js");\n`],
]);

async function run(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await tempDir();
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return execFileSync(process.execPath, [join(folder, 'cli', 'main.js')], { encoding: 'utf8' });
}

test('joinChunks keeps what runs when, each chunk once and none before it is asked for', async () => {
  const joined = joinChunks(FILES, { 'first.js': ['a.js', 'b.js'], 'second.js': ['c.js'] });

  expect([...joined.keys()].toSorted()).toEqual([
    'chunks/d.js',
    'chunks/first.js',
    'chunks/second.js',
    'cli/main.js',
  ]);
  expect(await run(joined)).toBe('main\na\nb\nc\nb says c\nd\n');
  expect(await run(joined)).toBe(await run(FILES));
});

test('joinChunks loads a late chunk when what it exports is first used', async () => {
  const joined = joinChunks(FILES, { 'first.js': ['a.js'] }, new Set(['b.js']));

  expect(await run(joined)).toBe('main\na\nc\nb\nb says c\nd\n');
});

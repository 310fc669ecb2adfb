import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { GLOBAL_OPTIONS } from '../src/cli/global-options.ts';
import { flagsOf } from '../src/cli/options.ts';
import { parseArguments } from '../src/cli/parse.ts';
import { messageOf } from '../src/core/errors.ts';

const ROOT = join(import.meta.dirname, '..');
const SET = { commands: COMMANDS, groups: GROUPS };

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...readdirSync(join(ROOT, 'docs', 'guide')).map((name) => join('docs', 'guide', name)),
  'examples/README.md',
  ...readdirSync(join(ROOT, 'src')).map((name) => join('src', name, 'README.md')),
];

/** A document as its code blocks and the words between backticks outside of them. */
function codeOf(file: string): { readonly blocks: string[]; readonly spans: string[] } {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(/^ *```.*\n/m);
  const prose = parts.filter((_, index) => index % 2 === 0).join('\n');
  return {
    blocks: parts.filter((_, index) => index % 2 === 1),
    spans: [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' ')),
  };
}

/** Command lines of a block: typed at a prompt, after another command, or named as the next step. */
function callsIn(block: string): string[] {
  const lines = block.replace(/\\\n\s*/g, '').split('\n');
  const call =
    /(?:^\s*|^\$ |[;(]\s*|^\s*next: (?:Run: )?)(atoll (?:[^|<>;&()#'"]|'[^']*'|"[^"]*")+)/;
  return lines.map((line) => call.exec(line)?.[1]?.trim()).filter((found) => found !== undefined);
}

const wordsOf = (call: string) =>
  (call.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [])
    .slice(1)
    .map((word) => word.replace(/['"]/g, ''));

function mistakeIn(call: string): string | undefined {
  try {
    const { kind } = parseArguments(wordsOf(call), SET);
    return kind === 'run' ? undefined : `"${call}" is no whole command`;
  } catch (error) {
    return `"${call}": ${messageOf(error)}`;
  }
}

/** In a sentence a command may lack what it needs, but it may not have what does not exist. */
const isIncomplete = (mistake: string) => /is no whole command|missing/i.test(mistake);

test.each(documents)('%s shows only command lines that exist', (file) => {
  const { blocks, spans } = codeOf(file);
  const shown = blocks.flatMap(callsIn).map(mistakeIn);
  const named = spans
    .filter((span) => span.startsWith('atoll '))
    .map((span) => mistakeIn(span.replace(/ …$/, '')))
    .filter((mistake) => mistake !== undefined && !isIncomplete(mistake));

  expect([...shown, ...named].filter((mistake) => mistake !== undefined)).toEqual([]);
});

const FLAGS = new Set([
  ...[...COMMANDS.map(({ options }) => options), GLOBAL_OPTIONS].flatMap((options) =>
    Object.entries(options).map(([key, spec]) => /--[\w-]+/.exec(flagsOf(key, spec))?.[0]),
  ),
  '--help',
  '--version',
  // Of `npm run bench`.
  '--quick',
  '--smallest',
  '--huge',
]);

const forUsers = documents.filter((file) => /^README|^docs/.test(file));

test.each(forUsers)('%s names only flags that exist', (file) => {
  const flags = codeOf(file).spans.map((span) => /^--[\w-]+/.exec(span)?.[0]);

  expect(flags.filter((flag) => flag !== undefined && !FLAGS.has(flag))).toEqual([]);
});

test('documents for users have command lines to check', () => {
  const calls = forUsers.flatMap((file) => codeOf(file).blocks.flatMap(callsIn));

  expect(calls.length).toBeGreaterThan(80);
});

/** What does not change with the language: headings by depth, lists, tables, pictures, links and console output. */
function shapeOf(file: string) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '```');
  return {
    lines: [...prose.matchAll(/^(#+ |\d+\. |\||!\[|```)/gm)].map(([mark]) => mark),
    links: [...prose.matchAll(/(?<!!\[[^\]]*)\]\((?!README)([^)]+\.md)\)/g)].map(([, to]) => to),
    consoles: text.match(/^```console[\s\S]*?^```$/gm),
    columns: [...prose.matchAll(/^\|.*$/gm)].map(([row]) => row.split('|').length),
  };
}

test('README.zh-CN.md has the sections, tables and outputs of README.md', () => {
  const shape = shapeOf('README.md');

  expect(shapeOf('README.zh-CN.md')).toEqual(shape);
  expect(shape.consoles?.length).toBeGreaterThan(2);
});

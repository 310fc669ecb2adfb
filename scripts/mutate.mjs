// Mutation testing of one module: `npm run mutate -- core`, or a path below src/, and after it which of its files.
// Not in CI: it takes minutes. Stryker makes the mutants; tools/mutate/runner.mjs tries them. `MUTATE_TESTS=test/a.test.ts,…`
// adds tests that are not beside the sources; `MUTATE_EVERY=4` tries each fourth mutant only, for an estimate.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const tools = join(root, 'tools', 'mutate');
const [module, ...only] = process.argv.slice(2);
const every = Number(process.env.MUTATE_EVERY ?? 1);
/**
 * Tests that take longer than the first of these come after all the others, and a mutant that has survived so much of
 * them is left alone; longer than the last, a test is not used.
 */
const ROUNDS = [
  { slowMs: 60, mostMs: 1e9 },
  { slowMs: 2000, mostMs: 10_000 },
];
/** A mutant that loops without end stops its process: it is given up after this long without a word. */
const SILENT_MS = 120_000;
const MOST_STARTS = 200;

if (!module || !existsSync(join(root, 'src', module))) {
  const modules = readdirSync(join(root, 'src')).join(', ');
  console.error(`usage: npm run mutate -- MODULE [FILE…]\nmodules: ${modules}`);
  process.exit(2);
}
if (!existsSync(join(tools, 'node_modules'))) {
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tools, stdio: 'inherit' });
}
const { instrument } = await import('../tools/mutate/instrument.mjs');

const folder = join(root, 'dist', 'mutation', module.replaceAll('/', '-'));
const journal = join(folder, 'journal.txt');
const report = join(folder, 'mutation.json');
const sources = join(folder, 'sources.json');
mkdirSync(folder, { recursive: true });
rmSync(journal, { force: true });

const paths = readdirSync(join(root, 'src', module), { recursive: true })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .filter((name) => only.length === 0 || only.some((one) => name.includes(one)))
  .map((name) => join(root, 'src', module, name));
const { files, mutants } = await instrument(paths);
writeFileSync(sources, JSON.stringify(files.map(({ name, content }) => [name, content])));

for (const settings of ROUNDS) {
  appendFileSync(journal, 'round\n');
  for (let start = 0; start < MOST_STARTS && !(await round(settings)); start += 1);
}
tell(judge());

/** One run of all the tests; false when a process did not come to its end, and it has to go on in another. */
async function round(limits) {
  const before = words().length;
  const tests = [
    `src/${module}/**/*.test.ts`,
    ...(process.env.MUTATE_TESTS ?? '').split(',').filter(Boolean),
  ];
  const settings = { root, sources, tests, journal, every, ...limits };
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--config',
      join(tools, 'vitest.config.mjs'),
    ],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1', ATOLL_MUTATE: JSON.stringify(settings) },
    },
  );
  const watch = setInterval(() => {
    const at = existsSync(journal) ? statSync(journal).mtimeMs : Date.now();
    if (Date.now() - at > SILENT_MS) process.kill(-child.pid, 'SIGKILL');
  }, 5000);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  const open = unanswered(words().slice(before));
  for (const pair of open) appendFileSync(journal, `hung\t${pair}\n`);
  console.error(summary(judge()));
  return (
    open.length === 0 &&
    !words()
      .slice(before)
      .some(([what]) => what === 'spoilt')
  );
}

function words() {
  const text = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
  return text.split('\n').map((line) => line.split('\t'));
}

function unanswered(lines) {
  const open = new Set();
  for (const [what, ...pair] of lines) {
    if (what === 'trying') open.add(pair.join('\t'));
    if (what === 'passed' || what === 'killed' || what === 'hung') open.delete(pair.join('\t'));
  }
  return [...open];
}

/** What became of each mutant. One that only loading reaches cannot be switched on by a test: it does not count. */
function judge() {
  const verdicts = new Map();
  const loaded = new Set();
  for (const [what, test, ids = ''] of words()) {
    for (const id of ids.split(',')) {
      if (what === 'loaded') loaded.add(id);
      if (what === 'reached' && !verdicts.has(id)) verdicts.set(id, { status: 'survived' });
      if (what === 'killed' || what === 'hung') verdicts.set(id, { status: what, by: test });
    }
  }
  return mutants
    .filter(({ id, status }) => status !== 'Ignored' && Number(id) % every === 0)
    .map(({ id, fileName, location, mutatorName, replacement }) => ({
      file: relative(root, fileName),
      line: location.start.line + 1,
      column: location.start.column + 1,
      end: { line: location.end.line + 1, column: location.end.column + 1 },
      mutator: mutatorName,
      replacement,
      ...(verdicts.get(id) ?? { status: loaded.has(id) ? 'static' : 'unreached' }),
    }));
}

function summary(results) {
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const total = results.length - count('static');
  const dead = count('killed', 'hung');
  const score = total === 0 ? 'n/a' : `${((100 * dead) / total).toFixed(1)} %`;
  return `${score} of ${total}: ${dead} killed (${count('hung')} by time), ${count('survived')} survived, ${count('unreached')} unreached; ${count('static')} static not counted`;
}

function tell(results) {
  writeFileSync(report, `${JSON.stringify(results, undefined, 1)}\n`);
  const alive = results.filter(({ status }) => status === 'survived' || status === 'unreached');
  for (const { file, line, column, mutator, replacement, status } of alive) {
    const change = replacement.replaceAll(/\s+/g, ' ').slice(0, 100);
    console.log(`${file}:${line}:${column} ${status} ${mutator}: ${change}`);
  }
  for (const name of new Set(results.map(({ file }) => file))) {
    console.log(`${name}: ${summary(results.filter(({ file }) => file === name))}`);
  }
  const red = new Set(words().flatMap(([what, test]) => (what === 'red' ? [test] : [])));
  for (const test of red) console.log(`failed without a mutant, and was not used: ${test}`);
  console.log(`src/${module}: ${summary(results)}`);
}

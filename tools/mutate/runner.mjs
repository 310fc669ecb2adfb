import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { vi } from 'vitest';
import { VitestTestRunner } from 'vitest/runners';
import { getFn, getHooks } from 'vitest/suite';

const { setTimeout: later, clearTimeout: forget } = globalThis;
const { journal, slowMs, mostMs, every } = JSON.parse(process.env.ATOLL_MUTATE);
/** The switchboard that the instrumented sources look at. */
const board = {
  mutantCoverage: { static: {}, perTest: {} },
  currentTestId: undefined,
  activeMutant: undefined,
  hitCount: undefined,
  hitLimit: undefined,
};
globalThis.__stryker__ = board;

const killed = new Set();
const tried = new Set();
const finished = new Set();
/** How long each test took. */
const took = new Map();
/** How long tests of this round took that a mutant survived. */
const spent = new Map();
if (existsSync(journal)) {
  for (const line of readFileSync(journal, 'utf8').split('\n')) recall(line);
}

function recall(line) {
  const [what, test, mutant] = line.split('\t');
  if (what === 'killed' || what === 'hung') killed.add(mutant);
  if (what === 'killed' || what === 'hung' || what === 'passed') tried.add(`${test}\t${mutant}`);
  if (what === 'finished') finished.add(test);
  if (what === 'took') took.set(test, Number(mutant));
  if (what === 'round') spent.clear();
  if (what === 'passed') spent.set(mutant, (spent.get(mutant) ?? 0) + (took.get(test) ?? 0));
}

const note = (...words) => appendFileSync(journal, `${words.join('\t')}\n`);

/**
 * Runs each test once as it is, and then once for each mutant that it reaches and no test has killed yet, all in one
 * process: nothing is loaded again, so a mutant costs what the test costs.
 */
export default class MutantRunner extends VitestTestRunner {
  async runTask(test) {
    const name = nameOf(test);
    if (finished.has(name) || took.get(name) > slowMs) return;
    const started = performance.now();
    const reached = await this.#look(test, name);
    const firstMs = performance.now() - started;
    // The first run may have loaded what later ones find there.
    const isUnsure = reached && firstMs > slowMs && firstMs < 10_000;
    const tookMs = isUnsure ? Math.min(firstMs, await timeOf(test)) : firstMs;
    note('took', name, reached ? tookMs : Number.POSITIVE_INFINITY);
    took.set(name, tookMs);
    if (reached === undefined) return note('red', name);
    note('reached', name, Object.keys(reached).join(','));
    note('loaded', name, Object.keys(board.mutantCoverage.static).join(','));
    if (tookMs > slowMs) return;
    const limitMs = 5000 + 20 * tookMs;
    for (const [mutant, hits] of Object.entries(reached)) {
      if (Number(mutant) % every > 0) continue;
      if (killed.has(mutant) || tried.has(`${name}\t${mutant}`)) continue;
      if (spent.get(mutant) > mostMs) continue;
      await this.#try(test, name, { mutant, hits, limitMs });
    }
    note('finished', name);
  }

  /** The mutants the test reaches, with how often; undefined when it fails by itself. */
  async #look(test, name) {
    board.currentTestId = name;
    const passed = await run(test, 60_000);
    board.currentTestId = 'another';
    return passed === 'passed' ? (board.mutantCoverage.perTest[name] ?? {}) : undefined;
  }

  async #try(test, name, { mutant, hits, limitMs }) {
    note('trying', name, mutant);
    Object.assign(board, { activeMutant: mutant, hitCount: 0, hitLimit: 1000 + 100 * hits });
    const result = await run(test, limitMs);
    Object.assign(board, { activeMutant: undefined, hitCount: undefined });
    note(result, name, mutant);
    recall([result, name, mutant].join('\t'));
    if (result === 'passed') return;
    // What the mutant left behind must not kill the next one.
    if ((await run(test, 60_000)) === 'passed') return;
    note('spoilt', name, mutant);
    process.kill(process.pid, 'SIGKILL');
  }
}

async function timeOf(test) {
  const started = performance.now();
  await run(test, 60_000);
  return performance.now() - started;
}

async function run(test, limitMs) {
  let timer;
  const late = new Promise((resolve) => {
    timer = later(() => resolve('hung'), limitMs);
  });
  const passing = (async () => getFn(test)())().then(
    () => 'passed',
    () => 'killed',
  );
  const result = await Promise.race([passing, late]);
  forget(timer);
  await betweenRuns(test);
  return result;
}

/** vitest does this once around all of our runs; each must find what the first one found. */
async function betweenRuns(test) {
  const suites = [];
  for (let suite = test.suite ?? test.file; suite; suite = suite.suite) suites.push(suite);
  const after = suites.flatMap((suite) => getHooks(suite).afterEach.toReversed());
  const before = suites.toReversed().flatMap((suite) => getHooks(suite).beforeEach);
  const finished = (test.onFinished ?? []).splice(0).toReversed();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  for (const hook of [...after, ...finished, ...before]) {
    await (async () => hook(test.context, test.suite))().catch(() => undefined);
  }
}

function nameOf(test) {
  const names = [];
  for (let task = test; task && task.type !== 'file' && task.name; task = task.suite)
    names.unshift(task.name);
  const file = relative(process.cwd(), test.file.filepath);
  return `${file} > ${names.join(' > ')}`.replaceAll(/[\t\n]/g, ' ');
}

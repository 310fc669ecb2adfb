// npm run bench steps [-- --definitions N]: step list and step show of a registry as large as the public one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const GOAL_SECONDS = 2;
const CLI = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: { definitions: { type: 'string', default: '8500' } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'atoll-bench-steps-'));
  try {
    const registry = join(folder, 'registry');
    makeRegistry(registry, Number(values.definitions));
    return report(folder, registry);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of ten definitions seven are steps, each with a script, two are chains and one is a workflow. */
function makeRegistry(root, count) {
  for (let number = 0; number < count; number += 1) {
    const kind = number % 10 === 9 ? 'workflow' : number % 10 > 6 ? 'chain' : 'ref';
    const name = `team-${number % 97}-job-${number}`;
    const folder = join(root, `team-${number % 97}`, `job-${number}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}-${kind}.yaml`), TEXTS[kind](name, number));
    if (kind === 'ref') writeFileSync(join(folder, `${name}-commands.sh`), 'true\n');
  }
}

const refName = (number) => `team-${number % 97}-job-${number}`;
const uses = (number) =>
  [1, 2, 3]
    .map((back) => number - (number % 10) + back)
    .map((at) => `  - ref: ${refName(at)}\n`)
    .join('');
const env = (number) =>
  Array.from(
    { length: 6 },
    (_, index) =>
      `  - name: VARIABLE_${number}_${index}\n    default: "value ${index}"\n    documentation: |-\n      What variable ${index} is good for.\n`,
  ).join('');
const TEXTS = {
  ref: (name, number) =>
    `ref:\n  as: ${name}\n  from: cli\n  commands: ${name}-commands.sh\n  timeout: 1h0m0s\n  resources:\n    requests:\n      cpu: 100m\n      memory: 200Mi\n  env:\n${env(number)}  documentation: |-\n    Does thing ${number}.\n    In several lines.\n`,
  chain: (name, number) =>
    `chain:\n  as: ${name}\n  steps:\n${uses(number)}  documentation: |-\n    Thing ${number} after thing.\n`,
  workflow: (name, number) =>
    `workflow:\n  as: ${name}\n  steps:\n    pre:\n${uses(number).replaceAll('  -', '    -')}    post:\n    - chain: ${refName(number - 1)}\n  documentation: |-\n    All of ${number}.\n`,
};

function report(folder, registry) {
  const runs = [
    ['step list, the first time', ['list']],
    ['step list, again', ['list']],
    ['step show', ['show', refName(4009)]],
  ].map(([title, words]) => ({ title, ...measure(folder, registry, words) }));
  for (const { title, seconds, lines } of runs)
    console.log(`${title.padEnd(26)} ${seconds.toFixed(2)} s, ${lines} lines`);
  const met = runs.slice(1).every(({ seconds }) => seconds <= GOAL_SECONDS);
  console.log(`goal: at most ${GOAL_SECONDS} s (${met ? 'met' : 'MISSED'})`);
  return met ? 0 : 1;
}

function measure(folder, registry, words) {
  const started = performance.now();
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [CLI, 'step', ...words, '--registry', registry],
    { env: { ...process.env, XDG_CACHE_HOME: folder }, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(stderr.slice(0, 1000));
  return { seconds: (performance.now() - started) / 1000, lines: stdout.split('\n').length };
}

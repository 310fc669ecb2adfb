// npm run bench mirror [-- --quick] [--rounds N] [--only cold,latency,embedded,memory,scale] [--json FILE]
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { goal, ratio, summary, table } from './figures.mjs';
import { SCENARIOS } from './scenarios.mjs';

function parse(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string', default: Object.keys(SCENARIOS).join(',') },
      json: { type: 'string', default: '.atoll/bench-mirror.json' },
    },
  });
  const only = values.only.split(',');
  const unknown = only.filter((name) => !(name in SCENARIOS));
  if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(', ')}`);
  return { ...values, only, rounds: Number(values.rounds ?? (values.quick ? 1 : 3)) };
}

export async function run(args) {
  const options = parse(args);
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-'));
  const figures = [];
  const goals = [];
  try {
    for (const name of options.only) {
      console.error(`… ${name}`);
      const result = await SCENARIOS[name](folder, options, { goal, ratio, summary });
      figures.push(...result.figures.map((figure) => ({ part: name, ...figure })));
      goals.push(...result.goals.map((each) => ({ part: name, ...each })));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(figures, goals);
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, memoryMB: totalmem() >> 20 };
  const { quick, rounds } = options;
  const json = { quick, rounds, node: process.version, machine, figures, goals };
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(json, null, 2)}\n`);
  console.log(`\nWritten to ${options.json}`);
  if (quick) console.log('The goals are for the full workload; this was the quick one.');
  return quick || goals.every(({ met }) => met) ? 0 : 1;
}

function print(figures, goals) {
  const rows = figures.map(({ part, what, seconds, peakMB }) => [
    part,
    what,
    seconds.toFixed(2),
    peakMB || '',
  ]);
  console.log(table(['part', 'what', 'seconds', 'peak MB'], rows));
  const judged = goals.map(({ part, name, value, most, unit, met }) => [
    part,
    name,
    `${value}${unit}`,
    `${most}${unit}`,
    met ? 'met' : 'MISSED',
  ]);
  console.log(`\n${table(['part', 'goal', 'measured', 'at most', ''], judged)}`);
}

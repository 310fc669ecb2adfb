// npm run faults -- [--rounds N] [--kills N] [--seed N] [--only WORD]: kills, cuts, full disks and flipped bits at random
// moments over everything that moves images, then an independent reader. Ends after N rounds, or once there were N
// kills. Exits 1 when anything is lost, wrong, stuck or falsely there.
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDisks } from './disks.mjs';
import { FLIPS } from './flips.mjs';
import { CUTS, DEATHS, KILLS } from './kills.mjs';
import { UPS } from './up.mjs';
import { createWorld, stopServer, tally } from './world.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
  },
});

/** Numbers that a seed decides: the same seed, the same faults (but not the same moments of a clock). */
function dice(seed) {
  let state = Number(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const table = new Map();
let bad = 0;

function note(name, round, kills, outcome) {
  const row = table.get(name) ?? {
    rounds: 0,
    kills: 0,
    lost: 0,
    wrong: 0,
    stuck: 0,
    false: 0,
    failed: 0,
  };
  row.rounds += 1;
  row.kills += kills;
  for (const { kind, what, words = '' } of outcome) {
    row[kind] += 1;
    bad += 1;
    console.error(`\nround ${round} ${name}: ${kind} ${what}\n${words}`);
  }
  table.set(name, row);
  process.stderr.write(`\r${round} rounds, ${tally.kills} kills, ${bad} bad `);
}

/** One of the faults: first which kind, by its share, then which one of them. */
function draw(random, kinds) {
  const tickets = kinds.flatMap(({ share, faults }) =>
    faults.length > 0 ? Array(share).fill(faults) : [],
  );
  const faults = pick(random, tickets);
  if (!faults) throw new Error(`No fault has "${values.only}" in its name`);
  return pick(random, faults);
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

let isOver = false;
process.once('SIGINT', () => {
  isOver = true;
});

async function main() {
  const random = dice(values.seed);
  const world = await createWorld();
  const disks = await openDisks(world);
  const chosen = (list) => list.filter(({ name }) => name.includes(values.only));
  const kinds = [
    { share: 75, faults: chosen(KILLS) },
    { share: 6, faults: chosen(UPS) },
    { share: 18, faults: chosen([...CUTS, ...FLIPS, ...disks.rounds]) },
    { share: 1, faults: chosen(DEATHS) },
  ];
  try {
    for (let round = 1; round <= Number(values.rounds) && !isOver; round += 1) {
      const fault = draw(random, kinds);
      const before = tally.kills;
      const outcome = await fault.play(world, random);
      note(fault.name, round, tally.kills - before, outcome);
      if (tally.kills >= Number(values.kills)) break;
    }
  } finally {
    for (const server of [world.upstream, world.mirror, world.small?.mirror, world.lab?.upstream])
      if (server) await stopServer(server);
    await disks.close();
    if (bad === 0) await rm(world.folder, { recursive: true, force: true });
    else console.error(`\nkept: ${world.folder}`);
  }
  console.log(`\nseed ${values.seed}, node ${process.version}, ${JSON.stringify(tally)}`);
  console.table(Object.fromEntries([...table].toSorted()));
  process.exit(bad === 0 ? 0 : 1);
}

await access(join(import.meta.dirname, '../../dist/cli/main.js')).catch(() => {
  console.error('Build first: npm run build');
  process.exit(1);
});
await main();

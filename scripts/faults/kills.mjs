// Either side dies or falls silent at a random moment, also several times in a row.
import { setTimeout as sleep } from 'node:timers/promises';
import { commandsFor, FLOWS, finish, prepare, tidy } from './commands.mjs';
import { killServer, serve } from './world.mjs';

/** Node needs a third of this to start: the rest falls into the work. */
const LONGEST_MS = 3000;
const MOST_KILLS = 6;
const MOST_CUTS = 8;
const MOST_BYTES = 3_000_000;

const serverOf = ({ upstream, mirror }, side) => (side === 'target' ? mirror : upstream);

const clientKilled = (flow) => ({
  name: `${flow}, client killed`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    const longest = flow === 'push' ? LONGEST_MS / 3 : LONGEST_MS;
    for (let count = Math.ceil(random() * MOST_KILLS); count > 0; count -= 1) {
      await commands.run(flow, { killAfterMs: random() * longest });
    }
    return await settle(commands, flow, problems);
  },
});

/** With `isBack` the server comes back while the client tries, else only when the client has given up. */
const serverKilled = (flow, side, isBack) => ({
  name: `${flow}, ${side} killed${isBack ? '' : ' for good'}`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    const server = serverOf(world, side);
    const broken = commands.run(flow);
    for (let count = isBack ? Math.ceil(random() * 3) : 1; count > 0; count -= 1) {
      await sleep(random() * LONGEST_MS);
      await killServer(server);
      if (isBack) await serve(server);
    }
    const { stuck, words } = await broken;
    if (stuck) problems.push({ kind: 'stuck', what: flow, words });
    if (!isBack) await serve(server);
    return await settle(commands, flow, problems);
  },
});

const lineCut = (flow, side) => ({
  name: `${flow}, line to the ${side} cut`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    const { line } = serverOf(world, side);
    const cuts = Math.ceil(random() * MOST_CUTS);
    line.arm(Array.from({ length: cuts }, () => random() ** 2 * MOST_BYTES));
    const { stuck, words } = await commands.run(flow);
    if (stuck) problems.push({ kind: 'stuck', what: flow, words });
    line.arm([]);
    return await settle(commands, flow, problems);
  },
});

async function settle(commands, flow, problems) {
  problems.push(...(await finish(commands, flow)));
  await tidy(commands);
  return problems;
}

const SIDES = {
  sync: ['source', 'target'],
  save: ['source'],
  load: ['target'],
  copy: ['source', 'target'],
  push: ['target'],
};

export const KILLS = FLOWS.flatMap((flow) => [
  clientKilled(flow),
  ...SIDES[flow].flatMap((side) => [serverKilled(flow, side, true), lineCut(flow, side)]),
]);

/** A client that tries for a minute before it gives up is no round for every day. */
export const DEATHS = ['sync', 'save'].map((flow) => serverKilled(flow, 'source', false));

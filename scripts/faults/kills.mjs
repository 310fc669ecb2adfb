// Either side dies or falls silent at a random moment, also several times in a row.
import { setTimeout as sleep } from 'node:timers/promises';
import { commandsFor, FLOWS, finish, prepare, tidy, usualMs } from './commands.mjs';
import { anyMoment, killBeside, killServer, serve } from './world.mjs';

const MOST_KILLS = 24;
const MOST_CUTS = 8;
const MOST_BYTES = 3_000_000;

const serverOf = ({ upstream, mirror }, side) => (side === 'target' ? mirror : upstream);

const clientKilled = (flow) => ({
  name: `${flow}, client killed`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    for (let count = Math.ceil(random() * MOST_KILLS); count > 0; count -= 1) {
      const killAfterMs = anyMoment(usualMs(flow), random);
      const { killed } = await commands.run(flow, { killAfterMs });
      if (!killed) break;
    }
    return await settle(commands, flow, problems);
  },
});

/** A machine on which the client and both registries run, or their power. */
const allKilled = (flow) => ({
  name: `${flow}, all killed`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    const servers = SIDES[flow].map((side) => serverOf(world, side));
    for (let count = Math.ceil((random() * MOST_KILLS) / 3); count > 0; count -= 1) {
      const killAfterMs = anyMoment(usualMs(flow), random);
      const ended = commands.run(flow, { killAfterMs });
      await Promise.race([ended, sleep(killAfterMs)]);
      for (const server of servers) await killServer(server);
      const { killed } = await ended;
      for (const server of servers) await serve(server);
      if (!killed) break;
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
    const most = isBack ? Math.ceil(random() * MOST_KILLS) : 1;
    await killBeside(
      broken,
      most,
      () => anyMoment(usualMs(flow), random),
      async () => {
        await killServer(server);
        if (isBack) await serve(server);
      },
    );
    const { stuck, words } = await broken;
    if (stuck) problems.push({ kind: 'stuck', what: flow, words });
    if (server.child.exitCode !== null || server.child.signalCode !== null) await serve(server);
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
  allKilled(flow),
  ...SIDES[flow].map((side) => serverKilled(flow, side, true)),
]);

export const CUTS = FLOWS.flatMap((flow) => SIDES[flow].map((side) => lineCut(flow, side)));

/** A client that tries for a minute before it gives up is no round for every day. */
export const DEATHS = FLOWS.filter((flow) => flow !== 'push').flatMap((flow) =>
  SIDES[flow].map((side) => serverKilled(flow, side, false)),
);

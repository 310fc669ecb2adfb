// Disks that fill up: the run ends with a word, and with room the same command ends well.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsFor, finish, prepare, tidy } from './commands.mjs';
import { createMirror, run, tally, writeLogins } from './world.mjs';

const MIB = 1024 * 1024;
const ROOM = '300m';

async function mountDisk(folder) {
  await mkdir(folder);
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${ROOM}`, 'tmpfs', folder]);
  return mounted.status === 0;
}

const resize = (folder, size) => run('mount', ['-o', `remount,size=${size}`, folder]);

async function usedBytes(folder) {
  const { words } = await run('du', ['-sb', folder]);
  return Number.parseInt(words, 10);
}

/** Room for a part of the images only: they are 14 MiB together, one of them is 2.3. */
const someRoom = (flow, random) =>
  random() * (flow === 'copy' || flow === 'push' ? 2 : 13) * MIB + MIB / 4;

async function playFull(random, { flow, disk, commands }) {
  const problems = await prepare(commands, flow);
  await resize(disk, Math.ceil((await usedBytes(disk)) + someRoom(flow, random)));
  const full = await commands.run(flow);
  tally.fullDisks += 1;
  if (full.stuck) problems.push({ kind: 'stuck', what: flow, words: full.words });
  if (full.status !== 0 && full.words.trim() === '') {
    problems.push({ kind: 'failed', what: `${flow} without a word` });
  }
  await resize(disk, ROOM);
  problems.push(...(await finish(commands, flow)));
  await tidy(commands);
  return problems;
}

const mirrorFull = (flow) => ({
  name: `${flow}, disk of the mirror full`,
  play: (world, random) => {
    const commands = commandsFor(world, world.small.mirror);
    return playFull(random, { flow, disk: world.small.folder, commands });
  },
});

const workFull = (flow) => ({
  name: `${flow}, own disk full`,
  play: (world, random) => {
    const commands = commandsFor(world, world.mirror, world.small.work);
    return playFull(random, { flow, disk: world.small.work, commands });
  },
});

/** The rounds with small disks; none where nothing can be mounted. */
export async function openDisks(world) {
  const [folder, work] = [join(world.folder, 'small'), join(world.folder, 'small-work')];
  if (!((await mountDisk(folder)) && (await mountDisk(work)))) {
    console.error('full disks: skipped, for nothing can be mounted here');
    return { rounds: [], close: async () => undefined };
  }
  const mirror = await createMirror(join(folder, 'mirror'));
  await writeLogins(world.authfile, [world.upstream, world.mirror, mirror]);
  world.small = { folder, work, mirror };
  const close = async () => {
    for (const disk of [folder, work]) await run('umount', ['-l', disk]);
  };
  return {
    rounds: [
      ...['sync', 'load', 'copy', 'push'].map(mirrorFull),
      workFull('sync'),
      workFull('save'),
    ],
    close,
  };
}

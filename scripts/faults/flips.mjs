// A bit of something that is kept turns over: it is healed or told, and never believed.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  commandsFor,
  finish,
  isFinished,
  prepare,
  read,
  repeated,
  tidy,
  usualMs,
} from './commands.mjs';
import { atoll, filesBelow, killServer, serve, tally } from './world.mjs';

const pick = (list, random) => list[Math.floor(random() * list.length)];

async function flipIn(file, random) {
  const bytes = await readFile(file);
  if (bytes.length === 0) return;
  const at = Math.floor(random() * bytes.length);
  bytes[at] ^= 1 << Math.floor(random() * 8);
  tally.flips += 1;
  await writeFile(file, bytes);
}

/** One of the files below these folders; each folder that has any is as likely as the others. */
async function keptFile(folders, random) {
  const found = await Promise.all(folders.map(filesBelow));
  const kept = found.map((files) => files.filter((file) => !file.endsWith('.lock')));
  return pick(
    pick(
      kept.filter((files) => files.length > 0),
      random,
    ) ?? [],
    random,
  );
}

/** What the registry has in its memory is not what it reads from its disk. */
async function restart(mirror) {
  await killServer(mirror);
  await serve(mirror);
}

/** A run is killed, and what it or the registry kept for going on is altered before it goes on. */
const keptAltered = (flow) => ({
  name: `${flow}, what a killed run kept is altered`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, flow);
    await commands.run(flow, { killAfterMs: (0.3 + random() * 0.7) * usualMs(flow) });
    const partial = join(commands.dir, 'working-dir/partial');
    const data = join(world.mirror.folder, 'data');
    const folders = [join(partial, 'blobs'), join(partial, 'uploads'), join(data, 'ingest')];
    if (flow === 'save' && !(await isFinished(commands.bundle))) folders.push(commands.bundle);
    const file = await keptFile(folders, random);
    if (file !== undefined) await flipIn(file, random);
    // What was altered in an upload shows when it is complete: then it is told, and the next run heals it.
    const first = await repeated(commands, flow);
    problems.push(...first.filter(({ kind }) => kind === 'stuck'));
    problems.push(...named(await finish(commands, flow), world, file));
    await tidy(commands);
    return problems;
  },
});

const named = (problems, world, file) =>
  problems.map((each) => ({
    ...each,
    what: `${each.what} (altered: ${file && relative(world.folder, file)})`,
  }));

/** A bundle that is complete is never believed when it was altered; as it was, it loads. */
const bundleAltered = {
  name: 'load, the bundle is altered',
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await prepare(commands, 'load');
    const file = await keptFile([commands.bundle], random);
    const before = await readFile(file);
    await flipIn(file, random);
    const altered = await commands.run('load');
    if (altered.stuck) problems.push({ kind: 'stuck', what: 'load of an altered bundle' });
    // What a load does not read, such as the README, is seen by the check.
    const isContent = /chunk|bundle\.json$/.test(file);
    const told = isContent ? altered : await atoll(['bundle', 'check', commands.bundle]);
    if (told.status === 0) problems.push({ kind: 'false', what: `took an altered ${file}` });
    await writeFile(file, before);
    problems.push(...named(await finish(commands, 'load'), world, file));
    await tidy(commands);
    return problems;
  },
};

/**
 * Something of a full mirror rots. Nobody gets it as good; who pulls finds out, and the next sync heals what
 * was found instead of saying that it is there.
 */
const mirrorAltered = (what) => ({
  name: `${what} of the mirror altered`,
  async play(world, random) {
    const commands = commandsFor(world);
    const problems = await repeated(commands, 'sync');
    const file = await keptFile([join(world.mirror.folder, 'data', what)], random);
    await flipIn(file, random);
    await restart(world.mirror);
    const found = await read(commands, 'sync');
    problems.push(...found.filter(({ kind }) => kind === 'wrong'));
    const healed = await finish(commands, 'sync');
    const isLost = (each) => (each.kind === 'lost' ? { ...each, kind: 'false' } : each);
    problems.push(...named(healed.map(isLost), world, file));
    await tidy(commands);
    return problems;
  },
});

/** What the working folder remembers is altered: refused by name, or all it leads to is as it was. */
const memoryAltered = {
  name: 'the memory of a mirror altered',
  async play(world, random) {
    const commands = commandsFor(world);
    const memory = join(commands.dir, 'working-dir');
    const problems = await repeated(commands, 'sync');
    const before = await resourcesOf(memory);
    const file = await keptFile([memory], random);
    await flipIn(file, random);
    const again = await commands.run('sync');
    if (again.stuck) problems.push({ kind: 'stuck', what: 'sync', words: again.words });
    if (again.status !== 0 && !again.words.includes(file)) {
      problems.push({ kind: 'failed', what: 'sync does not name it', words: again.words });
    }
    if (again.status !== 0) await rm(file);
    problems.push(...(await finish(commands, 'sync')));
    const after = await resourcesOf(memory);
    if (before !== after) problems.push({ kind: 'wrong', what: 'cluster resources', words: after });
    await tidy(commands);
    return named(problems, world, file);
  },
};

async function resourcesOf(memory) {
  const files = (await filesBelow(join(memory, 'cluster-resources'))).toSorted();
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('---\n');
}

export const FLIPS = [
  ...['sync', 'save', 'load'].map(keptAltered),
  bundleAltered,
  mirrorAltered('blobs'),
  mirrorAltered('records'),
  memoryAltered,
];

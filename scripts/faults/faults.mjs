// What can happen to each way of moving images. A round breaks one run, repeats it, and looks at what is there.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMirror, filesBelow, killServer, run, serve } from './world.mjs';

/** Node needs a third of this to start: the rest falls into the work. */
const LONGEST_MS = 3000;

let serial = 0;

/** The command lines, all into a fresh place of the mirror, so that there is work in each round. */
function commandsFor(world, mirror = world.mirror) {
  serial += 1;
  const place = `round${serial}`;
  const dir = join(world.folder, 'work', place);
  const bundle = join(dir, 'bundle');
  const flags = ['--authfile', world.authfile, '--insecure'];
  const to = ['--to', `docker://${mirror.host}/${place}`, '--dir', dir];
  const save = ['mirror', 'save', '-c', world.set, '--to', bundle, '--dir', dir, ...flags];
  const [name] = world.images.keys();
  const target = `${mirror.host}/${place}/${name}:v1`;
  return {
    ...{ dir, bundle, save, place },
    sync: ['mirror', 'sync', '-c', world.set, ...to, ...flags],
    load: ['mirror', 'load', '--from', bundle, ...to, ...flags],
    copy: [
      'mirror',
      'copy',
      `docker://${world.upstream.host}/${name}:v1`,
      `docker://${target}`,
      ...flags,
    ],
    push: [
      ...[
        'copy',
        '--quiet',
        '--preserve-digests',
        '--dest-tls-verify=false',
        '--dest-authfile',
        world.authfile,
      ],
      ...[`oci:${join(world.folder, 'layouts/0')}:v1`, `docker://${target}`],
    ],
  };
}

const placed = (world, place, only) =>
  [...world.images].slice(0, only).map(([name, digest]) => [`${place}/${name}`, digest]);

/** The same command again must end well; that it ends at all is the first half. */
async function repeated(atoll, args) {
  const again = await atoll(args);
  if (again.stuck) return [{ kind: 'stuck', what: args.join(' '), words: again.words }];
  return again.status === 0 ? [] : [{ kind: 'failed', what: args.join(' '), words: again.words }];
}

const isFinished = (bundle) =>
  stat(join(bundle, 'bundle.json')).then(
    () => true,
    () => false,
  );

/** A save that was done before the kill came is not saved again, and need not be. */
async function repeatedSave(atoll, commands) {
  return (await isFinished(commands.bundle)) ? [] : await repeated(atoll, commands.save);
}

async function tidy(world, commands) {
  await rm(commands.dir, { recursive: true, force: true });
  // Uploads of killed clients would fill the disk in the course of a thousand rounds.
  await run(process.execPath, [
    ...[join(import.meta.dirname, '../../dist/cli/main.js'), 'registry', 'gc'],
    ...['--dir', world.mirror.folder, '--grace', '0'],
  ]);
}

/** Kills the client, the target or the source of a run at a random moment. */
const killing = (flow, victim) => ({
  name: `${flow}, ${victim} killed`,
  async play(world, random, { atoll, verify }) {
    const commands = commandsFor(world);
    if (flow === 'load') await atoll(commands.save);
    const args = commands[flow];
    const afterMs = random() * LONGEST_MS;
    if (victim === 'client') await atoll(args, { killAfterMs: afterMs });
    else {
      const server = victim === 'target' ? world.mirror : world.upstream;
      const broken = atoll(args);
      await sleep(afterMs);
      await killServer(server);
      await serve(server);
      const first = await broken;
      if (first.stuck) return [{ kind: 'stuck', what: args.join(' '), words: first.words }];
    }
    const problems =
      flow === 'save' ? await repeatedSave(atoll, commands) : await repeated(atoll, args);
    if (flow === 'save') problems.push(...(await repeated(atoll, commands.load)));
    problems.push(
      ...(await verify(world, world.mirror, placed(world, commands.place, onlyOf(flow)))),
    );
    await tidy(world, commands);
    return problems;
  },
});

const onlyOf = (flow) => (flow === 'copy' ? 1 : undefined);

/** skopeo pushes, and our registry dies. */
const pushKilled = {
  name: 'push, registry killed',
  async play(world, random, { verify }) {
    const commands = commandsFor(world);
    const broken = run('skopeo', commands.push);
    await sleep(random() * 1000);
    await killServer(world.mirror);
    await serve(world.mirror);
    await broken;
    const again = await run('skopeo', commands.push);
    const failed = again.status === 0 ? [] : [{ kind: 'failed', what: 'push', words: again.words }];
    const problems = [
      ...failed,
      ...(await verify(world, world.mirror, placed(world, commands.place, 1))),
    ];
    await tidy(world, commands);
    return problems;
  },
};

async function flipIn(file, random) {
  const bytes = await readFile(file);
  if (bytes.length === 0) return;
  const at = Math.floor(random() * bytes.length);
  bytes[at] ^= 1 << Math.floor(random() * 8);
  await writeFile(file, bytes);
}

const pick = (list, random) => list[Math.floor(random() * list.length)];

/** A run is killed, and what it or the registry kept for going on is altered before it goes on. */
const flipKept = (flow) => ({
  name: `${flow}, what was kept is altered`,
  async play(world, random, tools) {
    const { atoll, verify } = tools;
    const commands = commandsFor(world);
    await atoll(commands[flow], { killAfterMs: 800 + random() * 2000 });
    const kept = [
      ...(await filesBelow(join(commands.dir, 'working-dir/partial'))),
      ...(await filesBelow(commands.bundle)),
      ...(await filesBelow(join(world.mirror.folder, 'data/ingest'))),
    ].filter((file) => !file.endsWith('.lock'));
    const file = pick(kept, random);
    if (await isFinished(commands.bundle))
      return await finishedAltered(world, commands, file, tools, random);
    if (file !== undefined) await flipIn(file, random);
    let problems = await repeated(atoll, commands[flow]);
    // What was altered in an upload shows when it is complete: then it is told, and the next run heals it.
    if (problems.length > 0) problems = await repeated(atoll, commands[flow]);
    if (flow === 'save') problems.push(...(await repeated(atoll, commands.load)));
    problems.push(...(await verify(world, world.mirror, placed(world, commands.place))));
    await tidy(world, commands);
    return problems;
  },
});

/** A bundle that is complete is never believed when it was altered; as it was, it loads. */
async function finishedAltered(world, commands, file, { atoll, verify }, random) {
  const before = await readFile(file);
  await flipIn(file, random);
  const altered = await atoll(commands.load);
  const problems = altered.stuck ? [{ kind: 'stuck', what: 'load of an altered bundle' }] : [];
  const isPart = file.startsWith(commands.bundle);
  if (altered.status === 0 && isPart)
    problems.push({ kind: 'false', what: `loaded with altered ${file}` });
  await writeFile(file, before);
  problems.push(...(await repeated(atoll, commands.load)));
  problems.push(...(await verify(world, world.mirror, placed(world, commands.place))));
  await tidy(world, commands);
  return problems;
}

/** A blob of the mirror rots. Who pulls it finds out, and the next sync heals it instead of saying that it is there. */
const rot = {
  name: 'a blob of the mirror altered',
  async play(world, random, { atoll, verify }) {
    const commands = commandsFor(world);
    await atoll(commands.sync);
    const images = placed(world, commands.place);
    const layers = await layersOf(world);
    await flipIn(join(world.mirror.folder, 'data/blobs/sha256', pick(layers, random)), random);
    // The registry believes what it sent a moment ago until it looks again; a restart makes it look.
    await killServer(world.mirror);
    await serve(world.mirror);
    const found = await verify(world, world.mirror, images);
    const missed = found.every(({ kind }) => kind !== 'lost');
    const problems = await repeated(atoll, commands.sync);
    problems.push(
      ...(await verify(world, world.mirror, images)).map((each) => ({ ...each, kind: 'false' })),
    );
    if (missed) problems.push({ kind: 'wrong', what: 'an altered blob was served' });
    await tidy(world, commands);
    return problems;
  },
};

async function layersOf(world) {
  const names = [];
  for (let index = 0; index < world.images.size; index += 1) {
    const blobs = join(world.folder, 'layouts', String(index), 'blobs/sha256');
    for (const file of await filesBelow(blobs)) {
      if ((await stat(file)).size > 10_000) names.push(file.slice(blobs.length + 1));
    }
  }
  return names;
}

export const FAULTS = [
  ...['sync', 'save', 'load', 'copy'].flatMap((flow) => [
    killing(flow, 'client'),
    ...(flow === 'save' ? [] : [killing(flow, 'target')]),
    ...(flow === 'load' ? [] : [killing(flow, 'source')]),
  ]),
  pushKilled,
  flipKept('sync'),
  flipKept('save'),
  rot,
];

/** A mirror whose disk is too small says so; with room the same command ends well. */
export async function fullDisk(world, { atoll, verify }) {
  const folder = join(world.folder, 'small');
  await run('mkdir', [folder]);
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  if (mounted.status !== 0) {
    console.error('\nfull disk: skipped, for nothing can be mounted here');
    return [];
  }
  try {
    const mirror = await createMirror(join(folder, 'mirror'));
    const auths = JSON.parse(await readFile(world.authfile, 'utf8')).auths;
    await writeFile(
      world.authfile,
      JSON.stringify({ auths: { ...auths, [mirror.host]: mirror.auth } }),
    );
    const commands = commandsFor(world, mirror);
    const full = await atoll(commands.sync);
    const problems = full.status === 0 ? [{ kind: 'false', what: 'sync to a full disk' }] : [];
    if (full.stuck) problems.push({ kind: 'stuck', what: 'sync to a full disk' });
    await run('mount', ['-o', 'remount,size=200m', folder]);
    problems.push(...(await repeated(atoll, commands.sync)));
    problems.push(...(await verify(world, mirror, placed(world, commands.place))));
    await killServer(mirror);
    return problems;
  } finally {
    await run('umount', [folder]);
  }
}

/** `atoll lab`, whose stages are those of `up`, is killed and goes on. */
export async function labKill(world, random, { atoll }) {
  const args = ['lab', '--dir', join(world.folder, 'lab')];
  await atoll(args, { killAfterMs: 2000 + random() * 20_000 });
  return await repeated(atoll, args);
}

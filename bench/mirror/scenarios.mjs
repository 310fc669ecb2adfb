// The parts of the benchmark. Each makes its registries, runs all tools in turn within each round, and cleans up.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { settle } from '../settle.mjs';
import { startEmbedded } from './embedded.mjs';
import { freePort, start, startDockerRegistry, stop, waitForPort } from './processes.mjs';
import { prepareTools } from './tools.mjs';
import { FULL, publish, QUICK, SMALL } from './workload.mjs';

const ROUND_TRIP_MS = 50;

async function withSource(folder, shape, work) {
  const source = await startDockerRegistry(join(folder, 'source'));
  try {
    const workload = await publish(source.url, shape);
    return await work(source, await prepareTools(folder, workload), workload);
  } finally {
    await source.stop();
    await removeFolder(join(folder, 'source'));
  }
}

async function removeFolder(path) {
  const { rm } = await import('node:fs/promises');
  await rm(path, { recursive: true, force: true });
}

async function withTarget(folder, name, work) {
  const target = await startDockerRegistry(join(folder, name));
  try {
    return await work(target);
  } finally {
    await target.stop();
    await removeFolder(join(folder, name));
  }
}

/** Into an empty target, then once more with nothing to do. */
async function coldThenIdle(tool, source, target, idle = true) {
  await target.clear();
  await tool.forget();
  settle(target.folder);
  const cold = await tool.run(source, target);
  return { cold, idle: idle ? await nothingToDo(tool, source, target) : undefined };
}

/** The middle one of several: so short a run is easily disturbed, also by what the copy left behind. */
async function nothingToDo(tool, source, target) {
  execFileSync('sync');
  const runs = [];
  for (let turn = 0; turn < 5; turn += 1) runs.push(await tool.run(source, target));
  return runs.toSorted((a, b) => a.seconds - b.seconds)[2];
}

/** All tools in each round; the order turns, so that none always follows the same one. */
async function rounds(count, tools, runTool) {
  const names = Object.keys(tools);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length];
      results[name].push(await runTool(tools[name], name));
      console.error(
        `  round ${round + 1}: ${name} ${JSON.stringify(shortly(results[name].at(-1)))}`,
      );
    }
  }
  return results;
}

const shortly = ({ cold, idle }) => ({
  cold: Number(cold.seconds.toFixed(2)),
  ...(idle ? { idle: Number(idle.seconds.toFixed(2)) } : {}),
  peakMB: Math.round(cold.peakMB),
  ...(cold.cpuSeconds ? { cpu: Number(cold.cpuSeconds.toFixed(2)) } : {}),
});

const of = (results, name, kind) => results[name].map((result) => result[kind]);

/** Registry to registry on this machine, against skopeo and against bare curl. */
async function cold(folder, options, { goal, ratio, summary }) {
  const shape = options.quick ? QUICK : FULL;
  const results = await withSource(folder, shape, (source, tools) =>
    withTarget(folder, 'target', (target) =>
      rounds(options.rounds, tools, (tool, name) =>
        coldThenIdle(tool, source, target, name !== 'floor'),
      ),
    ),
  );
  const ours = of(results, 'atoll', 'cold');
  const idle = of(results, 'atoll', 'idle');
  const skopeo = of(results, 'skopeo', 'cold');
  const skopeoIdle = of(results, 'skopeo', 'idle');
  const floor = of(results, 'floor', 'cold');
  return {
    figures: [
      { what: 'atoll, empty target', ...summary(ours) },
      { what: 'skopeo sync, empty target', ...summary(skopeo) },
      { what: 'floor: 4 curl | curl -T', ...summary(floor), peakMB: 0 },
      { what: 'atoll, nothing to do', ...summary(idle) },
      { what: 'skopeo sync, nothing to do', ...summary(skopeoIdle) },
    ],
    goals: [
      goal('atoll / skopeo sync, empty target', ratio(ours, skopeo), 0.5),
      goal('atoll / floor', ratio(ours, floor), 1),
      goal('atoll / skopeo sync, nothing to do', ratio(idle, skopeoIdle), 0.4),
      goal('peak memory', summary([...ours, ...idle]).peakMB, 120, ' MB'),
    ],
  };
}

/** The source behind a round trip of 50 ms, as across a continent. */
async function latency(folder, options, { goal, ratio, summary }) {
  const shape = options.quick ? QUICK : FULL;
  const results = await withSource(folder, shape, (source, { atoll, skopeo }) =>
    withTarget(folder, 'target', async (target) => {
      const port = await freePort();
      const program = join(import.meta.dirname, 'delay-proxy.mjs');
      const ports = [String(port), source.host.split(':')[1], String(ROUND_TRIP_MS)];
      const proxy = start(process.execPath, [program, ...ports], { stdio: 'ignore' });
      try {
        await waitForPort(port);
        const far = { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
        return await rounds(options.rounds, { atoll, skopeo }, (tool) =>
          coldThenIdle(tool, far, target),
        );
      } finally {
        await stop(proxy);
      }
    }),
  );
  const pair = (kind) => [of(results, 'atoll', kind), of(results, 'skopeo', kind)];
  return {
    figures: ['cold', 'idle'].flatMap((kind) => {
      const [ours, theirs] = pair(kind).map(summary);
      const what = kind === 'cold' ? 'empty target' : 'nothing to do';
      return [
        { what: `atoll, ${what}, source ${ROUND_TRIP_MS} ms away`, ...ours },
        { what: `skopeo sync, ${what}, source ${ROUND_TRIP_MS} ms away`, ...theirs },
      ];
    }),
    goals: [
      goal('atoll / skopeo sync, empty target', ratio(...pair('cold')), 0.2),
      goal('atoll / skopeo sync, nothing to do', ratio(...pair('idle')), 0.05),
    ],
  };
}

/** Into our own registry instead of docker-registry. */
async function embedded(folder, options, { goal, ratio, summary }) {
  const shape = options.quick ? QUICK : FULL;
  const results = await withSource(folder, shape, (source, { atoll }) =>
    withTarget(folder, 'target', async (docker) => {
      const ours = await startEmbedded(join(folder, 'embedded'));
      try {
        const targets = { embedded: ours, docker };
        return await rounds(options.rounds, targets, (target) =>
          coldThenIdle(atoll, source, target),
        );
      } finally {
        await ours.stop();
      }
    }),
  );
  const ours = of(results, 'embedded', 'cold');
  const docker = of(results, 'docker', 'cold');
  return {
    figures: [
      { what: 'atoll into the embedded registry', ...summary(ours) },
      { what: 'atoll into docker-registry', ...summary(docker) },
    ],
    goals: [goal('embedded / docker-registry', ratio(ours, docker), 0.8)],
  };
}

async function atollOnly(folder, shape, repeats) {
  return await withSource(folder, shape, (source, { atoll }) =>
    withTarget(folder, 'target', async (target) => {
      const runs = [];
      for (let round = 0; round < repeats; round += 1) {
        runs.push((await coldThenIdle(atoll, source, target, false)).cold);
      }
      return runs;
    }),
  );
}

/** Twice the images and twice the bytes must not need more memory. */
async function memory(folder, options, { goal, summary }) {
  const shape = options.quick ? QUICK : FULL;
  const once = summary(await atollOnly(folder, shape, options.rounds));
  const double = { ...shape, images: shape.images * 2 };
  const twice = summary(await atollOnly(folder, double, options.rounds));
  const growth = Math.round((twice.peakMB / once.peakMB) * 100) / 100;
  return {
    figures: [
      { what: `atoll, ${shape.images} images`, ...once },
      { what: `atoll, ${double.images} images`, ...twice },
    ],
    goals: [
      goal('peak memory with twice the work', twice.peakMB, 120, ' MB'),
      goal('growth of memory', growth, 1.1),
    ],
  };
}

/** Ten times the images, small ones, so that what an image costs besides its bytes shows. */
async function scale(folder, options, { goal, summary }) {
  const shape = options.quick ? { ...SMALL, images: 12 } : SMALL;
  const once = summary(await atollOnly(folder, shape, options.rounds));
  const tenfold = { ...shape, images: shape.images * 10 };
  const ten = summary(await atollOnly(folder, tenfold, options.rounds));
  return {
    figures: [
      { what: `atoll, ${shape.images} small images`, ...once },
      { what: `atoll, ${tenfold.images} small images`, ...ten },
    ],
    goals: [
      goal(
        'time for ten times the images',
        Math.round((ten.seconds / once.seconds) * 10) / 10,
        10.5,
      ),
      goal('peak memory', ten.peakMB, 120, ' MB'),
    ],
  };
}

export const SCENARIOS = { cold, latency, embedded, memory, scale };

// Makes or applies one delta in a process of its own, so that time and memory are its own too:
// node work.mjs make OLD NEW FOLDER [LINK]    node work.mjs apply OLD NEW FOLDER    node work.mjs together FOLDER...
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { silentContext } from '../../src/core/context.ts';
import { makeLayerDelta } from '../../src/mirror/delta/make-layer-delta.ts';
import { rebuildHere } from '../../src/mirror/delta/rebuild-job.ts';
import { answerJobs, rebuildInProcesses } from '../../src/mirror/delta/rebuild-processes.ts';

const [what, old, fresh, folder, link] = process.argv.slice(2);
const ctx = silentContext();
const recordFile = join(folder ?? '', 'record.json');

async function descriptorOf(path) {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  const { size } = await stat(path);
  return { mediaType: '', digest: `sha256:${hash.digest('hex')}`, size };
}

async function make() {
  const source = (path) => ({ blob: () => createReadStream(path, { highWaterMark: 1024 * 1024 }) });
  const pair = {
    fresh: await descriptorOf(fresh),
    old: await descriptorOf(old),
    freshSource: source(fresh),
    oldSources: [source(old)],
  };
  const made = await makeLayerDelta(ctx, pair, {
    folder,
    linkBytesPerSecond: Number(link) || undefined,
  });
  await writeFile(recordFile, JSON.stringify({ ...made, base: old }));
  return made.record;
}

/** As `load` does: take the old layer, make the new one of it, compare the digest. */
async function apply() {
  const { record, path } = JSON.parse(await readFile(recordFile, 'utf8'));
  const to = join(folder, 'applied');
  await rebuildHere(ctx, { layer: record, base: old, delta: path, to });
  await rm(to);
  return record;
}

/** As `load` does: as many processes as there are processors, each for one layer after the other, the biggest first. */
async function together(folders) {
  const rebuild = rebuildInProcesses({ file: process.execPath, args: [import.meta.filename] }, 0);
  const jobs = await Promise.all(folders.map(jobIn));
  const waiting = jobs.toSorted((one, other) => other.layer.size - one.layer.size);
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await rebuild(ctx, next);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return { seconds: (performance.now() - started) / 1000 };
}

async function jobIn(folder) {
  const { record, path, base } = JSON.parse(await readFile(join(folder, 'record.json'), 'utf8'));
  return { layer: record, base, delta: path, to: join(folder, 'applied') };
}

/** Undefined at first: starting the process counts. */
let measured;

async function measure(work) {
  const [started, before] = [performance.now(), measured];
  const record = await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  measured = process.cpuUsage();
  const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile('/proc/self/status', 'utf8'));
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMB: Number(peak?.[1] ?? 0) / 1024,
    blobBytes: record.size,
    tarBytes: record.tarSize,
    deltaBytes: record.delta.size,
    method: `${record.recompress.program} ${record.recompress.version}`,
  };
}

if (what === 'rebuild-layers')
  await answerJobs(ctx, createInterface({ input: process.stdin }), (line) => console.log(line));
else if (what === 'together') console.log(JSON.stringify(await together(process.argv.slice(3))));
else if (what === 'make') console.log(JSON.stringify(await measure(make)));
else console.log(JSON.stringify({ ...(await measure(apply)), again: await measure(apply) }));

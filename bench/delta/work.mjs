// Makes or applies one delta in a process of its own, so that time and memory are its own too:
// node work.mjs make OLD NEW FOLDER [LINK]    node work.mjs apply OLD NEW FOLDER
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentContext } from '../../src/core/context.ts';
import { makeLayerDelta } from '../../src/mirror/delta/make-layer-delta.ts';
import { rebuildHere } from '../../src/mirror/delta/rebuild-job.ts';

const [what, old, fresh, folder, link] = process.argv.slice(2);
const ctx = silentContext();
const recordFile = join(folder, 'record.json');

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
  await writeFile(recordFile, JSON.stringify(made));
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

const started = performance.now();
const record = await (what === 'make' ? make() : apply());
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile('/proc/self/status', 'utf8'));
console.log(
  JSON.stringify({
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMB: Number(peak?.[1] ?? 0) / 1024,
    blobBytes: record.size,
    tarBytes: record.tarSize,
    deltaBytes: record.delta.size,
    method: `${record.recompress.program} ${record.recompress.version}`,
  }),
);

// Makes or applies one delta in a process of its own, so that time and memory are its own too:
// node work.mjs make OLD NEW FOLDER    node work.mjs apply OLD NEW FOLDER
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentContext } from '../../src/core/context.ts';
import { deltaFile, makeLayerDelta } from '../../src/mirror/delta/make-layer-delta.ts';
import { rebuildLayer } from '../../src/mirror/delta/rebuild.ts';
import { unpackOld, writeHashed } from '../../src/mirror/delta/unpack-layer.ts';

const [what, old, fresh, folder] = process.argv.slice(2);
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
  const { record } = await makeLayerDelta(ctx, pair, { folder });
  await writeFile(recordFile, JSON.stringify(record));
  return record;
}

/** As `load` does: unpack the old layer, make the new tar, compress it, compare both digests. */
async function apply() {
  const record = JSON.parse(await readFile(recordFile, 'utf8'));
  const [oldTar, out] = [join(folder, 'applied.old'), join(folder, 'applied')];
  await unpackOld(record.base, createReadStream(old, { highWaterMark: 1024 * 1024 }), oldTar);
  const delta = deltaFile(ctx, join(folder, 'delta'), record.delta.size);
  await writeHashed(out, rebuildLayer(ctx, record, oldTar, delta));
  for (const file of [oldTar, out]) await rm(file);
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

// npm run bench delta [-- --packages MIB --smallest --huge --json FILE]: what deltas inside layers take, against the layers
// they stand for. --smallest carries tars, as over a slow link; --huge takes a layer of 2 GiB and looks at memory.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildProgram } from '../build-program.mjs';
import { buildCompressor, COMPRESSORS, compress, makeTars, nativeSeconds } from './workload.mjs';

/** Of the bytes that are carried without deltas inside layers. */
const MOST_CARRIED = 0.2;
const LINK_BYTES_PER_SECOND = 100e6;
const MB = 1e6;
/** Bytes a second. */
const SLOW_LINK = '10000';
/** What the processes that rebuild layers are counted with. */
const MOST_MEMORY_MB = 512;
const root = join(import.meta.dirname, '..', '..');

export async function run(args) {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: {
      packages: { type: 'string', default: '96' },
      smallest: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-delta-'));
  try {
    const program = await programIn(folder);
    const figures = await measureAll(program, folder, values);
    if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
    return values.huge ? reportMemory(figures) : report(figures, await together(program, figures));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two folders deep, where the program finds its assets. */
async function programIn(folder) {
  await symlink(join(root, 'assets'), join(folder, 'assets'));
  return await buildProgram(
    join(import.meta.dirname, 'work.mjs'),
    join(folder, 'bench', 'delta', 'work.mjs'),
  );
}

async function measureAll(program, folder, { packages, smallest, huge }) {
  const compressor = await buildCompressor(folder);
  const figures = [];
  for (const { name, old, fresh } of await makeTars(folder, Number(packages), huge)) {
    for (const by of huge ? ['pgzip'] : COMPRESSORS) {
      const work = join(folder, 'work', `${figures.length}`);
      await mkdir(work, { recursive: true });
      const blobs = [old, fresh].map((tar) => compress(compressor, tar, by));
      const run = async (what, ...more) =>
        JSON.parse(await output(program, [what, ...blobs, work, ...more]));
      const make = await run('make', ...(smallest ? [SLOW_LINK] : []));
      const apply = await run('apply');
      const native = nativeSeconds(compressor, fresh, by);
      figures.push({ name, by, make, apply, native, work });
      console.log(line({ name, by, make, apply, native }));
    }
  }
  return figures;
}

const output = async (program, args) =>
  (await promisify(execFile)(process.execPath, [program, ...args])).stdout;

const together = async (program, figures) =>
  JSON.parse(await output(program, ['together', ...figures.map(({ work }) => work)])).seconds;

function line({ name, by, make, apply, native }) {
  const part = ((100 * make.deltaBytes) / make.blobBytes).toFixed(1);
  const one = ({ cpuSeconds, seconds, peakMB }) =>
    `${cpuSeconds.toFixed(1)} s of processor in ${seconds.toFixed(1)} s, ${peakMB.toFixed(0)} MB`;
  return [
    `${name} by ${by}: ${(make.tarBytes / MB).toFixed(0)} MB of tar, ${(make.blobBytes / MB).toFixed(1)} MB of blob,`,
    `delta ${(make.deltaBytes / MB).toFixed(2)} MB (${part} %, ${make.method})`,
    `\n  made with ${one(make)}; applied with ${one(apply)}: ${rate(apply, 'blobBytes')} of blob, ${rate(apply, 'tarBytes')} of tar`,
    `\n  once more in the same process: ${rate(apply.again, 'blobBytes')} of blob, ${rate(apply.again, 'tarBytes')} of tar;`,
    `${by} itself, native, takes ${native.toFixed(1)} s of processor: ${(make.blobBytes / native / MB).toFixed(1)} MB/s of blob`,
  ].join(' ');
}

/** Of one processor: the clock of a busy machine measures the others. */
const rate = (figures, bytes) => `${(figures[bytes] / figures.cpuSeconds / MB).toFixed(1)} MB/s`;

function reportMemory(figures) {
  const peakMB = Math.max(...figures.flatMap(({ make, apply }) => [make.peakMB, apply.peakMB]));
  console.log(`peak ${peakMB.toFixed(0)} MB, goal at most ${MOST_MEMORY_MB} MB`);
  return peakMB <= MOST_MEMORY_MB ? 0 : 1;
}

function report(figures, togetherSeconds) {
  const sum = (of) => figures.reduce((total, each) => total + of(each), 0);
  const blobBytes = sum(({ make }) => make.blobBytes);
  const part = sum(({ make }) => make.deltaBytes) / blobBytes;
  const seconds = sum(({ apply }) => apply.cpuSeconds);
  const againSeconds = sum(({ apply }) => apply.again.cpuSeconds);
  const peakMB = Math.max(...figures.flatMap(({ make, apply }) => [make.peakMB, apply.peakMB]));
  const bytesPerSecond = blobBytes / seconds;
  console.log(
    `carried ${(100 * part).toFixed(1)} % of the blobs, goal at most ${100 * MOST_CARRIED} %`,
  );
  console.log(
    `applied at ${(bytesPerSecond / MB).toFixed(1)} MB/s of blob by each processor in a new process, at ${(blobBytes / againSeconds / MB).toFixed(1)} in one that goes on; goal ${LINK_BYTES_PER_SECOND / MB} in all; peak ${peakMB.toFixed(0)} MB`,
  );
  const together = blobBytes / togetherSeconds;
  console.log(
    `all of them on ${availableParallelism()} processors: ${(together / MB).toFixed(1)} MB/s of blob by the clock`,
  );
  return part <= MOST_CARRIED && together >= LINK_BYTES_PER_SECOND ? 0 : 1;
}

// npm run bench registry [-- --rounds N --seconds S --workers N --against PROGRAM | --against-zot PROGRAM]
// The embedded registry against Debian's docker-registry, another build of distribution, or zot, taking turns in one run.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { settle } from '../settle.mjs';
import {
  digestOf,
  processorSeconds,
  publish,
  residentBytes,
  startDocker,
  startFloor,
  startOurs,
  startZot,
  stop,
} from './servers.mjs';
import { hasWrk, wrk } from './wrk.mjs';

const MB = 1_000_000;
const BLOB_BYTES = 60 * MB;
const UPLOADS = 16;
/** At least so many times the peer's rate, at most so many times its processor time. */
const TARGETS = {
  'docker-registry': { rate: { manifest: 12, manifestDigest: 12, get: 1.2, put: 1.6 }, cost: {} },
  // The newest is faster than Debian's.
  distribution: { rate: { manifest: 8, manifestDigest: 8, get: 1.1 }, cost: { get: 1 } },
  zot: { rate: { manifest: 4, manifestDigest: 4, get: 0.9 }, cost: { get: 1.4 } },
};
const MAX_RESIDENT = 120 * MB;

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      workers: { type: 'string', default: '2' },
      against: { type: 'string' },
      'against-zot': { type: 'string' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-registry-'));
  const servers = [];
  try {
    const ours = await startOurs(join(folder, 'atoll'), Number(values.workers));
    servers.push(ours);
    servers.push(await startPeer(folder, values));
    servers.push(await startFloor(Number(values.workers)));
    console.log(`manifests are asked for by ${hasWrk() ? 'wrk' : 'load.mjs, for want of wrk'}`);
    const results = await measureAll(
      servers,
      folder,
      Number(values.rounds),
      Number(values.seconds),
    );
    return report(results, servers[1].name);
  } finally {
    for (const server of servers) await stop(server);
    await rm(folder, { recursive: true, force: true });
  }
}

async function startPeer(folder, { against, 'against-zot': zot }) {
  if (zot) return await startZot(join(folder, 'zot'), zot);
  const pair = {
    certificate: join(folder, 'atoll', 'tls', 'server.crt'),
    key: join(folder, 'atoll', 'tls', 'server.key'),
  };
  return await startDocker(join(folder, 'docker'), pair, against);
}

/** The servers take turns in every measurement, so that a busy minute of the machine meets all. */
async function measureAll(servers, folder, rounds, seconds) {
  const paths = await publish(servers[0].url, BLOB_BYTES);
  await publish(servers[1].url, BLOB_BYTES);
  const results = Object.fromEntries(servers.map(({ name }) => [name, { rounds: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) results[server.name].rounds.push({});
    const inTurn = round % 2 === 0 ? servers : servers.toReversed();
    for (const measurement of measurementsOf(paths, seconds, round)) {
      for (const server of inTurn.filter(measurement.has)) {
        if (measurement.key === 'put') settle(folder);
        const { key, count, scale } = measurement;
        const result = await timed(server, measurement.job(server), count, scale);
        results[server.name].rounds[round][key] = result;
      }
    }
    console.error(`round ${round + 1} of ${rounds} done`);
  }
  return results;
}

/** What each server has to do in a round. */
function measurementsOf(paths, seconds, round) {
  const get = (url, path, connections) => {
    return { kind: 'get', url, path, connections, seconds, headers: { accept: paths.type } };
  };
  const blobs = Array.from({ length: UPLOADS }, (_, index) => uploadOf(round, index));
  const upload = { kind: 'put', repository: 'bench/uploads', size: BLOB_BYTES, atOnce: 4, blobs };
  const requests = { count: 'perSecond', scale: 1e6 };
  const bytes = { count: 'bytesPerSecond', scale: 1e9 };
  const isRegistry = ({ folder }) => folder !== undefined;
  const hasTls = ({ tlsUrl }) => tlsUrl !== undefined;
  const manifest = { ...requests, has: () => true };
  const blob = { ...bytes, has: isRegistry };
  return [
    { key: 'manifest', ...manifest, job: ({ url }) => get(url, paths.manifest, 32) },
    { key: 'manifestDigest', ...manifest, job: ({ url }) => get(url, paths.manifestDigest, 32) },
    { key: 'get', ...blob, job: ({ url }) => get(url, paths.blob, 4) },
    { key: 'put', ...blob, job: ({ url }) => ({ ...upload, url }) },
    {
      key: 'manifestTls',
      ...requests,
      has: hasTls,
      job: ({ tlsUrl }) => get(tlsUrl, paths.manifest, 32),
    },
    { key: 'getTls', ...bytes, has: hasTls, job: ({ tlsUrl }) => get(tlsUrl, paths.blob, 4) },
  ];
}

/** The rate, what a request or a gigabyte costs in processor time, and the largest process. */
async function timed(server, job, key, scale) {
  const before = processorSeconds(server);
  let resident = 0;
  const watch = setInterval(() => {
    resident = Math.max(resident, residentBytes(server));
  }, 100);
  const result = await (job.connections === 32 && hasWrk() ? wrk(job) : load(job));
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${job.url}`);
  clearInterval(watch);
  const used = processorSeconds(server) - before;
  return { rate: result[key], cost: (used / (result[key] * result.seconds)) * scale, resident };
}

/** The generator fills a blob with one pattern; its first bytes make it new. */
function uploadOf(round, index) {
  const start = `blob ${String(round).padStart(5)} ${String(index).padStart(5)}`.padEnd(20);
  const shared = Buffer.alloc(BLOB_BYTES, 'atoll');
  return { start, digest: digestOf(start, shared.subarray(start.length)) };
}

function load(job) {
  return new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, 'load.mjs');
    const child = spawn(process.execPath, [program, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.once('exit', (code) => {
      if (code !== 0) return reject(new Error(`The load generator ended with ${code}`));
      resolve(JSON.parse(text));
    });
  });
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Of the other one in the same round; undefined where it was not measured. */
function ratioOf(results, key, field, other) {
  const pairs = results.atoll.rounds.map((round, at) => [
    round[key],
    results[other].rounds[at][key],
  ]);
  if (pairs.some((pair) => pair.includes(undefined))) return undefined;
  return median(pairs.map(([ours, theirs]) => ours[field] / theirs[field]));
}

const ROWS = [
  ['manifest GET by tag, 32 connections', 'manifest', 'requests/s', 1, 'us/request'],
  ['manifest GET by digest, 32 connections', 'manifestDigest', 'requests/s', 1, 'us/request'],
  ['60 MB blob GET, 4 connections', 'get', 'MB/s', MB, 's/GB'],
  ['60 MB blob PUT, 4 at once, fsync', 'put', 'MB/s', MB, 's/GB'],
  ['manifest GET, TLS', 'manifestTls', 'requests/s', 1, 'us/request'],
  ['60 MB blob GET, TLS', 'getTls', 'MB/s', MB, 's/GB'],
];

function report(results, peer) {
  const measured = ROWS.filter(([, key]) => ratioOf(results, key, 'rate', peer) !== undefined);
  const goals = measured.flatMap((row) => reportRow(results, peer, row));
  return goals.some((goal) => isMissed(...goal)) ? 1 : 0;
}

/** Prints what was measured, and returns how it compares to its goals. */
function reportRow(results, peer, [title, key, unit, divisor, costUnit]) {
  const of = (name, field = 'rate') => ratioOf(results, key, field, name);
  const others = [peer, 'node:http'].filter((name) => of(name) !== undefined);
  const values = (name, field) => results[name].rounds.map((round) => round[key][field]);
  const line = (show, end) => {
    const each = ['atoll', ...others].map((name) => `${name} ${show(name).padStart(7)}`);
    console.log(`  ${each.join('  ')} ${end}`);
  };
  const resident = (name) => Math.max(...values(name, 'resident')) / MB;
  const { rate, cost } = TARGETS[peer];
  const memory = rate[key] === undefined ? undefined : MAX_RESIDENT / MB;
  const goals = [
    [of(peer), rate[key], 'at least'],
    [of(peer, 'cost'), cost[key], 'at most'],
    [resident('atoll'), memory, 'at most'],
  ];
  const [met, metCost, metMemory] = goals.map((goal) => verdict(...goal));
  console.log(
    `${title}: ${others.map((name) => `${of(name).toFixed(2)} of ${name}`).join(', ')}${met}`,
  );
  line((name) => (median(values(name, 'rate')) / divisor).toFixed(0), unit);
  const ratio = `${of(peer, 'cost').toFixed(2)} of ${peer}${metCost}`;
  line((name) => median(values(name, 'cost')).toFixed(2), `${costUnit} of processor, ${ratio}`);
  line((name) => resident(name).toFixed(0), `MB in the largest process${metMemory}`);
  return goals;
}

function isMissed(value, goal, how) {
  if (goal === undefined) return false;
  return how === 'at least' ? value < goal : value > goal;
}

function verdict(value, goal, how) {
  if (goal === undefined) return '';
  return ` (${how} ${goal}: ${isMissed(value, goal, how) ? 'MISSED' : 'met'})`;
}

// npm run bench registry [-- --rounds N --seconds S --workers N --against PROGRAM]
// The embedded registry against Debian's docker-registry, or another build of distribution, taking turns in one run.
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
  startOurs,
  stop,
} from './servers.mjs';

const MB = 1_000_000;
const BLOB_BYTES = 60 * MB;
const UPLOADS = 16;
const TARGETS = { manifest: 12, get: 1.2, put: 1.6 };
/** The newest distribution is faster than Debian's. */
const OTHER_TARGETS = { manifest: 8, get: 1.1 };
const MAX_RESIDENT = 120 * MB;

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      workers: { type: 'string', default: '2' },
      against: { type: 'string' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-registry-'));
  const servers = [];
  try {
    const ours = await startOurs(join(folder, 'atoll'), Number(values.workers));
    servers.push(ours);
    const pair = {
      certificate: join(folder, 'atoll', 'tls', 'server.crt'),
      key: join(folder, 'atoll', 'tls', 'server.key'),
    };
    servers.push(await startDocker(join(folder, 'docker'), pair, values.against));
    const results = await measureAll(
      servers,
      folder,
      Number(values.rounds),
      Number(values.seconds),
    );
    return report(results, values.against ? OTHER_TARGETS : TARGETS);
  } finally {
    for (const server of servers) await stop(server);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The servers take turns in every measurement, so that a busy minute of the machine meets both. */
async function measureAll(servers, folder, rounds, seconds) {
  const paths = await publish(servers[0].url, BLOB_BYTES);
  await publish(servers[1].url, BLOB_BYTES);
  const results = Object.fromEntries(servers.map(({ name }) => [name, { rounds: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) results[server.name].rounds.push({});
    const inTurn = round % 2 === 0 ? servers : servers.toReversed();
    for (const measurement of measurementsOf(paths, seconds, round)) {
      for (const server of inTurn) {
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
  return [
    { key: 'manifest', ...requests, job: ({ url }) => get(url, paths.manifest, 32) },
    { key: 'get', ...bytes, job: ({ url }) => get(url, paths.blob, 4) },
    { key: 'put', ...bytes, job: ({ url }) => ({ ...upload, url }) },
    { key: 'manifestTls', ...requests, job: ({ tlsUrl }) => get(tlsUrl, paths.manifest, 32) },
    { key: 'getTls', ...bytes, job: ({ tlsUrl }) => get(tlsUrl, paths.blob, 4) },
  ];
}

/** The rate, what a request or a gigabyte costs in processor time, and the largest process. */
async function timed(server, job, key, scale) {
  const before = processorSeconds(server);
  let resident = 0;
  const watch = setInterval(() => {
    resident = Math.max(resident, residentBytes(server));
  }, 100);
  const result = await load(job);
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
      const result = JSON.parse(text);
      if (result.failed > 0)
        return reject(new Error(`${result.failed} requests failed: ${job.url}`));
      resolve(result);
    });
  });
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function ratioOf(results, key) {
  const theirs = results['docker-registry'].rounds;
  return median(results.atoll.rounds.map((round, at) => round[key].rate / theirs[at][key].rate));
}

const ROWS = [
  ['manifest GET, 32 connections', 'manifest', 'requests/s', 1, 'us/request'],
  ['60 MB blob GET, 4 connections', 'get', 'MB/s', MB, 's/GB'],
  ['60 MB blob PUT, 4 at once, fsync', 'put', 'MB/s', MB, 's/GB'],
  ['manifest GET, TLS', 'manifestTls', 'requests/s', 1, 'us/request'],
  ['60 MB blob GET, TLS', 'getTls', 'MB/s', MB, 's/GB'],
];

function report(results, targets) {
  const middle = (name, key, field) =>
    median(results[name].rounds.map((round) => round[key][field]));
  let missed = 0;
  for (const [title, key, unit, divisor, costUnit] of ROWS) {
    const [ours, theirs] = ['atoll', 'docker-registry'].map((name) => middle(name, key, 'rate'));
    const costs = ['atoll', 'docker-registry'].map((name) => middle(name, key, 'cost'));
    const target = targets[key];
    const ratio = ratioOf(results, key);
    const met = target === undefined || ratio >= target;
    if (!met) missed += 1;
    const wanted = target === undefined ? '' : ` (at least ${target}: ${met ? 'met' : 'MISSED'})`;
    console.log(`${title}: ratio ${ratio.toFixed(2)}${wanted}`);
    console.log(
      `  atoll ${shown(ours / divisor)}  docker-registry ${shown(theirs / divisor)} ${unit}`,
    );
    const [own, other] = costs.map((cost) => cost.toFixed(2).padStart(7));
    console.log(`  atoll ${own}  docker-registry ${other} ${costUnit} of processor`);
    const [resident, otherResident] = ['atoll', 'docker-registry'].map((name) =>
      Math.max(...results[name].rounds.map((round) => round[key].resident)),
    );
    const fits = target === undefined || resident <= MAX_RESIDENT;
    if (!fits) missed += 1;
    console.log(
      `  atoll ${shown(resident / MB)}  docker-registry ${shown(otherResident / MB)} MB in the largest process${fits ? '' : ' (at most 120: MISSED)'}`,
    );
  }
  return missed > 0 ? 1 : 0;
}

const shown = (value) => value.toFixed(0).padStart(7);

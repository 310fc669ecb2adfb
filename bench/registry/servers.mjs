// The registries, ours and one of others, on plain HTTP and on TLS, with the same content.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../mirror/processes.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const PEER_PATHS = ['/usr/bin/docker-registry', '/usr/local/bin/docker-registry'];

export const digestOf = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `sha256:${hash.digest('hex')}`;
};

async function untilServing(url) {
  for (let tries = 0; tries < 200; tries += 1) {
    const up = await fetch(`${url}/v2/`).then(
      () => true,
      () => false,
    );
    if (up) return;
    await pause(50);
  }
  throw new Error(`${url} does not answer`);
}

export async function startOurs(folder, workers) {
  const [plain, tls] = [await freePort(), await freePort()];
  await run(['registry', 'init', '--dir', folder, '--host', '127.0.0.1', '--port', String(tls)]);
  const pair = { certificate: 'tls/server.crt', key: 'tls/server.key' };
  const config = {
    storage: { path: 'data' },
    listeners: [{ address: `127.0.0.1:${plain}` }, { address: `127.0.0.1:${tls}`, tls: pair }],
    accessLog: 'access.log',
  };
  const path = join(folder, 'bench.yaml');
  await writeFile(path, JSON.stringify(config));
  const args = [MAIN, 'registry', 'serve', '--config', path, '--workers', String(workers)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${plain}`;
  await untilServing(url);
  return { name: 'atoll', url, tlsUrl: `https://127.0.0.1:${tls}`, child, folder };
}

/** Debian's, or another build of distribution. */
export async function startDocker(folder, pair, given) {
  const program = given ?? PEER_PATHS.find((path) => existsSync(path));
  if (!program) throw new Error('docker-registry is not installed: run scripts/peers');
  const children = [];
  const urls = [];
  for (const tls of [undefined, pair]) {
    const port = await freePort();
    const config = join(folder, `${tls ? 'tls' : 'plain'}.json`);
    await mkdir(join(folder, 'data'), { recursive: true });
    await writeFile(
      config,
      JSON.stringify({
        version: '0.1',
        log: { level: 'error', accesslog: { disabled: true } },
        storage: { filesystem: { rootdirectory: join(folder, 'data') } },
        http: { addr: `127.0.0.1:${port}`, ...(tls ? { tls } : {}) },
      }),
    );
    children.push(spawn(program, ['serve', config], { stdio: 'ignore' }));
    urls.push(`${tls ? 'https' : 'http'}://127.0.0.1:${port}`);
  }
  await untilServing(urls[0]);
  return {
    name: given ? 'distribution' : 'docker-registry',
    url: urls[0],
    tlsUrl: urls[1],
    child: children[0],
    children,
    folder,
  };
}

/** zot, built with or without its extensions. A folder has one process, so there is no second one for TLS. */
export async function startZot(folder, program) {
  const port = await freePort();
  const config = join(folder, 'zot.json');
  await mkdir(folder, { recursive: true });
  await writeFile(
    config,
    JSON.stringify({
      distSpecVersion: '1.1.1',
      storage: { rootDirectory: join(folder, 'data'), commit: true },
      http: { address: '127.0.0.1', port: String(port), compat: ['docker2s2'] },
      log: { level: 'error', output: '/dev/null' },
    }),
  );
  const child = spawn(program, ['serve', config], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(url);
  return { name: 'zot', url, child, folder };
}

/** Bare node:http with as many processes. */
export async function startFloor(workers) {
  const port = await freePort();
  const program = join(import.meta.dirname, 'floor.mjs');
  const args = [program, String(port), String(workers)];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(url);
  return { name: 'node:http', url, child };
}

export async function stop({ child, children = [child] }) {
  for (const each of children) {
    const gone = new Promise((resolve) => each.once('exit', resolve));
    each.kill('SIGTERM');
    await Promise.race([gone, pause(5000).then(() => each.kill('SIGKILL'))]);
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args} failed`))));
  });
}

/** An image with one layer of this size; returns where to find both. */
export async function publish(url, size) {
  const layer = Buffer.alloc(size, 'layer');
  const config = Buffer.from('{}');
  for (const bytes of [config, layer]) await push(url, bytes);
  const type = 'application/vnd.docker.distribution.manifest.v2+json';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: type,
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      digest: digestOf(config),
      size: config.length,
    },
    layers: [
      {
        mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
        digest: digestOf(layer),
        size: layer.length,
      },
    ],
  });
  await expectStatus(201, `${url}/v2/bench/image/manifests/v1`, {
    method: 'PUT',
    headers: { 'content-type': type },
    body: manifest,
  });
  return {
    manifest: '/v2/bench/image/manifests/v1',
    manifestDigest: `/v2/bench/image/manifests/${digestOf(manifest)}`,
    blob: `/v2/bench/image/blobs/${digestOf(layer)}`,
    type,
  };
}

async function push(url, bytes) {
  const start = await expectStatus(202, `${url}/v2/bench/image/blobs/uploads/`, { method: 'POST' });
  const location = new URL(start.headers.get('location'), url);
  location.searchParams.set('digest', digestOf(bytes));
  const headers = { 'content-type': 'application/octet-stream' };
  await expectStatus(201, location, { method: 'PUT', headers, body: bytes });
}

async function expectStatus(status, url, init) {
  const response = await fetch(url, init);
  if (response.status !== status)
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

/** Resident bytes of the largest process of a server, its children included. */
export function residentBytes(server) {
  return Math.max(...pidsOf(server).map(residentOf));
}

/** Seconds of processor time a server has used so far, its children included. */
export function processorSeconds(server) {
  return pidsOf(server).reduce((sum, pid) => sum + secondsOf(pid), 0);
}

function pidsOf({ child, children = [child] }) {
  return children.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
}

/** The kernel counts in hundredths, whatever the machine. */
function secondsOf(pid) {
  const fields = readProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readProc(name, 'stat').split(') ')[1]?.split(' ')[1] === String(pid))
    .map(Number);
}

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024;
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

// Registries and measured programs as child processes; all of them are gone when the benchmark ends.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/**
 * What a shell has set is not part of any tool: NODE_EXTRA_CA_CERTS alone makes Node read a hundred
 * certificates at every start, which takes longer than the start.
 */
const { PATH, HOME } = process.env;

export function start(program, args, options = {}) {
  const plain = { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME } };
  const child = spawn(program, args, { ...plain, ...options });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export async function stop(child, signal = 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function waitForPort(port) {
  for (let tries = 0; tries < 200; tries += 1) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined));
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`Nobody listens on port ${port}`);
}

/** The peak of a process's memory so far, in MB; undefined once it is gone. */
function peakOf(pid) {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line ? Number(line[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Runs a program to its end: seconds, peak memory in MB, and what it printed. */
export async function measure(program, args, options = {}) {
  const before = process.hrtime.bigint();
  const child = start(program, args, options);
  let peakMB = 0;
  const look = () => {
    peakMB = Math.max(peakMB, peakOf(child.pid) ?? 0);
  };
  const timer = setInterval(look, 20);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearInterval(timer);
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors || output}`);
  return { seconds, peakMB, output };
}

const DOCKER_REGISTRY = ['/usr/bin/docker-registry', '/usr/local/bin/docker-registry'];

/**
 * Debian's docker-registry; `clear` empties it, as it is before a first sync. What it had is only
 * put aside: a file system is slow to give out again what was deleted a moment ago.
 */
export async function startDockerRegistry(root) {
  const program = DOCKER_REGISTRY.find(existsSync) ?? 'docker-registry';
  const port = await freePort();
  const data = join(root, 'data');
  const config = join(root, 'config.yml');
  await mkdir(data, { recursive: true });
  await writeFile(
    config,
    JSON.stringify({
      version: '0.1',
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: data } },
      http: { addr: `127.0.0.1:${port}` },
    }),
  );
  let child;
  let cleared = 0;
  const serve = async () => {
    child = start(program, ['serve', config], { stdio: 'ignore' });
    await waitForPort(port);
  };
  await serve();
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    folder: root,
    clear: async () => {
      await stop(child);
      cleared += 1;
      await rename(data, `${data}-${cleared}`);
      await mkdir(data);
      await serve();
    },
    stop: () => stop(child),
  };
}

// Two registries of ours as child processes, images in the first, and a way to run atoll and kill it.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ATOLL = join(import.meta.dirname, '../../dist/cli/main.js');
/** A run that takes longer hangs: under load the slowest takes a tenth of this. */
const STUCK_MS = 180_000;

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function start(program, args, stdio) {
  const { PATH } = process.env;
  const child = spawn(program, args, { stdio, env: { PATH, HOME: '/nonexistent' } });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Runs a program to its end; `killAfterMs` ends it without warning. */
export async function run(program, args, { killAfterMs } = {}) {
  const child = start(program, args, ['ignore', 'pipe', 'pipe']);
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      words = (words + chunk).slice(-4000);
    });
  }
  let stuck = false;
  const giveUp = () => {
    stuck = true;
    child.kill('SIGKILL');
  };
  const timers = [setTimeout(giveUp, STUCK_MS)];
  if (killAfterMs !== undefined) timers.push(setTimeout(() => child.kill('SIGKILL'), killAfterMs));
  const status = await new Promise((resolve) => child.once('close', resolve));
  timers.forEach(clearTimeout);
  return { status, stuck, words };
}

export const atoll = (args, options) => run(process.execPath, [ATOLL, ...args], options);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The embedded registry as an operator runs it: TLS, a user, a folder. */
export async function createMirror(folder) {
  const port = await freePort();
  const made = await atoll([
    ...['registry', 'init', '--dir', folder, '--host', '127.0.0.1', '--port', String(port)],
    ...['--output', 'json'],
  ]);
  if (made.status !== 0) throw new Error(made.words);
  const config = join(folder, 'config.yaml');
  const text = await readFile(config, 'utf8');
  // Without a reserve, so that a full disk is really met.
  await writeFile(config, `${text.replace('0.0.0.0:', '127.0.0.1:')}limits:\n  minFree: 0\n`);
  const host = `127.0.0.1:${port}`;
  const { auths } = JSON.parse(await readFile(join(folder, 'auth.json'), 'utf8'));
  const mirror = { host, folder, auth: Object.values(auths)[0], child: undefined };
  await serve(mirror);
  return mirror;
}

export async function serve(mirror) {
  const args = [ATOLL, 'registry', 'serve', '--dir', mirror.folder, '--workers', '1'];
  mirror.child = start(process.execPath, args, 'ignore');
  for (let tries = 0; tries < 400; tries += 1) {
    const answer = await run('curl', ['-sk', `https://${mirror.host}/v2/`]);
    if (answer.status === 0) return;
    await sleep(100);
  }
  throw new Error(`the registry at ${mirror.host} does not come up`);
}

export async function killServer(mirror) {
  const gone = new Promise((resolve) => mirror.child.once('exit', resolve));
  mirror.child.kill('SIGKILL');
  await gone;
}

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An OCI layout with one image of random layers; returns the digest of its manifest. */
export async function writeImage(folder, layerBytes) {
  const blobs = join(folder, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType, bytes) => {
    const digest = digestOf(bytes);
    await writeFile(join(blobs, digest.slice(7)), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const type = (name) => `application/vnd.oci.image.${name}`;
  const layers = [];
  for (const size of layerBytes) layers.push(await put(type('layer.v1.tar'), randomBytes(size)));
  const diffIds = layers.map(({ digest }) => digest);
  const about = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: diffIds },
  };
  const config = await put(type('config.v1+json'), Buffer.from(JSON.stringify(about)));
  const mediaType = type('manifest.v1+json');
  const manifest = { schemaVersion: 2, mediaType, config, layers };
  const root = await put(mediaType, Buffer.from(JSON.stringify(manifest)));
  const named = { ...root, annotations: { 'org.opencontainers.image.ref.name': 'v1' } };
  await writeFile(
    join(folder, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [named] }),
  );
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return root.digest;
}

/** Every file below a folder. */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

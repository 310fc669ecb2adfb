// Two registries of ours as child processes, images in the first, and a way to run programs and kill them.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCutter } from './cutter.mjs';
import { writeImage } from './image.mjs';

const ATOLL = join(import.meta.dirname, '../../dist/cli/main.js');
const IMAGES = 6;
const LAYER_BYTES = [1_500_000, 900_000, 40_000];
/** A run that says nothing for this long hangs. */
const SILENT_MS = 300_000;
const REPORT_MS = 5000;

/** What was really done: a kill that came after the end of a run is none. */
export const tally = { kills: 0, cuts: 0, flips: 0, fullDisks: 0 };

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A group of its own, so that all of a command can die at once. Node writes down where it is when it is asked. */
function start(program, args, stdio) {
  const { PATH } = process.env;
  const NODE_OPTIONS = `--report-on-signal --report-dir=${tmpdir()} --report-filename=atoll-faults-stuck.json`;
  const env = { PATH, HOME: '/nonexistent', NODE_OPTIONS };
  const child = spawn(program, args, { stdio, env, detached: true });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** How long all that runs here has waited for a processor: silence on a busy machine is none. */
async function waitedMs() {
  const texts = [...children].map(({ pid }) =>
    readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => ''),
  );
  const waits = (await Promise.all(texts)).map((text) => Number(text.split(' ')[1] ?? 0));
  return waits.reduce((sum, wait) => sum + wait, 0) / 1e6;
}

/** Who is still there of a command that says nothing, and what its first process does. */
async function whereItIs(child) {
  const { words } = await run('ps', ['-o', 'pid,ppid,pgid,etime,time,wchan:20,args', '-e']);
  const group = words.split('\n').filter((line) => line.split(/\s+/).includes(String(child.pid)));
  if (child.exitCode === null) process.kill(child.pid, 'SIGUSR2');
  await sleep(REPORT_MS);
  const file = join(tmpdir(), 'atoll-faults-stuck.json');
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  const { javascriptStack: stack, libuv } = report;
  return `status ${child.exitCode}\n${group.join('\n')}\n${JSON.stringify({ stack, libuv }, null, 1)}`;
}

/** Runs a program to its end; `killAfterMs` ends it without warning, `inGroup` with all that it started. */
export async function run(program, args, { killAfterMs, inGroup = false } = {}) {
  let waitedBefore = await waitedMs();
  const child = start(program, args, ['ignore', 'pipe', 'pipe']);
  const startedAt = performance.now();
  let words = '';
  let where = '';
  let killed = false;
  const end = () => process.kill(inGroup ? -child.pid : child.pid, 'SIGKILL');
  const giveUp = async () => {
    const waited = await waitedMs();
    const isStarved = waited - waitedBefore > SILENT_MS / 4;
    waitedBefore = waited;
    if (isStarved) return silence.refresh();
    where ||= 'stuck';
    where = await whereItIs(child);
    end();
  };
  const kill = () => {
    killed = child.exitCode === null && end();
  };
  const silence = setTimeout(giveUp, SILENT_MS);
  const timers = [silence];
  if (killAfterMs !== undefined) timers.push(setTimeout(kill, killAfterMs));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      words = (words + chunk).slice(program === 'ps' ? 0 : -4000);
      silence.refresh();
    });
  }
  const status = await new Promise((resolve) => child.once('close', resolve));
  timers.forEach(clearTimeout);
  const wasKilled = killed && status === null;
  if (wasKilled) tally.kills += 1;
  const ms = performance.now() - startedAt;
  return { status, stuck: where !== '', killed: wasKilled, ms, words: `${words}\n${where}`.trim() };
}

/** Any moment of a run that usually takes so long, the beginning more often: what is killed often gets far all the same. */
export const anyMoment = (usualMs, random) => (0.05 + 0.95 * random() ** 1.5) * usualMs;

/** Calls `kill` again and again while a run is under way. */
export async function killBeside(running, most, pauseMs, kill) {
  let isOver = false;
  const over = running.then(() => {
    isOver = true;
  });
  for (let count = most; count > 0 && !isOver; count -= 1) {
    await Promise.race([over, sleep(pauseMs())]);
    if (!isOver) await kill();
  }
}

export const atoll = (args, options) => run(process.execPath, [ATOLL, ...args], options);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The embedded registry as an operator runs it: TLS, a user, a folder; reached on a line that can be cut. */
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
  const { auths } = JSON.parse(await readFile(join(folder, 'auth.json'), 'utf8'));
  const line = await createCutter(port, () => {
    tally.cuts += 1;
  });
  const host = `127.0.0.1:${line.port}`;
  const mirror = { host, port, line, folder, auth: Object.values(auths)[0], child: undefined };
  await serve(mirror);
  return mirror;
}

export async function serve(mirror) {
  const args = [ATOLL, 'registry', 'serve', '--dir', mirror.folder, '--workers', '1'];
  mirror.child = start(process.execPath, args, 'ignore');
  for (const deadline = Date.now() + SILENT_MS; Date.now() < deadline; await sleep(100)) {
    if (await answers(mirror.port)) return;
  }
  throw new Error(`the registry in ${mirror.folder} does not come up`);
}

const answers = (port) =>
  new Promise((resolve) => {
    const about = {
      host: '127.0.0.1',
      port,
      path: '/v2/',
      rejectUnauthorized: false,
      agent: false,
    };
    const asked = request(about, (answer) => resolve(answer.resume() !== undefined));
    asked.on('error', () => resolve(false)).end();
  });

/** Ends it without counting that as a fault. */
export async function stopServer(mirror) {
  const gone = new Promise((resolve) => mirror.child.once('exit', resolve));
  mirror.child.kill('SIGKILL');
  await gone;
}

export async function killServer(mirror) {
  tally.kills += 1;
  await stopServer(mirror);
}

/** An empty mirror for each round, so that nothing of an earlier one can hide what this one lost. */
export async function emptyMirror(mirror) {
  await stopServer(mirror);
  await rm(join(mirror.folder, 'data'), { recursive: true, force: true });
  await serve(mirror);
}

/** The logins of all registries, for atoll and for skopeo. */
export const writeLogins = (authfile, mirrors) =>
  writeFile(
    authfile,
    JSON.stringify({ auths: Object.fromEntries(mirrors.map(({ host, auth }) => [host, auth])) }),
  );

/** Pushes and pulls of skopeo need the same flags. */
export const skopeo = (world, side, from, to, options) =>
  run(
    'skopeo',
    [
      ...['copy', '--all', '--quiet', '--preserve-digests', `--${side}-tls-verify=false`],
      ...[`--${side}-authfile`, world.authfile, from, to],
    ],
    options,
  );

export async function createWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-faults-'));
  const [upstream, mirror] = [
    await createMirror(join(folder, 'upstream')),
    await createMirror(join(folder, 'mirror')),
  ];
  const authfile = join(folder, 'auth.json');
  await writeLogins(authfile, [upstream, mirror]);
  const world = { folder, upstream, mirror, authfile, images: new Map() };
  for (let index = 0; index < IMAGES; index += 1) {
    const layout = join(folder, 'layouts', String(index));
    const name = `app/image${index}`;
    world.images.set(name, await writeImage(layout, LAYER_BYTES));
    const to = `docker://${upstream.host}/${name}:v1`;
    const pushed = await skopeo(world, 'dest', `oci:${layout}:v1`, to);
    if (pushed.status !== 0) throw new Error(pushed.words);
  }
  const names = [...world.images.keys()].map((name) => `  - name: ${upstream.host}/${name}:v1`);
  const head = 'kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n';
  const set = join(folder, 'imageset.yaml');
  await writeFile(set, `${head}  additionalImages:\n${names.join('\n')}\n`);
  return { ...world, set };
}

/** Every file below a folder. */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

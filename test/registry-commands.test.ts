import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { Agent, type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { ERROR_CODES } from '../src/core/error-codes.ts';
import { digestOf } from '../src/oci/digest.ts';
import { createPasswordProcess } from '../src/registry/auth/password-process.ts';
import { freePort } from './support/docker-registry.ts';
import { runBundle, serveBundle } from './support/registry-process.ts';
import { tempDir } from './support/temp.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'atoll-registry-cli-'));
const program = join(folder, 'atoll.mjs');
beforeAll(() => bundle({ outfile: program, format: 'esm' }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const atoll = (args: readonly string[], input = '') => runBundle(program, args, input);

async function init(port = 8443) {
  const dir = join(await tempDir(), 'registry');
  const args = ['--dir', dir, '--host', 'localhost,127.0.0.1', '--port', String(port)];
  const { stdout } = await atoll(['registry', 'init', ...args, '--output', 'json']);
  return { dir, ...(JSON.parse(stdout) as { password: string; ca: string; auth: object }) };
}

test('registry init makes what a registry needs, once, and keeps secrets to itself', async () => {
  const { dir, password, auth } = await init();

  const mode = async (name: string) => ((await stat(join(dir, name))).mode & 0o777).toString(8);
  for (const name of [
    'config.yaml',
    'htpasswd',
    'tokens.json',
    'auth.json',
    'tls/ca.key',
    'tls/server.key',
  ]) {
    expect([name, await mode(name)]).toEqual([name, '600']);
  }
  expect(await mode('.')).toBe('700');
  const entry = Buffer.from(`admin:${password}`).toString('base64');
  expect(auth).toEqual({ auths: { 'localhost:8443': { auth: entry } } });
  expect(await readFile(join(dir, 'config.yaml'), 'utf8')).not.toContain(password);
  const again = await atoll(['registry', 'init', '--dir', dir]);
  expect([again.status, again.stderr]).toEqual([3, expect.stringContaining('config.yaml" exists')]);
});

test('registry init in a folder that cannot be says so at once', async () => {
  const { status, stderr } = await atoll(['registry', 'init', '--dir', '/proc/none/registry']);

  expect([status, stderr]).toEqual([3, expect.stringContaining('[FILE_UNWRITABLE]')]);
});

test('registry user adds, lists, changes and removes users', async () => {
  const { dir } = await init();
  const user = (args: readonly string[], input = '') =>
    atoll(['registry', 'user', ...args, '--dir', dir], input);

  const added = await user(['add', 'ci', '--grant', 'push:team', '--password-stdin'], 'hush\n');
  expect([added.status, added.stdout]).toEqual([0, 'ci\n']);
  expect((await user(['list'])).stdout).toBe('admin  delete\nci  push:team\n');
  expect((await user(['passwd', 'ci'])).stdout).toMatch(/^ci [A-Za-z0-9]{24}\n$/);
  expect((await user(['add', 'ci'])).stderr).toContain('there is such a user');
  expect((await user(['add', 'x', '--grant', 'own'])).status).toBe(2);
  expect((await user(['remove', 'ci'])).status).toBe(0);
  expect((await user(['remove', 'ci'])).stderr).toContain('There are: admin');
});

test('registry serve says where a configuration is wrong', async () => {
  const { dir } = await init();
  const path = join(dir, 'config.yaml');
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.slice(0, whole.indexOf('certificate')));

  const { status, stderr } = await atoll(['registry', 'serve', '--dir', dir]);

  expect(status).toBe(3);
  expect(stderr).toContain(path);
  expect(stderr).toMatch(/config\.yaml:\d+:\d+: listeners\.0\.tls/);
});

const serve = (args: readonly string[], detached = false) => serveBundle(program, args, detached);

test('registry serve runs several processes as one, and drains when it is stopped', async () => {
  const port = await freePort();
  const { dir, password, ca } = await init(port);
  const child = await serve(['--dir', dir, '--workers', '2']);
  const agent = new Agent({ ca: await readFile(ca), keepAlive: true });
  const send = (method: string, path: string, options: RequestOptions = {}) =>
    request(`https://localhost:${port}${path}`, {
      agent,
      method,
      auth: `admin:${password}`,
      ...options,
    });
  const ask = async (method: string, path: string, body?: Uint8Array) => {
    const [response] = await once(send(method, path).end(body), 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: response.statusCode, location: response.headers.location, text };
  };

  // Each chunk may reach another process; the session is on disk.
  const bytes = randomBytes(300_000);
  const { location = '' } = await ask('POST', '/v2/a/b/blobs/uploads/');
  for (let start = 0; start < bytes.length; start += 100_000) {
    agent.destroy();
    const answer = await ask('PATCH', location, bytes.subarray(start, start + 100_000));
    expect(answer.status).toBe(202);
  }
  expect((await ask('PUT', `${location}?digest=${digestOf(bytes)}`)).status).toBe(201);
  await vi.waitFor(
    async () => {
      const { text } = await ask('GET', '/metrics');
      expect(text).toContain('atoll_registry_processes 2');
      expect(text).toContain('route="upload",method="PATCH",status="202"} 3');
    },
    { timeout: 30_000, interval: 200 },
  );

  // A request under way is answered although the registry was told to stop.
  const late = await ask('POST', '/v2/a/b/blobs/uploads/');
  const upload = send('PATCH', late.location ?? '', { headers: { 'content-length': 2000 } });
  upload.write(bytes.subarray(0, 1000));
  await once(upload, 'socket');
  const health = () =>
    ask('GET', '/healthz').then(
      ({ status }) => status,
      () => 'closed',
    );
  child.kill('SIGTERM');
  await vi.waitFor(async () => expect(await health()).not.toBe(200), { timeout: 30_000 });
  upload.end(bytes.subarray(1000, 2000));
  const [response] = await once(upload, 'response');
  expect(response.statusCode).toBe(202);
  response.resume();
  const [status] = await once(child, 'exit');
  expect(status).toBe(0);
  agent.destroy();

  const log = (await readFile(join(dir, 'access.log'), 'utf8')).trim().split('\n');
  const entries = log.map((line) => JSON.parse(line));
  expect(entries).toContainEqual(
    expect.objectContaining({ user: 'admin', repository: 'a/b', digest: digestOf(bytes) }),
  );
  expect(log.join('')).not.toContain(password);
  await upkeep(dir);
});

test('registry serve says so when it cannot start processes', async () => {
  const { dir } = await init(await freePort());
  const preload = join(folder, 'no-node.cjs');
  await writeFile(preload, "process.execPath = '/nonexistent/node';\n");

  const args = ['--require', preload, program, 'registry', 'serve', '--dir', dir, '--workers', '2'];
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, args, { timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    ),
  );

  expect([code, stderr]).toEqual([
    ERROR_CODES.PROGRAM_FAILED.exit,
    expect.stringContaining('did not start: spawn /nonexistent/node ENOENT'),
  ]);
});

test('who connects while several processes stop is answered or refused, never left waiting', async () => {
  const port = await freePort();
  const { dir, password, ca } = await init(port);
  // A group of its own, so that the signal reaches all of them at once, as it does from systemd.
  const child = await serve(['--dir', dir, '--workers', '2'], true);
  const trusted = { ca: await readFile(ca), auth: `admin:${password}` };
  const send = (method: string, path: string, options: RequestOptions = {}) =>
    request(`https://localhost:${port}${path}`, { ...trusted, agent: false, method, ...options });
  const [opened] = await once(send('POST', '/v2/a/b/blobs/uploads/').end(), 'response');
  opened.resume();
  // Keeps its process, and with it the whole registry, from ending.
  const headers = { 'content-length': 2000, expect: '100-continue' };
  const upload = send('PATCH', opened.headers.location, { headers });
  upload.flushHeaders();
  await once(upload, 'continue');

  const outcomes = new Set<string>();
  let running = true;
  const connect = async () => {
    while (running) {
      const asked = send('GET', '/healthz', { timeout: 10_000 }).end();
      asked.once('timeout', () => asked.destroy(new Error('left waiting')));
      try {
        const [response] = await once(asked, 'response');
        response.resume();
        outcomes.add(String(response.statusCode));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        outcomes.add(code ?? message);
        if (code === 'ECONNREFUSED') return;
      }
    }
  };
  const clients = Array.from({ length: 16 }, connect);
  await vi.waitFor(() => expect(outcomes).toContain('200'), { timeout: 30_000 });
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await Promise.race([Promise.all(clients), new Promise((resolve) => setTimeout(resolve, 25_000))]);
  running = false;
  upload.end(randomBytes(2000));
  const [response] = await once(upload, 'response');
  const [status] = await once(child, 'exit');

  expect([...outcomes]).toContain('ECONNREFUSED');
  expect([...outcomes]).not.toContain('left waiting');
  expect([response.statusCode, status]).toEqual([202, 0]);
});

async function upkeep(dir: string): Promise<void> {
  const json = async (...args: readonly string[]) =>
    JSON.parse((await atoll(['registry', ...args, '--dir', dir, '--output', 'json'])).stdout);

  expect((await json('usage')).repositories).toMatchObject([{ repository: 'a/b', bytes: 300_000 }]);
  expect(await json('check')).toMatchObject({ blobs: 1, problems: [] });
  expect(await json('gc', '--dry-run')).toMatchObject({ removedBlobs: 0, youngBlobs: 1 });
  // The blob, and the 2,000 bytes of the upload that nobody finished.
  expect(await json('gc', '--grace', '0')).toMatchObject({ removedBlobs: 1, freedBytes: 302_000 });
}

test('registry renew signs a new certificate for the same names', async () => {
  const { dir } = await init();
  const before = await readFile(join(dir, 'tls', 'server.crt'), 'utf8');

  const { status, stdout } = await atoll(['registry', 'renew', '--dir', dir, '--days', '90']);

  expect([status, stdout]).toEqual([0, expect.stringContaining('for localhost, 127.0.0.1, valid')]);
  expect(await readFile(join(dir, 'tls', 'server.crt'), 'utf8')).not.toBe(before);
});

test('registry serve compares passwords in a process of its own, while it goes on', async () => {
  const { compare, close } = createPasswordProcess(silentContext(), {
    file: process.execPath,
    args: [program],
  });
  onTestFinished(close);
  const hashed = await hash('right', 10);
  expect(await compare('wrong', hashed)).toBe(false);
  let [turns, done] = [0, false];
  const spin = () => {
    turns += 1;
    if (!done) setImmediate(spin);
  };
  spin();

  expect(await compare('right', hashed)).toBe(true);
  done = true;

  // Here it would have been one or two: nothing else has a turn while bcrypt works.
  expect(turns).toBeGreaterThan(20);
});

test('registry serve compares passwords by itself where the other process does not start', async () => {
  const ctx = recordingContext();
  const { compare, close } = createPasswordProcess(ctx, {
    file: process.execPath,
    args: ['-e', ''],
  });
  onTestFinished(close);
  const hashed = await hash('right', 4);

  expect(await compare('right', hashed)).toBe(true);
  expect(await compare('wrong', hashed)).toBe(false);
  expect(ctx.events).toMatchObject([{ type: 'warning.raised' }]);
});

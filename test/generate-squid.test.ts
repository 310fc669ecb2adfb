import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { squidConf } from '../src/generate/units/squid-conf.ts';
import { freePort } from './support/docker-registry.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';

const run = promisify(execFile);
const HELPERS = ['/usr/lib/squid', '/usr/lib64/squid'].map((dir) => `${dir}/basic_ncsa_auth`);
const INSIDE = ['127.0.0.1', '169.254.169.254', '0.0.0.0'];
const OPEN = { host: 'upstream.invalid', url: 'http://upstream.invalid/' };

describeWithPeers(['squid', 'htpasswd', 'curl'], 'squid with the generated config', () => {
  let dir: string;
  let port: number;
  let squid: ChildProcess;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'atoll-squid-'));
    // squid gives up its rights and must still write its logs.
    await chmod(dir, 0o777);
    port = await freePort();
    const { stdout } = await run(peerPath('htpasswd') ?? 'htpasswd', ['-nbm', 'user', 'password']);
    await writeFile(join(dir, 'htpasswd'), stdout);
    const conf = squidConf({
      port,
      logs: dir,
      clients: ['127.0.0.0/8'],
      auth: { htpasswd: join(dir, 'htpasswd'), helper: HELPERS.find(existsSync) },
      // A name beside its domain, and in other letters: squid would refuse to start with both.
      destinations: [OPEN.host, '.upstream.invalid', 'UPSTREAM.invalid', ...INSIDE],
    });
    await writeFile(join(dir, 'squid.conf'), conf);
    const args = ['-N', '--foreground', '-f', join(dir, 'squid.conf')];
    squid = spawn(peerPath('squid') ?? 'squid', args, { stdio: 'ignore' });
    for (let tries = 0; tries < 200 && (await status(OPEN.url)) === 0; tries += 1) await sleep(50);
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => squid.once('exit', resolve));
    squid.kill('SIGKILL');
    await gone;
    await rm(dir, { recursive: true, force: true });
  });

  /** The answer of the proxy; 0 when there is none. */
  async function status(url: string, login = ''): Promise<number> {
    const proxy = `http://${login}127.0.0.1:${port}`;
    const args = [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '--max-time',
      '10',
      '-x',
      proxy,
      url,
    ];
    const { stdout } = await run('curl', args).catch((error) => error as { stdout: string });
    return Number(stdout);
  }
  const LOGIN = 'user:password@';

  test('asks for a login and then tries to go where it may', async () => {
    expect(await status(OPEN.url)).toBe(407);
    // Nobody resolves ".invalid", so the way out ends there, but it was let out.
    expect(await status(OPEN.url, LOGIN)).toBeGreaterThanOrEqual(502);
    expect(await status(OPEN.url, 'user:wrong@')).toBe(407);
  });

  test.each([
    ['the metadata of the machine', 'http://169.254.169.254/latest/meta-data'],
    ['the machine itself', 'http://127.0.0.1:5000/'],
    ['the machine under its address for everything', 'http://0.0.0.0:5000/'],
    ['what the proxy knows about its clients', 'http://upstream.invalid/squid-internal-mgr/info'],
    ['places that are not named', 'http://other.invalid/'],
    ['ports that are not for web traffic', 'http://upstream.invalid:22/'],
  ])('never leads to %s', async (_, url) => {
    expect(await status(url, LOGIN)).toBe(403);
  });
});

import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { formatGrants } from '../src/registry/auth/grants.ts';
import { createRobot, listRobots, revokeRobot } from '../src/registry/auth/robots.ts';
import { removeUser } from '../src/registry/auth/users.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { errorCode, registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);
const ctx = silentContext();
const DAY_MS = 86_400_000;

async function serve(challenge: 'basic' | 'bearer' = 'bearer', now = () => new Date()) {
  const folder = await tempDir();
  const paths = { htpasswd: join(folder, 'htpasswd'), grants: join(folder, 'grants.yaml') };
  // Few rounds: these tests are not about how slow bcrypt is.
  await writeFile(paths.htpasswd, `admin:${await hash('secret', 4)}\n`);
  await writeFile(paths.grants, formatGrants({ admin: [{ role: 'delete', prefix: '' }] }));
  const tokens = join(folder, 'tokens.json');
  const robot = await createRobot(ctx, tokens, {
    name: 'ci',
    grants: [{ role: 'push', prefix: 'team' }],
    lifeMs: DAY_MS,
  });
  const registry = await startEmbeddedRegistry({
    ctx: silentContext({ now }),
    auth: { ...paths, tokens, challenge },
  });
  onTestFinished(registry.stop);
  const http = registryHttp(registry.url);
  const authorized = (authorization: string) => registryHttp(registry.url, { authorization });
  return { ...registry, folder, paths, tokens, robot, http, authorized };
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** What a client does: asks, is told where to get a token, and asks there. */
async function tokenFor(
  { http, authorized }: Awaited<ReturnType<typeof serve>>,
  path: string,
  login: string | undefined,
) {
  const { status, headers } = await http.send('GET', path);
  expect(status).toBe(401);
  const challenge = headers.get('www-authenticate') ?? '';
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const url = new URL(field('realm'));
  url.searchParams.set('service', field('service'));
  url.searchParams.set('scope', field('scope'));
  const client = login === undefined ? http : authorized(login);
  const answer = await client.send('GET', url.pathname + url.search);
  const { token = '' } = JSON.parse(answer.bytes.toString()) as { token?: string };
  return { challenge, status: answer.status, token };
}

test("a robot's token is a password, a bearer token, and no more than its scope", async () => {
  const { authorized, robot, access } = await serve('basic');
  const asUser = authorized(basic('ci', robot.token));
  await asUser.pushImage('team/app', 'v1');

  const asBearer = authorized(`Bearer ${robot.token}`);
  expect((await asBearer.send('GET', '/v2/team/app/manifests/v1')).status).toBe(200);
  const elsewhere = await asBearer.send('GET', '/v2/other/app/manifests/v1');
  expect([elsewhere.status, errorCode(elsewhere)]).toEqual([403, 'DENIED']);
  expect((await authorized(basic('admin', robot.token)).send('GET', '/v2/')).status).toBe(401);
  expect(access.at(-1)).toMatchObject({ claimedUser: 'admin', refusal: 'token-unknown' });
  expect(access[0]).toMatchObject({ user: 'ci', token: robot.id });
});

test('a bearer challenge names the scope, and the token that is got for it does only that', async () => {
  const served = await serve();
  const admin = basic('admin', 'secret');
  await served.authorized(admin).pushImage('team/app', 'v1');

  const got = await tokenFor(served, '/v2/team/app/manifests/v1', admin);

  expect(got.challenge).toBe(
    `Bearer realm="${served.url}/token",service="${served.host}",scope="repository:team/app:pull"`,
  );
  const client = served.authorized(`Bearer ${got.token}`);
  expect((await client.send('GET', '/v2/team/app/manifests/v1')).status).toBe(200);
  expect((await client.send('GET', '/v2/team/app/below/tags/list')).status).toBe(401);
  const push = await client.send('POST', '/v2/team/app/blobs/uploads/');
  expect([push.status, push.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('scope="repository:team/app:pull,push"'),
  ]);
});

test('a token for what its owner may not do is refused for good', async () => {
  const served = await serve();
  const { status, token } = await tokenFor(
    served,
    '/v2/other/app/tags/list',
    basic('ci', served.robot.token),
  );
  expect(status).toBe(200);

  const answer = await served.authorized(`Bearer ${token}`).send('GET', '/v2/other/app/tags/list');

  expect([answer.status, errorCode(answer)]).toEqual([403, 'DENIED']);
});

test('a token ends with its time, with its robot, and with the password of its user', async () => {
  let now = Date.now();
  const served = await serve('bearer', () => new Date(now));
  const { authorized, robot, access } = served;
  const path = '/v2/team/app/tags/list';
  const ofRobot = await tokenFor(served, path, basic('ci', robot.token));
  const ofUser = await tokenFor(served, path, basic('admin', 'secret'));
  const statusOf = async (token: string) =>
    (await authorized(`Bearer ${token}`).send('GET', path)).status;
  expect([await statusOf(ofRobot.token), await statusOf(ofUser.token)]).toEqual([404, 404]);

  await removeUser(ctx, served.paths, 'admin');
  await revokeRobot(ctx, served.tokens, 'ci');
  await vi.waitFor(async () => expect(await statusOf(ofRobot.token)).toBe(401), 5000);
  expect(access.at(-1)?.refusal).toBe('token-unknown');
  await vi.waitFor(async () => expect(await statusOf(ofUser.token)).toBe(401), 5000);
  expect(access.at(-1)?.refusal).toBe('token-revoked');
  now += 2 * DAY_MS;
  expect(await statusOf(ofUser.token)).toBe(401);
  expect(access.at(-1)?.refusal).toBe('token-expired');
});

test('a token that was altered, or is expired, opens nothing', async () => {
  let now = Date.now();
  const { authorized, robot, access } = await serve('bearer', () => new Date(now));
  const statusOf = async (authorization: string) =>
    (await authorized(authorization).send('GET', '/v2/')).status;

  const other = robot.token.slice(0, -1) + (robot.token.endsWith('A') ? 'B' : 'A');
  expect(await statusOf(`Bearer ${other}`)).toBe(401);
  expect(access.at(-1)).toMatchObject({ token: robot.id, refusal: 'token-unknown' });
  const claims = Buffer.from('{"user":"admin","grants":[],"expires":9999999999}');
  expect(await statusOf(`Bearer ${claims.toString('base64url')}.AAAA`)).toBe(401);
  now += 2 * DAY_MS;
  expect(await statusOf(`Bearer ${robot.token}`)).toBe(401);
  expect(access.at(-1)).toMatchObject({ token: robot.id, refusal: 'token-expired' });
});

test('tokens are kept as hashes that nobody else may read', async () => {
  const { tokens, robot } = await serve();

  expect(((await stat(tokens)).mode & 0o777).toString(8)).toBe('600');
  // The secret is what stands behind the second underscore; it may hold underscores of its own.
  const secret = robot.token.slice(`atr_${robot.id}_`.length);
  expect(secret).toHaveLength(32);
  expect(await readFile(tokens, 'utf8')).not.toContain(secret);
  expect(await listRobots(tokens)).toMatchObject([{ name: 'ci', id: robot.id }]);
});

test('a registry that cannot make its file of tokens says so, and serves', async () => {
  const ctx = recordingContext();
  const folder = await tempDir();
  await writeFile(join(folder, 'htpasswd'), `admin:${await hash('secret', 4)}\n`);
  const auth = { htpasswd: join(folder, 'htpasswd'), tokens: '/proc/none/tokens.json' };
  const registry = await startEmbeddedRegistry({ ctx, auth });
  onTestFinished(registry.stop);

  const client = registryHttp(registry.url, { authorization: basic('admin', 'secret') });

  expect((await client.send('GET', '/v2/')).status).toBe(200);
  expect(ctx.events).toContainEqual(expect.objectContaining({ type: 'warning.raised' }));
  const bearer = { ...auth, challenge: 'bearer' as const };
  await expect(startEmbeddedRegistry({ auth: bearer })).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
  });
});

test('/token takes a form, too, with a password or a token of a robot', async () => {
  const { http, robot } = await serve();
  const post = async (form: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ service: 'x', scope: 'repository:team/a:push', ...form });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return await http.send('POST', '/token', { body: body.toString(), headers });
  };

  const login = { grant_type: 'password', username: 'admin', password: 'secret' };
  expect((await post(login)).status).toBe(200);
  expect((await post({ ...login, password: 'wrong' })).status).toBe(401);
  const refreshed = await post({ grant_type: 'refresh_token', refresh_token: robot.token });
  expect(JSON.parse(refreshed.bytes.toString())).toMatchObject({
    access_token: expect.any(String),
    refresh_token: robot.token,
  });
  expect((await post({ grant_type: 'magic' })).status).toBe(401);
});

describeWithPeers(['skopeo', 'podman', 'curl'], 'clients with tokens', () => {
  test.each(['basic', 'bearer'] as const)(
    'skopeo, podman and curl work with a robot over a %s challenge',
    async (challenge) => {
      const served = await serve(challenge);
      const { host, url, robot, folder } = served;
      await served.authorized(basic('admin', 'secret')).pushImage('team/app', 'v1');
      const authfile = join(folder, 'auth.json');
      const login = ['--tls-verify=false', '--authfile', authfile, '-u', 'ci', '--password-stdin'];
      const logging = run('podman', ['login', ...login, host], { timeout: 60_000 });
      logging.child.stdin?.end(robot.token);
      await logging;
      const skopeo = (...args: readonly string[]) => run('skopeo', [...args], { timeout: 60_000 });
      const copy = ['copy', '--authfile', authfile, '--src-tls-verify=false'];

      await skopeo(
        ...copy,
        '--dest-tls-verify=false',
        `docker://${host}/team/app:v1`,
        `docker://${host}/team/copy:v2`,
      );

      await expect(
        skopeo('inspect', '--authfile', authfile, '--tls-verify=false', `docker://${host}/x/y:v1`),
      ).rejects.toThrow(/denied/);
      const list = ['-sf', '-H', `Authorization: Bearer ${robot.token}`];
      const { stdout } = await run('curl', [...list, `${url}/v2/team/copy/tags/list`]);
      expect(JSON.parse(stdout)).toEqual({ name: 'team/copy', tags: ['v2'] });
      if (challenge === 'bearer') {
        expect(served.access.filter(({ route }) => route === 'token')).not.toEqual([]);
      }
    },
  );

  test('skopeo refreshes with an identity token', async () => {
    const { host, robot, folder, authorized } = await serve();
    await authorized(basic('admin', 'secret')).pushImage('team/app', 'v1');
    const authfile = join(folder, 'identity.json');
    const auth = Buffer.from('ci:').toString('base64');
    const auths = { [host]: { auth, identitytoken: robot.token } };
    await writeFile(authfile, JSON.stringify({ auths }));

    const { stdout } = await run('skopeo', [
      ...['inspect', '--raw', '--authfile', authfile, '--tls-verify=false'],
      `docker://${host}/team/app:v1`,
    ]);

    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 2 });
  });
});

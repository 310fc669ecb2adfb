import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { formatGrants, type GrantsByUser } from '../src/registry/auth/grants.ts';
import { addUser, listUsers, removeUser, setPassword } from '../src/registry/auth/users.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { errorCode, registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const GRANTS: GrantsByUser = {
  admin: [{ role: 'delete', prefix: '' }],
  builder: [
    { role: 'push', prefix: 'team' },
    { role: 'pull', prefix: 'base' },
  ],
  reader: [{ role: 'pull', prefix: '' }],
};

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

interface ServeOptions {
  readonly anonymousPull?: boolean;
  readonly metricsLogin?: boolean;
  readonly now?: () => Date;
}

async function serve(options: ServeOptions = {}) {
  const folder = await tempDir();
  const paths = { htpasswd: join(folder, 'htpasswd'), grants: join(folder, 'grants.yaml') };
  // Few rounds: these tests are not about how slow bcrypt is.
  const secret = await hash('secret', 4);
  const users = Object.keys(GRANTS).map((user) => `${user}:${secret}\n`);
  await writeFile(paths.htpasswd, users.join(''));
  await writeFile(paths.grants, formatGrants(GRANTS));
  const { anonymousPull = false, metricsLogin = false, now } = options;
  const registry = await startEmbeddedRegistry({
    ...(now ? { ctx: silentContext({ now }) } : {}),
    auth: { ...paths, anonymousPull, metricsLogin },
  });
  onTestFinished(registry.stop);
  const as = (user: string, password = 'secret') =>
    registryHttp(registry.url, basic(user, password));
  return { ...registry, paths, as, anybody: registryHttp(registry.url) };
}

test('a registry with users asks strangers to log in', async () => {
  const { anybody } = await serve();

  for (const path of ['/v2/', '/v2/team/app/manifests/v1', '/v2/_catalog']) {
    const answer = await anybody.send('GET', path);
    expect([answer.status, errorCode(answer)]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.headers.get('www-authenticate')).toContain('Basic realm=');
  }
  expect((await anybody.send('GET', '/healthz')).status).toBe(200);
});

test('roles hold for a repository and those below it, and for no others', async () => {
  const { as } = await serve();
  const { digest } = await as('admin').pushImage('base/image', 'v1');
  await as('builder').pushImage('team/app', 'v1');

  const status = async (user: string, method: string, path: string) =>
    (await as(user).send(method, path)).status;

  expect(await status('builder', 'GET', '/v2/base/image/manifests/v1')).toBe(200);
  expect(await status('builder', 'POST', '/v2/base/image/blobs/uploads/')).toBe(403);
  expect(await status('builder', 'POST', '/v2/teammates/app/blobs/uploads/')).toBe(403);
  expect(await status('builder', 'DELETE', '/v2/team/app/manifests/v1')).toBe(403);
  expect(await status('reader', 'GET', '/v2/team/app/manifests/v1')).toBe(200);
  expect(await status('reader', 'POST', '/v2/team/app/blobs/uploads/')).toBe(403);
  expect(await status('admin', 'DELETE', `/v2/base/image/manifests/${digest}`)).toBe(202);
  const denied = await as('reader').send('DELETE', '/v2/team/app/manifests/v1');
  expect(errorCode(denied)).toBe('DENIED');
});

test('a mount needs the right to read where the blob is', async () => {
  const { as } = await serve();
  const { layer } = await as('admin').pushImage('secret/image', 'v1');
  const { layer: open } = await as('admin').pushImage('base/image', 'v1');
  const mount = (digest: string, from: string) =>
    as('builder').send('POST', `/v2/team/app/blobs/uploads/?mount=${digest}${from}`);

  expect((await mount(open, '&from=base/image')).status).toBe(201);
  expect((await mount(layer, '&from=secret/image')).status).toBe(202);
  expect((await mount(layer, '')).status).toBe(202);
});

test('the catalog shows everybody what they may pull', async () => {
  const { as } = await serve();
  for (const name of ['base/image', 'other/image']) await as('admin').pushImage(name, 'v1', 10);

  const seen = async (user: string) =>
    JSON.parse((await as(user).send('GET', '/v2/_catalog')).bytes.toString()).repositories;

  expect(await seen('builder')).toEqual(['base/image']);
  expect(await seen('reader')).toEqual(['base/image', 'other/image']);
});

test('anybody may pull where that is allowed, and clients still learn how to log in', async () => {
  const { as, anybody } = await serve({ anonymousPull: true });
  await as('admin').pushImage('base/image', 'v1');

  expect((await anybody.send('GET', '/v2/base/image/manifests/v1')).status).toBe(200);
  expect((await anybody.send('POST', '/v2/base/image/blobs/uploads/')).status).toBe(401);
  expect((await anybody.send('GET', '/v2/')).status).toBe(401);
  // What clients without credentials send when they see the challenge.
  expect((await as('', '').send('GET', '/v2/base/image/manifests/v1')).status).toBe(200);
});

test('wrong passwords are slow after some of them, and a right one is never refused', async () => {
  let now = Date.now();
  const { as, running } = await serve({ now: () => new Date(now) });
  expect((await as('admin').send('GET', '/v2/')).status).toBe(200);
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await as('admin', `wrong${tries}`).send('GET', '/v2/')).status).toBe(401);
  }

  const answered: string[] = [];
  const told = async (name: string, user: string, password?: string) => {
    const { status } = await as(user, password).send('GET', '/v2/');
    answered.push(`${name} ${status}`);
  };
  const guess = told('guess', 'admin', 'wrong');
  const neighbour = told('neighbour', 'reader');
  // A password that was right before costs nothing, so it is let through.
  await told('known', 'admin');
  expect(answered).toEqual(['known 200']);
  now += 60_000;
  await Promise.all([guess, neighbour]);

  expect(answered.toSorted()).toEqual(['guess 401', 'known 200', 'neighbour 200']);
  expect(running.snapshot()).toMatchObject({
    login_failures_total: 11,
    logins_throttled_total: 0,
  });
});

test('wrong passwords that come all at once are slowed like those that come one by one', async () => {
  let now = Date.now();
  const { as } = await serve({ now: () => new Date(now) });
  let answers = 0;

  const tries = Array.from({ length: 20 }, async (_, index) => {
    const { status } = await as('admin', `wrong${index}`).send('GET', '/v2/');
    answers += 1;
    return status;
  });
  await vi.waitFor(() => expect(answers).toBe(10));
  const right = as('reader').send('GET', '/v2/');
  await vi.waitFor(
    () => {
      now += 3000;
      expect(answers).toBe(20);
    },
    { timeout: 20_000 },
  );

  expect(await Promise.all(tries)).toEqual(Array(20).fill(401));
  expect((await right).status).toBe(200);
});

test('a header that is no Basic login is refused', async () => {
  const { url } = await serve();
  for (const authorization of ['Bearer abc', 'Basic', 'Basic %%%', 'Basic bm8gY29sb24=']) {
    const answer = await registryHttp(url, { authorization }).send('GET', '/v2/');
    expect([authorization, answer.status]).toEqual([authorization, 401]);
  }
});

test('users added, changed and removed count without a restart', async () => {
  let now = Date.now();
  const { as, paths } = await serve({ now: () => new Date(now) });
  const ctx = silentContext();
  const status = async (password: string) => (await as('new', password).send('GET', '/v2/')).status;
  const until = async (password: string, wanted: number) => {
    // Time goes by, so that asking again and again does not count as guessing.
    while ((await status(password)) !== wanted) now += 10_000;
  };

  await addUser(ctx, paths, { name: 'new', password: 'first', grants: [] });
  await until('first', 200);
  await setPassword(ctx, paths, 'new', 'second');
  await until('second', 200);
  now += 60_000;
  expect(await status('first')).toBe(401);
  await removeUser(ctx, paths, 'new');
  await until('second', 401);
});

test('a grant that cannot be written down is refused, and no user is made', async () => {
  const paths = { htpasswd: join(await tempDir(), 'htpasswd'), grants: undefined };
  const add = (name: string, role: 'pull' | 'push', prefix: string) =>
    addUser(silentContext(), paths, { name, password: 'x', grants: [{ role, prefix }] });

  await expect(add('ci', 'push', '')).rejects.toThrow('Cannot grant "ci" push');
  await expect(add('ci', 'pull', 'team')).rejects.toThrow('Cannot grant "ci" pull:team');
  await add('nodes', 'pull', '');

  expect((await listUsers(paths)).map(({ name }) => name)).toEqual(['nodes']);
});

test('metrics want a login where that is asked for, and health does not', async () => {
  const { as, anybody } = await serve({ metricsLogin: true });

  expect((await anybody.send('GET', '/metrics')).status).toBe(401);
  expect((await as('reader', 'wrong').send('GET', '/metrics')).status).toBe(401);
  expect((await as('reader').send('GET', '/metrics')).status).toBe(200);
  expect((await anybody.send('GET', '/healthz')).status).toBe(200);
  expect((await (await serve()).anybody.send('GET', '/metrics')).status).toBe(200);
});

test('the access log tells of each refusal who wanted what and why not', async () => {
  const { as, anybody, access } = await serve();

  await anybody.send('GET', '/v2/team/app/manifests/v1');
  await as('mallory', 'guess').send('GET', '/v2/team/app/manifests/v1');
  await as('reader').send('DELETE', '/v2/team/app/manifests/v1');
  await as('reader').send('GET', '/v2/team/app/manifests/v1');

  const told = access.map(({ status, error, user, claimedUser }) => [
    status,
    error,
    user,
    claimedUser,
  ]);
  expect(told).toEqual([
    [401, 'UNAUTHORIZED', undefined, undefined],
    [401, 'UNAUTHORIZED', undefined, 'mallory'],
    [403, 'DENIED', 'reader', undefined],
    [404, 'MANIFEST_UNKNOWN', 'reader', undefined],
  ]);
  expect(JSON.stringify(access)).not.toContain('guess');
});

test('a read-only registry takes nothing and gives everything', async () => {
  const writable = await startEmbeddedRegistry();
  onTestFinished(writable.stop);
  const { digest } = await registryHttp(writable.url).pushImage('a/b', 'v1');
  const registry = await startEmbeddedRegistry({ root: writable.root, readOnly: true });
  onTestFinished(registry.stop);
  const http = registryHttp(registry.url);

  expect((await http.send('GET', '/v2/a/b/manifests/v1')).status).toBe(200);
  for (const [method, path] of [
    ['POST', '/v2/a/b/blobs/uploads/'],
    ['PUT', '/v2/a/b/manifests/v2'],
    ['DELETE', `/v2/a/b/manifests/${digest}`],
  ] as const) {
    const answer = await http.send(method, path);
    expect([answer.status, errorCode(answer)]).toEqual([405, 'UNSUPPORTED']);
  }
});

test('the access log tells who did what', async () => {
  const { as, access, anybody } = await serve();
  const { layer, digest } = await as('builder').pushImage('team/app', 'v1', 5000);
  await as('reader').send('GET', `/v2/team/app/blobs/${layer}`);
  await as('reader').send('GET', '/v2/team/app/manifests/v1');
  await anybody.send('GET', '/v2/team/app/manifests/v1');

  const told = access
    .slice(-3)
    .map(({ user, method, status, repository, reference, digest: what }) => ({
      user,
      method,
      status,
      repository,
      reference,
      digest: what,
    }));
  const pull = { method: 'GET', repository: 'team/app' };
  expect(told).toEqual([
    { ...pull, user: 'reader', status: 200, reference: undefined, digest: layer },
    { ...pull, user: 'reader', status: 200, reference: 'v1', digest },
    { ...pull, user: undefined, status: 401, reference: undefined, digest: undefined },
  ]);
  expect(access.at(-3)?.bytesSent).toBeGreaterThan(5000);
  expect(JSON.stringify(access)).not.toContain('secret');
});

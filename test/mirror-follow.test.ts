import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { REGISTRY_COMMANDS } from '../src/cli/commands/registry/index.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { type FollowOptions, followRegistry, keepFollowing } from '../src/mirror/follow/follow.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { formatGrants } from '../src/registry/auth/grants.ts';
import { createRobot } from '../src/registry/auth/robots.ts';
import { listUsers } from '../src/registry/auth/users.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { startDockerRegistry } from './support/docker-registry.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { imageManifest, registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);
const ctx = silentContext();

async function serve() {
  const registry = await startEmbeddedRegistry();
  onTestFinished(registry.stop);
  return { ...registry, http: registryHttp(registry.url) };
}

async function pair() {
  const [one, two] = [await serve(), await serve()];
  const registries = createRegistries({ insecure: true });
  onTestFinished(() => registries.close());
  const memory = await tempDir();
  const options = (more: Partial<FollowOptions> = {}): FollowOptions => ({
    registries,
    from: parseDestination(one.host),
    to: parseDestination(two.host),
    filter: {},
    memory,
    ...more,
  });
  const follow = (more: Partial<FollowOptions> = {}) => followRegistry(ctx, options(more));
  return { one, two, follow, options };
}

const tagsAt = async ({ http }: Awaited<ReturnType<typeof serve>>, repository: string) => {
  const { bytes } = await http.send('GET', `/v2/${repository}/tags/list`);
  return (JSON.parse(bytes.toString()) as { tags?: string[] }).tags;
};

test('follow brings tags, indexes and referrers, and then has nothing to do', async () => {
  const { one, two, follow } = await pair();
  const image = await one.http.pushImage('a/b', 'v1', 5000);
  const part = {
    mediaType: MEDIA_TYPES.ociManifest,
    digest: image.digest,
    size: image.manifest.length,
  };
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [part] };
  await one.http.pushManifest('a/b', 'index', index);
  await one.http.pushManifest('a/b', 'note', {
    ...imageManifest(Buffer.from('{}'), []),
    subject: part,
  });
  await one.http.pushImage('c', 'latest');

  expect(await follow()).toMatchObject({ repositories: 2, images: 4, copied: 4, failed: [] });

  expect(await tagsAt(two, 'a/b')).toEqual(['index', 'note', 'v1']);
  const { bytes } = await two.http.send('GET', `/v2/a/b/referrers/${image.digest}`);
  expect(JSON.parse(bytes.toString()).manifests).toHaveLength(1);
  expect(await follow()).toMatchObject({ copied: 0, skipped: 4, copiedBytes: 0 });
});

test('follow moves tags, removes what it brought and nothing else', async () => {
  const { one, two, follow } = await pair();
  const old = await one.http.pushImage('a', 'moves');
  const gone = await one.http.pushImage('a', 'goes');
  await two.http.pushImage('a', 'own');
  await follow();
  await one.http.pushImage('a', 'moves');
  await one.http.send('DELETE', `/v2/a/manifests/${gone.digest}`);

  expect(await follow()).toMatchObject({ copied: 1, removed: [] });
  expect(await tagsAt(two, 'a')).toEqual(['goes', 'moves', 'own']);
  expect((await follow({ remove: true, dryRun: true })).removed).toEqual([`${two.host}/a:goes`]);
  expect((await follow({ remove: true })).removed).toEqual([`${two.host}/a:goes`]);

  expect(await tagsAt(two, 'a')).toEqual(['moves', 'own']);
  expect((await two.http.send('GET', `/v2/a/manifests/${gone.digest}`)).status).toBe(404);
  const [first, second] = [
    await one.http.send('GET', '/v2/a/manifests/moves'),
    await two.http.send('GET', '/v2/a/manifests/moves'),
  ];
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect(second.headers.get('docker-content-digest')).not.toBe(old.digest);
});

test.each([
  ['', ''],
  ['/a', '/a'],
  ['', '/copy'],
  ['/a/b', '/a'],
])('follow refuses a place within itself: %j and %j', async (from, to) => {
  const { one, follow } = await pair();
  const at = (path: string) => parseDestination(`${one.host}${path}`);

  await expect(follow({ from: at(from), to: at(to) })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('one is within the other'),
  });
});

test('follow goes between paths beside each other in one registry', async () => {
  const { one, follow } = await pair();
  await one.http.pushImage('a/b', 'v1', 5000);
  const at = (path: string) => parseDestination(`${one.host}/${path}`);

  expect(await follow({ from: at('a'), to: at('ab') })).toMatchObject({ copied: 1, failed: [] });
  expect(await tagsAt(one, 'ab/b')).toEqual(['v1']);
});

test('follow leaves alone what its filter does not mean, and what both had before', async () => {
  const { one, two, follow } = await pair();
  const both = await one.http.pushImage('a', 'both');
  const config = Buffer.from('{}');
  await two.http.pushBlob('a', both.layerBytes);
  await two.http.pushBlob('a', config);
  await two.http.pushManifest('a', 'both', imageManifest(config, [both.layerBytes]));
  for (const tag of ['v1', 'test']) await one.http.pushImage('a', tag);
  await follow();
  for (const tag of ['both', 'v1', 'test']) await one.http.send('DELETE', `/v2/a/manifests/${tag}`);

  const { removed } = await follow({ remove: true, filter: { tags: ['v*', 'both'] } });

  expect(removed).toEqual([`${two.host}/a:v1`]);
  expect(await tagsAt(two, 'a')).toEqual(['both', 'test']);
});

test('follow takes a first mirror that shows nothing for a mistake', async () => {
  const { one, two, follow } = await pair();
  for (const tag of ['v1', 'v2', 'v3']) await one.http.pushImage('a', tag);
  await follow();
  for (const tag of ['v1', 'v2', 'v3']) await one.http.send('DELETE', `/v2/a/manifests/${tag}`);

  await expect(follow({ remove: true, maxRemovals: 2 })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });

  expect(await tagsAt(two, 'a')).toEqual(['v1', 'v2', 'v3']);
});

test('follow keeps to its filters and paths', async () => {
  const { one, two, follow } = await pair();
  for (const name of ['ocp/release', 'ocp/secret', 'other']) await one.http.pushImage(name, 'v1');
  await one.http.pushImage('ocp/release', 'test');

  await follow({
    from: parseDestination(`${one.host}/ocp`),
    to: parseDestination(`${two.host}/copy`),
    filter: { exclude: ['sec*'], tags: ['v*'] },
  });

  const { bytes } = await two.http.send('GET', '/v2/_catalog');
  expect(JSON.parse(bytes.toString())).toEqual({ repositories: ['copy/release'] });
  expect(await tagsAt(two, 'copy/release')).toEqual(['v1']);
});

test('follow goes on by itself, also after the first mirror was away', async () => {
  const { one, two, options } = await pair();
  await one.http.pushImage('a', 'v1');
  const stop = new AbortController();
  const recording = recordingContext({ signal: stop.signal });
  const following = keepFollowing(recording, options(), 20).catch(() => 'stopped');
  await vi.waitFor(async () => expect(await tagsAt(two, 'a')).toEqual(['v1']), 20_000);
  await one.http.pushImage('a', 'v2');
  await vi.waitFor(async () => expect(await tagsAt(two, 'a')).toEqual(['v1', 'v2']), 20_000);

  stop.abort();

  expect(await following).toBe('stopped');
  expect(recording.events).toContainEqual(expect.objectContaining({ type: 'note.added' }));
});

test('follow that was interrupted goes on where it stopped', async () => {
  const { one, two, follow, options } = await pair();
  for (let index = 0; index < 12; index += 1) await one.http.pushImage(`r${index}`, 'v1', 50_000);
  const stop = new AbortController();
  const stopping = silentContext({
    signal: stop.signal,
    emit: (event) => {
      if (event.type === 'image.copied') stop.abort();
    },
  });
  await followRegistry(stopping, options()).catch(() => undefined);

  const report = await follow();

  expect(report.failed).toEqual([]);
  await one.http.send('DELETE', '/v2/r0/manifests/v1');
  expect((await follow({ remove: true })).removed).toEqual([`${two.host}/r0:v1`]);
  for (let index = 1; index < 12; index += 1)
    expect(await tagsAt(two, `r${index}`)).toEqual(['v1']);
});

test('follow reads a registry that asks for bearer tokens', async () => {
  const folder = await tempDir();
  const auth = {
    htpasswd: join(folder, 'htpasswd'),
    grants: join(folder, 'grants.yaml'),
    tokens: join(folder, 'tokens.json'),
    challenge: 'bearer' as const,
  };
  await writeFile(auth.htpasswd, '');
  await writeFile(auth.grants, formatGrants({}));
  const grants = [{ role: 'push', prefix: 'team' }] as const;
  const { token } = await createRobot(ctx, auth.tokens, { name: 'robot', grants });
  const one = await startEmbeddedRegistry({ auth });
  onTestFinished(one.stop);
  const login = Buffer.from(`robot:${token}`).toString('base64');
  await registryHttp(one.url, { authorization: `Basic ${login}` }).pushImage('team/a', 'v1');
  const authfile = join(folder, 'auth.json');
  await writeFile(authfile, JSON.stringify({ auths: { [one.host]: { auth: login } } }));
  const two = await serve();
  const registries = createRegistries({ insecure: true, authfile });
  onTestFinished(() => registries.close());

  const report = await followRegistry(ctx, {
    registries,
    from: parseDestination(one.host),
    to: parseDestination(two.host),
    filter: {},
  });

  expect(report).toMatchObject({ repositories: 1, copied: 1 });
  expect(await tagsAt(two, 'team/a')).toEqual(['v1']);
});

const command = (name: string) => {
  const found = REGISTRY_COMMANDS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return (options: Record<string, unknown>) =>
    found.run(ctx, {
      args: { rest: [] },
      options: { include: [], exclude: [], tag: [], grant: [], ca: [], ...options },
      given: new Set(),
      terminal: { env: {} },
    } as never);
};

describeWithPeers(['docker-registry', 'skopeo'], 'registry import', () => {
  test('takes images and users of a distribution registry over, and skopeo pulls as one of them', async () => {
    const lines = `ann:${await hash('of-before', 4)}\nbob:${await hash('other', 4)}\n`;
    const source = await startDockerRegistry({ htpasswd: lines });
    onTestFinished(source.stop);
    const login = Buffer.from('ann:of-before').toString('base64');
    const http = registryHttp(source.url, { authorization: `Basic ${login}` });
    const image = await http.pushImage('team/app', 'v1', 100_000);
    await http.pushImage('scratch/x', 'v1');
    const folder = await tempDir();
    const file = (name: string) => join(folder, name);
    await writeFile(
      file('auth.json'),
      JSON.stringify({ auths: { [source.host]: { auth: login } } }),
    );
    await writeFile(file('old-htpasswd'), lines);
    await writeFile(file('htpasswd'), `bob:${await hash('stays', 4)}\n`);
    await writeFile(file('grants.yaml'), formatGrants({}));
    await writeFile(
      file('config.yaml'),
      `storage: { path: data }
listeners: [{ address: "127.0.0.1:0" }]
auth: { htpasswd: htpasswd, grants: grants.yaml }
`,
    );
    const options = {
      dir: folder,
      from: `docker://${source.host}`,
      authfile: file('auth.json'),
      insecure: true,
      exclude: ['scratch/*'],
      users: file('old-htpasswd'),
    };

    const report = await command('registry import')(options);

    expect(report).toMatchObject({ copied: 1, users: { added: ['ann'], kept: ['bob'] } });
    const auth = { htpasswd: file('htpasswd'), grants: file('grants.yaml') };
    expect((await listUsers(auth)).map(({ name }) => name)).toEqual(['ann', 'bob']);
    const registry = await startEmbeddedRegistry({ root: file('data'), auth });
    onTestFinished(registry.stop);
    const { stdout } = await run('skopeo', [
      ...['inspect', '--format', '{{.Digest}}', '--tls-verify=false', '--creds', 'ann:of-before'],
      `docker://${registry.host}/team/app:v1`,
    ]);
    expect(stdout.trim()).toBe(image.digest);
    expect(await command('registry import')(options)).toMatchObject({ copied: 0, skipped: 1 });
  });
});

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import type { AccessEntry } from '../src/registry/access/access-log.ts';
import { formatGrants, type GrantsByUser } from '../src/registry/auth/grants.ts';
import type { EmbeddedRegistry } from './support/embedded-registry.ts';
import { imageManifest, registryHttp } from './support/registry-http.ts';
import { serveForTest } from './support/serve-for-test.ts';
import { tempDir } from './support/temp.ts';

const ask = (path: string, fields: readonly string[] = [], method = 'GET') =>
  [`${method} ${path} HTTP/1.1`, 'host: test', ...fields, '', ''].join('\r\n');

/** A field that only the HTTP server reads: who sends it is not answered quickly. */
const UNUSUAL = 'x-unusual: yes';

interface Line {
  /** Sends and waits for so many answers. */
  say(text: string, bodies?: number): Promise<string>;
  readonly socket: Socket;
}

async function lineTo({ host }: EmbeddedRegistry): Promise<Line> {
  const socket = connect(Number(host.split(':')[1]), '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  const say = async (text: string, answers = 1) => {
    const method = text.startsWith('HEAD') ? 'HEAD' : 'GET';
    socket.write(text);
    let got = '';
    while (countAnswers(got, method) < answers) got += (await once(socket, 'data'))[0];
    return got;
  };
  return { say, socket };
}

function countAnswers(text: string, method: string): number {
  let count = 0;
  for (let at = 0; ; count += 1) {
    const end = text.indexOf('\r\n\r\n', at) + 4;
    if (end < 4) return count;
    const length = Number(/^content-length: (\d+)/im.exec(text.slice(at, end))?.[1] ?? 0);
    at = end + (method === 'HEAD' ? 0 : length);
    if (text.length < at) return count;
  }
}

const withoutDate = (text: string) => text.replace(/^Date: .*\r\n/m, '');
const statusOf = (text: string) => Number(text.slice(9, 12));
/** What is not the same for two requests that are alike. */
const alike = ({ at: _at, durationMs: _ms, bytesReceived: _bytes, ...rest }: AccessEntry) => rest;
const isQuick = ({ bytesReceived }: AccessEntry) => bytesReceived > 0;

test.each([
  ['GET', 'v1'],
  ['HEAD', 'v1'],
  ['GET', 'digest'],
  ['HEAD', 'digest'],
])(
  '%s of a manifest by %s is answered and logged alike, quickly and by the server',
  async (method, by) => {
    const registry = await serveForTest();
    const { digest } = await registry.http.pushImage('quick/a', 'v1');
    const path = `/v2/quick/a/manifests/${by === 'digest' ? digest : by}`;
    const [line, other] = [await lineTo(registry), await lineTo(registry)];
    registry.access.length = 0;

    const quick = await line.say(ask(path, ['user-agent: test'], method));
    const again = await line.say(ask(path, ['user-agent: test'], method));
    const served = await other.say(ask(path, ['user-agent: test', UNUSUAL], method));

    expect(statusOf(quick)).toBe(200);
    for (const text of [quick, again]) expect(withoutDate(text)).toBe(withoutDate(served));
    await vi.waitFor(() => expect(registry.access).toHaveLength(3));
    expect(registry.access.map(isQuick)).toEqual([true, true, false]);
    expect(alike(registry.access[0] as AccessEntry)).toEqual(
      alike(registry.access[2] as AccessEntry),
    );
  },
);

test('a tag that another process moves or removes is seen by the next request', async () => {
  const registry = await serveForTest();
  const other = await serveForTest({ root: registry.root });
  const [first, second] = [
    await registry.http.pushImage('quick/b', 'v1'),
    await registry.http.pushImage('quick/b', 'v2'),
  ];
  const line = await lineTo(registry);
  const path = '/v2/quick/b/manifests/v1';
  expect(await line.say(ask(path))).toContain(first.digest);

  await other.http.pushManifest('quick/b', 'v1', JSON.parse(second.manifest));
  expect(await line.say(ask(path))).toContain(second.digest);
  expect(registry.access.filter(isQuick)).toHaveLength(2);

  await other.http.send('DELETE', path);
  expect(statusOf(await line.say(ask(path)))).toBe(404);
});

test('one connection asks for this and that, and each is answered by whom it is for', async () => {
  const registry = await serveForTest();
  const { digest, manifest, config } = await registry.http.pushImage('quick/c', 'v1');
  const line = await lineTo(registry);
  const path = '/v2/quick/c/manifests/v1';
  registry.access.length = 0;

  expect(statusOf(await line.say(ask('/v2/')))).toBe(200);
  expect(await line.say(ask(path))).toContain(manifest);
  expect(statusOf(await line.say(ask(path, [`if-none-match: "${digest}"`])))).toBe(304);
  expect(statusOf(await line.say(ask('/v2/quick/c/manifests/none')))).toBe(404);
  expect(statusOf(await line.say(ask(`/v2/quick/c/blobs/${config}`)))).toBe(200);
  expect(await line.say(ask(path))).toContain(manifest);

  await vi.waitFor(() => expect(registry.access).toHaveLength(6));
  expect(registry.access.map(isQuick)).toEqual([false, true, false, false, false, true]);
});

test('a connection on which a body was sent is left to the server, whatever the body says', async () => {
  const registry = await serveForTest();
  const { manifest } = await registry.http.pushImage('quick/j', 'v1');
  const { say, socket } = await lineTo(registry);
  const path = '/v2/quick/j/manifests/v1';
  await say(ask(path));
  registry.access.length = 0;

  // Refused before its body is there; the body looks like a request, and is none.
  const smuggled = ask(path);
  const put = ask('/v2/BAD/manifests/v1', [`content-length: ${smuggled.length}`], 'PUT');
  expect(statusOf(await say(put))).toBe(400);
  socket.write(smuggled);
  const text = await say(ask('/v2/quick/j/tags/list'));

  expect(text).not.toContain(manifest);
  await vi.waitFor(() =>
    expect(registry.access.map(({ method }) => method)).toEqual(['PUT', 'GET']),
  );
});

test('the beginning of a request is not forgotten when its end looks like another one', async () => {
  const registry = await serveForTest();
  await registry.http.pushImage('quick/k', 'v1');
  const { say, socket } = await lineTo(registry);
  const request = ask('/v2/quick/k/manifests/v1');
  await say(request);
  registry.access.length = 0;

  socket.write(`${ask('/v2/')}GET /v2/quick/k/tags/list HTTP/1.1\r\nx-begun: `);
  await vi.waitFor(() => expect(registry.access).toHaveLength(1));
  const text = await say(request);

  expect(text).toContain('"tags":["v1"]');
});

test.each([
  ['in pieces', (text: string) => [text.slice(0, 20), text.slice(20)], 1],
  ['together', (text: string) => [text + text + text], 3],
])('requests that come %s are all answered', async (_, send, count) => {
  const registry = await serveForTest();
  const { manifest } = await registry.http.pushImage('quick/d', 'v1');
  const line = await lineTo(registry);
  const request = ask('/v2/quick/d/manifests/v1');
  await line.say(request);

  const pieces = send(request);
  for (const piece of pieces.slice(0, -1)) {
    line.socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const text = await line.say(pieces.at(-1) ?? '', count);

  expect(text.split(manifest)).toHaveLength(count + 1);
});

test('a client that has said all still gets its answer', async () => {
  const registry = await serveForTest();
  const { manifest } = await registry.http.pushImage('quick/e', 'v1');
  await registry.http.send('GET', '/v2/quick/e/manifests/v1');
  const { socket } = await lineTo(registry);
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });

  socket.end(ask('/v2/quick/e/manifests/v1'));
  await once(socket, 'close');

  expect(text).toContain(manifest);
});

test('a large manifest is left to the server', async () => {
  const registry = await serveForTest();
  const config = Buffer.from('{}');
  await registry.http.pushBlob('quick/f', config);
  const annotations = { padding: 'x'.repeat(100_000) };
  await registry.http.pushManifest('quick/f', 'v1', imageManifest(config, [], { annotations }));
  const line = await lineTo(registry);
  registry.access.length = 0;

  const text = await line.say(ask('/v2/quick/f/manifests/v1'));

  expect(text).toContain(annotations.padding);
  await vi.waitFor(() => expect(registry.access.map(isQuick)).toEqual([false]));
});

test('the limit of headers holds on both ways', async () => {
  const registry = await serveForTest({ limits: { headerBytes: 1000 } });
  await registry.http.pushImage('quick/m', 'v1');
  const path = '/v2/quick/m/manifests/v1';
  const long = `accept: ${'x'.repeat(2000)}`;

  for (const fields of [[long], [long, UNUSUAL]])
    expect(statusOf(await (await lineTo(registry)).say(ask(path, fields)))).toBe(431);
});

test('a media type can add no line to an answer', async () => {
  const registry = await serveForTest();
  const { digest, manifest } = await registry.http.pushImage('quick/h', 'v1');
  const link = { digest, size: manifest.length, mediaType: 'a\r\nx-evil: yes' };
  await registry.store.records.put(silentContext(), 'repos/quick/h/_tags/v2', link);
  const line = await lineTo(registry);

  const text = await line.say(ask('/v2/quick/h/manifests/v2'));

  expect(statusOf(text)).toBe(500);
  expect(text).not.toContain('x-evil');
});

test('who may not pull, or shows a wrong password, is told so by the server; who may is known again', async () => {
  const folder = await tempDir();
  const [htpasswd, grants] = [join(folder, 'htpasswd'), join(folder, 'grants.yaml')];
  const secret = await hash('secret', 4);
  await writeFile(htpasswd, `reader:${secret}\nstranger:${secret}\nadmin:${secret}\n`);
  const allowed: GrantsByUser = {
    admin: [{ role: 'push', prefix: '' }],
    reader: [{ role: 'pull', prefix: 'quick' }],
    stranger: [{ role: 'pull', prefix: 'else' }],
  };
  await writeFile(grants, formatGrants(allowed));
  const registry = await serveForTest({ auth: { htpasswd, grants } });
  const login = (name: string, password = 'secret') =>
    `authorization: Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const admin = { authorization: login('admin').slice('authorization: '.length) };
  await registryHttp(registry.url, admin).pushImage('quick/i', 'v1');
  const request = (...fields: string[]) => ask('/v2/quick/i/manifests/v1', fields);
  const say = async (...fields: string[]) =>
    statusOf(await (await lineTo(registry)).say(request(...fields)));
  registry.access.length = 0;

  const statuses = [
    await say(),
    await say(login('reader')),
    await say(login('reader')),
    await say(login('reader', 'wrong')),
    await say(login('stranger')),
    await say(login('stranger')),
    await say('authorization: Bearer nonsense'),
  ];

  expect(statuses).toEqual([401, 200, 200, 401, 403, 403, 401]);
  await vi.waitFor(() => expect(registry.access).toHaveLength(statuses.length));
  // The first time a password has to be checked.
  expect(registry.access.map(isQuick)).toEqual([false, false, true, false, false, false, false]);
  expect(registry.access[2]).toMatchObject({ user: 'reader', repository: 'quick/i' });
});

test('a client that asks and does not read gets all of its answers when it does', async () => {
  const registry = await serveForTest();
  const config = Buffer.from('{}');
  await registry.http.pushBlob('quick/l', config);
  const annotations = { padding: 'x'.repeat(15_000) };
  const manifest = imageManifest(config, [], { annotations });
  await registry.http.pushManifest('quick/l', 'v1', manifest);
  const { socket } = await lineTo(registry);
  const count = 2000;
  registry.access.length = 0;

  socket.pause();
  const request = ask('/v2/quick/l/manifests/v1');
  for (let sent = 0; sent < count; sent += 1) {
    socket.write(request);
    if (sent % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.resume();
  await vi.waitFor(() => expect(countAnswers(text, 'GET')).toBe(count), 20_000);

  await vi.waitFor(() => expect(registry.access).toHaveLength(count));
  expect(registry.access.every(({ complete }) => complete)).toBe(true);
});

test('a registry that stops closes a connection on which all was answered', async () => {
  const registry = await serveForTest();
  await registry.http.pushImage('quick/g', 'v1');
  const line = await lineTo(registry);
  await line.say(ask('/v2/quick/g/manifests/v1'));

  const closed = once(line.socket, 'close');
  await registry.running.close(3_600_000);
  await closed;
});

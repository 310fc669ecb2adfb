import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Digest } from '../src/oci/digest.ts';
import type { EmbeddedRegistry } from './support/embedded-registry.ts';
import { imageManifest } from './support/registry-http.ts';
import { serveForTest } from './support/serve-for-test.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

async function connectTo({ host }: EmbeddedRegistry): Promise<Socket> {
  const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}

const ask = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: test', ...headers, '', ''].join('\r\n');

async function textUntilEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

/** How often this process has the file of a blob open. */
async function openFiles({ root }: EmbeddedRegistry, digest: Digest): Promise<number> {
  const path = join(root, 'blobs', ...digest.split(':'));
  const numbers = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  );
  return targets.filter((target) => target === path).length;
}

test('requests sent ahead are answered in their order', async () => {
  const registry = await serveForTest();
  const { layer, manifest } = await registry.http.pushImage('ahead/a', 'v1');
  const socket = await connectTo(registry);

  socket.write(
    ask(`/v2/ahead/a/blobs/${layer}`) +
      ask('/v2/ahead/a/manifests/v1') +
      ask('/v2/ahead/a/manifests/none', 'connection: close'),
  );
  const text = await textUntilEnd(socket);

  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
  expect(text).toContain(manifest);
});

test('requests sent ahead cost no more than one at a time, and nothing when the client vanishes', async () => {
  const registry = await serveForTest();
  const { layer } = await registry.http.pushImage('ahead/b', 'v1', 3 * MIB);
  const socket = await connectTo(registry);

  socket.write(ask(`/v2/ahead/b/blobs/${layer}`).repeat(300));
  await once(socket, 'readable');

  expect(await openFiles(registry, layer)).toBeLessThanOrEqual(1);
  socket.destroy();
  await vi.waitFor(async () => expect(await openFiles(registry, layer)).toBe(0));
});

test('a registry that stops does not wait for connections on which nobody asks anything', async () => {
  const registry = await serveForTest();
  const silent = await connectTo(registry);
  const begun = await connectTo(registry);
  begun.write('GET /v2/ HTTP/1.1\r\nhost: test\r\n');
  const unread = await connectTo(registry);
  unread.write('PUT /v2/a/manifests/b HTTP/1.1\r\nhost: test\r\ncontent-length: 9999999\r\n\r\n{');
  await once(unread, 'readable');

  await registry.running.close(HOUR_MS);

  await Promise.all([silent, begun].map((socket) => once(socket.resume(), 'close')));
});

test('an answer that is still on its way when the registry stops arrives whole', async () => {
  const registry = await serveForTest();
  const { http, running } = registry;
  const config = Buffer.from('{}');
  await http.pushBlob('slow/a', config);
  const annotations = { padding: 'x'.repeat(3.9 * MIB) };
  const manifest = imageManifest(config, [], { annotations });
  expect((await http.pushManifest('slow/a', 'v2', manifest)).status).toBe(201);
  const socket = await connectTo(registry);
  // More than fits into the buffers between us, so that some of it is still to be sent.
  socket.write(ask('/v2/slow/a/manifests/v2').repeat(8));
  await once(socket, 'readable');

  const closed = running.close(HOUR_MS);
  const text = await textUntilEnd(socket);

  const [head = ''] = text.split('\r\n\r\n');
  const length = JSON.stringify(manifest).length;
  expect(head).toContain(`content-length: ${length}`);
  expect(text.length).toBe(8 * (head.length + 4 + length));
  await closed;
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { type Digest, digestOf } from '../src/oci/digest.ts';
import { WHOLE_HEADER } from '../src/oci/manifest.ts';
import { checkRegistry } from '../src/registry/upkeep/check.ts';
import { collectRegistry } from '../src/registry/upkeep/gc.ts';
import { killChild, messageFrom, startChild } from './support/child.ts';
import type { EmbeddedRegistry } from './support/embedded-registry.ts';
import { errorCode, imageManifest, registryHttp } from './support/registry-http.ts';
import { serveForTest } from './support/serve-for-test.ts';
import { tempDir } from './support/temp.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

async function serveApart(root: string) {
  const child = await startChild(join(import.meta.dirname, 'support/children/registry.ts'), [root]);
  const url = String(await messageFrom(child));
  return { child, url, http: registryHttp(url) };
}

/** Sends only the first half of a body and leaves the request open. */
function sendHalf(url: string, method: string, body: Buffer): ClientRequest {
  const half = request(url, { method, headers: { 'content-length': body.length } });
  half.on('error', () => undefined);
  half.write(body.subarray(0, body.length / 2));
  return half;
}

/** How much of each upload that has begun is on disk. */
async function uploadSizes(root: string): Promise<number[]> {
  const folder = join(root, 'ingest');
  const names = (await readdir(folder)).filter((name) => !name.includes('.'));
  const sizes = names.map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).filter((size) => size > 0);
}

test('a registry killed during pushes of every kind serves nothing partial and goes on', async () => {
  const root = await tempDir();
  const first = await serveApart(root);
  const name = 'kill/me';
  const [post, put, chunk, stream] = Array.from({ length: 4 }, () => randomBytes(2 * MIB)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const config = Buffer.from('{}');
  await first.http.pushBlob(name, config);
  const manifest = Buffer.from(JSON.stringify(imageManifest(config, [])));
  const putAt = await first.http.open(name);
  const chunkAt = await first.http.open(name);
  const streamAt = await first.http.open(name);
  await first.http.send('PATCH', chunkAt, {
    headers: { 'content-range': `0-${MIB - 1}` },
    body: chunk.subarray(0, MIB),
  });

  sendHalf(`${first.url}/v2/${name}/blobs/uploads/?digest=${digestOf(post)}`, 'POST', post);
  sendHalf(`${first.url}${putAt}?digest=${digestOf(put)}`, 'PUT', put);
  sendHalf(`${first.url}${chunkAt}`, 'PATCH', chunk.subarray(MIB));
  sendHalf(`${first.url}${streamAt}`, 'PATCH', stream);
  sendHalf(`${first.url}/v2/${name}/manifests/v1`, 'PUT', manifest);
  while ((await uploadSizes(root)).length < 4) await pause(20);
  await killChild(first.child);
  const { http } = await serveApart(root);

  for (const bytes of [post, put, chunk, stream]) {
    expect((await http.send('GET', `/v2/${name}/blobs/${digestOf(bytes)}`)).status).toBe(404);
  }
  expect((await http.send('GET', `/v2/${name}/manifests/v1`)).status).toBe(404);

  // What began with a session goes on where it stopped; the others start again.
  for (const [location, bytes] of [
    [chunkAt, chunk],
    [streamAt, stream],
    [putAt, put],
  ] as const) {
    const { status, headers } = await http.send('GET', location);
    const received = Number(headers.get('range')?.split('-')[1]) + 1;
    expect([status, received > 1, received < bytes.length]).toEqual([204, true, true]);
    const finish = `${location}?digest=${digestOf(bytes)}`;
    const range = { 'content-range': `${received}-${bytes.length - 1}` };
    const rest = { headers: range, body: bytes.subarray(received) };
    expect((await http.send('PUT', finish, rest)).status).toBe(201);
  }
  await http.pushBlob(name, post);
  expect((await http.pushManifest(name, 'v1', imageManifest(config, []))).status).toBe(201);
  for (const bytes of [post, put, chunk, stream]) {
    const got = await http.send('GET', `/v2/${name}/blobs/${digestOf(bytes)}`);
    expect(got.bytes.equals(bytes)).toBe(true);
  }
});

/** Changes one byte of a blob's file, as a failing disk would. */
async function flipByte(root: string, digest: Digest): Promise<void> {
  const file = await open(join(root, 'blobs', ...digest.split(':')), 'r+');
  try {
    const { size } = await file.stat();
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, size - 1);
    await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, size - 1);
  } finally {
    await file.close();
  }
}

test('a flipped byte is never served as good, and a new push heals it', async () => {
  const ctx = recordingContext();
  const { http, root } = await serveForTest({ ctx });
  const { layer, layerBytes } = await http.pushImage('flip/a', 'v1', 2 * MIB);
  const path = `/v2/flip/a/blobs/${layer}`;
  // Sent once and found good, so that only the change can make it suspicious.
  expect((await http.send('GET', path)).bytes.equals(layerBytes)).toBe(true);

  await flipByte(root, layer);

  await expect(http.send('GET', path)).rejects.toThrow();
  for (const method of ['GET', 'HEAD']) expect((await http.send(method, path)).status).toBe(404);
  expect(ctx.events.filter(({ type }) => type === 'warning.raised')).toHaveLength(1);
  await http.pushBlob('flip/a', layerBytes);
  expect((await http.send('GET', path)).bytes.equals(layerBytes)).toBe(true);
});

test('a part of a damaged blob, a small one and a manifest are refused', async () => {
  const { http, root } = await serveForTest();
  const large = await http.pushImage('flip/b', 'v1', 2 * MIB);
  const small = await http.pushImage('flip/b', 'v2', 100);
  for (const digest of [large.layer, small.layer]) await flipByte(root, digest);
  const restarted = await serveForTest({ root });
  await flipByte(root, small.digest);

  const range = { range: 'bytes=0-9' };
  const blob = (digest: Digest) => `/v2/flip/b/blobs/${digest}`;
  const part = await http.send('GET', blob(large.layer), { headers: range });
  const whole = await http.send('GET', blob(small.layer));
  const manifest = await restarted.http.send('GET', '/v2/flip/b/manifests/v2');

  expect([part.status, whole.status, manifest.status]).toEqual([404, 404, 404]);
});

test('a record that was altered counts as absent, is told once, and a new push heals it', async () => {
  const ctx = recordingContext();
  const { http, root } = await serveForTest({ ctx });
  const { layer, layerBytes, digest, manifest } = await http.pushImage('flip/c', 'v1', 2 * MIB);
  const whole = async () => {
    const headers = { [WHOLE_HEADER]: 'ask' };
    const { status, headers: got } = await http.send('HEAD', '/v2/flip/c/manifests/v1', {
      headers,
    });
    return `${status} ${got.get(WHOLE_HEADER)}`;
  };
  expect(await whole()).toBe('200 yes');
  const encoded = (text: Digest) => text.replace(':', '%3A');

  for (const [record, seen, path] of [
    [`_blobs/${encoded(layer)}`, '200 no', `/v2/flip/c/blobs/${layer}`],
    [`_manifests/${encoded(digest)}`, '200 no', `/v2/flip/c/manifests/${digest}`],
    ['_tags/v1', '404 null', '/v2/flip/c/manifests/v1'],
  ] as const) {
    for (const change of [/"size":\d/, /^./]) {
      const file = join(root, 'records/repos/flip/c', `${record}.json`);
      const text = await readFile(file, 'utf8');
      await writeFile(
        file,
        text.replace(change, (found) => `${found.slice(0, -1)}~`),
      );
      ctx.events.length = 0;

      for (let times = 0; times < 2; times += 1)
        expect((await http.send('GET', path)).status).toBe(404);
      expect(await whole()).toBe(seen);
      expect(ctx.events.filter(({ type }) => type === 'warning.raised')).toHaveLength(1);
      await http.pushBlob('flip/c', layerBytes);
      await http.send('PUT', '/v2/flip/c/manifests/v1', {
        headers: { 'content-type': 'application/vnd.oci.image.manifest.v1+json' },
        body: manifest,
      });
      expect((await http.send('GET', path)).status).toBe(200);
      expect(await whole()).toBe('200 yes');
    }
  }
});

test('two clients that push the same blob at once both succeed', async () => {
  const { http } = await serveForTest();
  const bytes = randomBytes(4 * MIB);

  await Promise.all(['one/a', 'two/b', 'one/a'].map((name) => http.pushBlob(name, bytes)));

  for (const name of ['one/a', 'two/b']) {
    const got = await http.send('GET', `/v2/${name}/blobs/${digestOf(bytes)}`);
    expect(got.bytes.equals(bytes)).toBe(true);
  }
});

/** Makes all content look old enough to be collected. */
async function age(registry: EmbeddedRegistry): Promise<void> {
  const then = new Date(Date.now() - 2 * HOUR_MS);
  for await (const { digest } of registry.store.blobs.list(silentContext())) {
    await utimes(registry.store.blobPath(digest), then, then);
  }
}

test('200 concurrent pulls and pushes go on while garbage is collected', async () => {
  const ctx = silentContext();
  const registry = await serveForTest();
  const { http } = registry;
  const images = await Promise.all(
    Array.from({ length: 8 }, (_, index) => http.pushImage(`gc/image-${index}`, 'v1', 100_000)),
  );
  const orphans = await Promise.all(
    Array.from({ length: 10 }, () => http.pushBlob('gc/orphans', randomBytes(1000))),
  );
  // Found by clients that then push a manifest which needs them, while gc looks for garbage.
  const reused = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const bytes = randomBytes(1000);
      await http.pushBlob('gc/reused', bytes);
      return bytes;
    }),
  );
  await age(registry);

  const pull = async (index: number) => {
    const image = images[index % images.length];
    const path = `/v2/gc/image-${index % images.length}/blobs/${image?.layer}`;
    return (await http.send('GET', path)).bytes.equals(image?.layerBytes ?? Buffer.alloc(0));
  };
  const push = async (layer: Buffer, index: number) => {
    const path = `/v2/gc/reused/blobs/${digestOf(layer)}`;
    const config = Buffer.from('{}');
    await http.pushBlob('gc/reused', config);
    if ((await http.send('HEAD', path)).status !== 200) await http.pushBlob('gc/reused', layer);
    const manifest = imageManifest(config, [layer]);
    return (await http.pushManifest('gc/reused', `v${index}`, manifest)).status;
  };
  const [report, pulled, pushed] = await Promise.all([
    collectRegistry(ctx, registry.store, { graceMs: HOUR_MS }),
    Promise.all(Array.from({ length: 200 }, (_, index) => pull(index))),
    Promise.all(reused.map(push)),
  ]);

  expect(pulled.every(Boolean)).toBe(true);
  expect(new Set(pushed)).toEqual(new Set([201]));
  expect(report.removedBlobs).toBeGreaterThanOrEqual(orphans.length);
  expect((await checkRegistry(ctx, registry.store)).problems).toEqual([]);
  for (const digest of orphans) {
    expect((await http.send('HEAD', `/v2/gc/orphans/blobs/${digest}`)).status).toBe(404);
  }
});

test('a registry whose disk is nearly full refuses writes and serves reads', async () => {
  let free = 100 * MIB;
  const limits = { minFreeBytes: 10 * MIB };
  const { http, url } = await serveForTest({ limits, measureFreeBytes: async () => free });
  const { layer, manifest } = await http.pushImage('full/a', 'v1');
  free = 5 * MIB;
  const full = await serveForTest({ limits, measureFreeBytes: async () => free });

  const opened = await full.http.send('POST', '/v2/full/a/blobs/uploads/');
  const put = await full.http.send('PUT', '/v2/full/a/manifests/v1', { body: manifest });

  for (const answer of [opened, put]) {
    expect([answer.status, errorCode(answer)]).toEqual([507, 'DENIED']);
    expect(answer.bytes.toString()).toContain('nearly full');
  }
  expect((await fetch(`${url}/v2/full/a/blobs/${layer}`)).status).toBe(200);
});

test('a registry takes writes again as soon as there is room', async () => {
  let free = 5 * MIB;
  const limits = { minFreeBytes: 10 * MIB };
  const { http } = await serveForTest({ limits, measureFreeBytes: async () => free });
  expect((await http.send('POST', '/v2/full/d/blobs/uploads/')).status).toBe(507);

  free = 100 * MIB;

  expect((await http.send('POST', '/v2/full/d/blobs/uploads/')).status).toBe(202);
});

test('a stream that does not say how long it is ends where the reserve of the disk begins', async () => {
  let free = 100 * MIB;
  const { http, url } = await serveForTest({
    limits: { minFreeBytes: 10 * MIB },
    measureFreeBytes: async () => free,
  });
  const location = await http.open('full/c');
  const endless = request(`${url}${location}`, { method: 'PATCH' });
  endless.on('error', () => undefined);
  endless.write(randomBytes(1000));
  free = 5 * MIB;
  // The disk is looked at now and then, so the stream goes on until somebody notices.
  const sending = setInterval(() => endless.write(randomBytes(1000)), 20);
  onTestFinished(() => {
    clearInterval(sending);
    endless.destroy();
  });

  const status = await new Promise((resolve) =>
    endless.once('response', (response) => resolve(response.statusCode)),
  );

  expect(status).toBe(507);
  expect((await http.send('GET', location)).status).toBe(404);
});

/** A disk of its own that is soon full; undefined where we may not mount one. */
async function smallDisk(): Promise<string | undefined> {
  const path = await tempDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', path], { stdio: 'ignore' });
  });
  return path;
}

test('a disk that fills up during an upload is reported and what was there still served', async () => {
  const root = await smallDisk();
  if (root === undefined) return;
  // Believes that there is room, as when somebody else fills the disk at the same time.
  const { http } = await serveForTest({ root, measureFreeBytes: async () => 100 * MIB });
  const { layer, layerBytes } = await http.pushImage('full/b', 'v1', MIB);
  const large = randomBytes(8 * MIB);
  const location = await http.open('full/b');

  const answer = await http.send('PUT', `${location}?digest=${digestOf(large)}`, { body: large });

  expect([answer.status, errorCode(answer)]).toEqual([507, 'DENIED']);
  const got = await http.send('GET', `/v2/full/b/blobs/${layer}`);
  expect(got.bytes.equals(layerBytes)).toBe(true);
  expect((await http.send('GET', location)).status).toBe(404);
  await http.pushBlob('full/b', randomBytes(MIB));
});

test('a client that falls silent during an upload is cut off, and its bytes stay', async () => {
  const { http, url } = await serveForTest({ limits: { idleMs: 100 } });
  const location = await http.open('idle/a');
  const half = sendHalf(`${url}${location}`, 'PATCH', randomBytes(MIB));

  await new Promise((resolve) => half.once('close', resolve));

  const { status, headers } = await http.send('GET', location);
  expect([status, headers.get('range')]).toEqual([204, `0-${MIB / 2 - 1}`]);
});

test('more uploads at once than allowed are asked to wait', async () => {
  const { http, url, root } = await serveForTest({ limits: { concurrentUploads: 1 } });
  const half = sendHalf(`${url}${await http.open('busy/a')}`, 'PATCH', randomBytes(MIB));
  while ((await uploadSizes(root)).length < 1) await pause(20);

  const answer = await http.send('PATCH', await http.open('busy/a'), { body: 'more' });

  expect([answer.status, errorCode(answer)]).toEqual([429, 'TOOMANYREQUESTS']);
  expect(answer.headers.get('retry-after')).toBe('1');
  half.destroy();
});

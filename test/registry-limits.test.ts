import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MAX_MANIFEST_BYTES } from '../src/oci/manifest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { startRegistry } from '../src/registry/serving/start.ts';
import { newUploadId } from '../src/registry/upload-id.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import {
  errorCode,
  imageManifest,
  type RegistryHttp,
  registryHttp,
} from './support/registry-http.ts';
import { serveForTest } from './support/serve-for-test.ts';

const NEXT = /^<(.+)>; rel="next"$/;

/** All pages of a list, as their bodies. */
async function pagesOf(http: RegistryHttp, path: string): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (let next: string | undefined = path; next; ) {
    const { status, bytes, headers } = await http.send('GET', next);
    expect(status).toBe(200);
    bodies.push(bytes);
    next = NEXT.exec(headers.get('link') ?? '')?.[1];
  }
  return bodies;
}

test('referrers with huge annotations come in pages that a client can read', async () => {
  const { http, store } = await serveForTest();
  const subject = await http.pushImage('limits/a', 'v1');
  const config = Buffer.from('{}');
  const wanted: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    const artifact = imageManifest(config, [], {
      subject: { mediaType: 'a/b', digest: subject.digest, size: subject.manifest.length },
      artifactType: index % 2 === 0 ? 'example/even' : 'example/odd',
      annotations: { large: `${index}`.padStart(1_500_000, 'x') },
    });
    const digest = digestOf(JSON.stringify(artifact));
    expect((await http.pushManifest('limits/a', digest, artifact)).status).toBe(201);
    wanted.push(digest);
  }

  const pages = await pagesOf(http, `/v2/limits/a/referrers/${subject.digest}`);
  const found = pages.flatMap((page) => JSON.parse(page.toString()).manifests);
  const even = await pagesOf(
    http,
    `/v2/limits/a/referrers/${subject.digest}?artifactType=example/even`,
  );

  expect(found.map(({ digest }: { digest: string }) => digest)).toEqual(wanted.toSorted());
  expect(found.every(({ annotations }) => annotations.large.length === 1_500_000)).toBe(true);
  expect(pages.map(({ length }) => length).filter((size) => size > MAX_MANIFEST_BYTES)).toEqual([]);
  expect(even.flatMap((page) => JSON.parse(page.toString()).manifests)).toHaveLength(6);
  // Who asks by type pays for what is found: the records themselves are short.
  const key = `repos/limits/a/_referrers/${subject.digest}/${wanted[0]}`;
  const record = await store.records.get(silentContext(), key);
  expect(JSON.stringify(record).length).toBeLessThan(1000);
});

test('a list of tags without a page size ends after a page, and the rest follows', async () => {
  const { http } = await serveForTest({ limits: { namesPerPage: 10, maxNamesPerPage: 20 } });
  const { digest, manifest } = await http.pushImage('limits/tags', 'v1');
  const tags = Array.from({ length: 45 }, (_, index) => `t${String(index).padStart(2, '0')}`);
  for (const tag of tags) {
    await http.pushManifest('limits/tags', `${digest}?tag=${tag}`, JSON.parse(manifest));
  }

  const counts = async (query: string) =>
    (await pagesOf(http, `/v2/limits/tags/tags/list${query}`)).map(
      (page) => JSON.parse(page.toString()).tags.length,
    );

  expect(await counts('')).toEqual([10, 10, 10, 10, 6]);
  expect(await counts('?n=1000000')).toEqual([20, 20, 6]);
  expect(await counts('?n=40')).toEqual([20, 20, 6]);
});

test('a manifest that is deep, or has very many layers, is refused before it is parsed', async () => {
  const { http } = await serveForTest();
  const put = (body: string) =>
    http.send('PUT', '/v2/limits/large/manifests/v1', {
      headers: { 'content-type': MEDIA_TYPES.ociManifest },
      body,
    });
  const image = imageManifest(Buffer.from('{}'), []);
  const layer = { mediaType: MEDIA_TYPES.ociLayer, digest: digestOf('x'), size: 1 };

  const many = await put(JSON.stringify({ ...image, layers: Array(20_000).fill(layer) }));
  const deep = await put(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`);

  expect([many.status, errorCode(many)]).toEqual([413, 'MANIFEST_INVALID']);
  expect([deep.status, errorCode(deep)]).toEqual([413, 'MANIFEST_INVALID']);
});

test('while the blobs of a large manifest are looked after, others are answered', async () => {
  const { http } = await serveForTest();
  await http.pushImage('limits/other', 'v1');
  const config = Buffer.from('{}');
  await http.pushBlob('limits/many', config);
  const layers: Buffer[] = [];
  for (let index = 0; index < 400; index += 1) layers.push(Buffer.from(`layer ${index}`));
  for (const layer of layers) await http.pushBlob('limits/many', layer);
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns > 0) setImmediate(count);
  };
  const order: string[] = [];

  count();
  const push = http.pushManifest('limits/many', 'v1', imageManifest(config, layers));
  const pull = http.send('GET', '/v2/limits/other/manifests/v1').then(() => order.push('pull'));
  expect((await push.finally(() => order.push('push'))).status).toBe(201);
  await pull;
  const taken = turns;
  turns = Number.NEGATIVE_INFINITY;

  expect(order).toEqual(['pull', 'push']);
  expect(taken).toBeGreaterThan((2 * 400) / 64);
});

test('an upload id that somebody made up is unknown, also one that the store could not use', async () => {
  const { http } = await serveForTest();
  const forged = ['..-etc-passwd'.padEnd(36, 'x'), '.'.repeat(36), `${'a'.repeat(35)}:`].map(
    (unique) => {
      const binding = createHash('sha256').update(`${unique}/limits/a`).digest('hex');
      return `${unique}-${binding.slice(0, 16)}`;
    },
  );

  for (const id of [...forged, newUploadId('limits/a'), 'x']) {
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const path = `/v2/limits/a/blobs/uploads/${encodeURIComponent(id)}?digest=${digestOf('x')}`;
      const answer = await http.send(method, path);
      expect([id, method, answer.status]).toEqual([id, method, 404]);
    }
  }
});

test('a store that takes no writes says so, and serves what it has', async () => {
  const first = await startEmbeddedRegistry();
  onTestFinished(first.stop);
  await registryHttp(first.url).pushImage('limits/ro', 'v1');
  const store = await openDiskStore(first.root);
  const fail = async () => {
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  const ctx = recordingContext();
  const readOnly = { ...store, uploads: { ...store.uploads, begin: fail } };
  const running = await startRegistry(ctx, { store: readOnly, listeners: [{ port: 0 }] });
  onTestFinished(() => running.close(0));
  const http = registryHttp(running.url);

  const push = await http.send('POST', '/v2/limits/ro/blobs/uploads/');

  expect([push.status, errorCode(push)]).toEqual([405, 'UNSUPPORTED']);
  expect(push.bytes.toString()).toContain('read-only');
  expect(ctx.events.map(({ type }) => type)).toContain('warning.raised');
  expect((await http.send('GET', '/v2/limits/ro/manifests/v1')).status).toBe(200);
});

test('what the parser refuses is in the access log, and counted', async () => {
  const { host, access, running, http } = await serveForTest({ limits: { headerBytes: 4096 } });
  const say = async (text: string) => {
    const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
    socket.end(text);
    await once(socket.resume(), 'close');
  };

  await say('GET /v2/?password=secret HTTP/1.1\r\nbroken\r\n\r\n');
  await say(`GET /v2/large HTTP/1.1\r\nx: ${'x'.repeat(8192)}\r\n\r\n`);
  await say('\x16\x03\x01 this is TLS');
  await http.send('GET', '/v2/');

  expect(access.map(({ status, method, path }) => [status, method, path])).toEqual([
    [400, 'GET', '/v2/'],
    [431, 'GET', '/v2/large'],
    [400, '', ''],
    [200, 'GET', '/v2/'],
  ]);
  expect(JSON.stringify(access)).not.toContain('secret');
  expect(running.snapshot()).toMatchObject({
    'requests_total{route="refused",method="",status="400"}': 2,
  });
});

test('a protected tag can be set once, pushed again as it is, and neither moved nor deleted', async () => {
  const { http } = await serveForTest({ protectedTags: ['ocp/release:*'] });
  const first = await http.pushImage('ocp/release', 'v1');
  await http.pushImage('ocp/release', 'v2');
  await http.pushImage('team/app', 'v1');

  const send = async (method: string, path: string) => (await http.send(method, path)).status;
  const put = async (reference: string, manifest: object) =>
    (await http.pushManifest('ocp/release', reference, manifest)).status;
  const other = imageManifest(Buffer.from('{}'), []);

  expect(await put('v1', JSON.parse(first.manifest))).toBe(201);
  expect(await put('v1', other)).toBe(403);
  expect(await put(`${digestOf(JSON.stringify(other))}?tag=v1`, other)).toBe(403);
  expect(await send('DELETE', '/v2/ocp/release/manifests/v1')).toBe(403);
  expect(await send('DELETE', `/v2/ocp/release/manifests/${first.digest}`)).toBe(403);
  expect(await send('GET', '/v2/ocp/release/manifests/v1')).toBe(200);
  expect(await put('v3', other)).toBe(201);
  expect(await send('DELETE', '/v2/team/app/manifests/v1')).toBe(202);
});

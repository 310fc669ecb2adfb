import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordingContext } from '../src/core/context.ts';
import type { AtollEvent } from '../src/core/events.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { errorCode, imageManifest, registryHttp } from './support/registry-http.ts';

const MIB = 1024 * 1024;

/** An upstream, and a registry with its own store on one port and a cache of it on another. */
async function serve(limits: { minFreeBytes?: number } = {}) {
  const upstream = await startEmbeddedRegistry();
  const registries = createRegistries({
    insecure: true,
    tuning: { retry: { attempts: 1 } },
    env: {},
  });
  const ctx = recordingContext();
  const registry = await startEmbeddedRegistry({
    ctx,
    listeners: [{ port: 0 }, { port: 0, upstream: upstream.host }],
    connect: (host, repository) => registries.repository(host, repository),
    limits,
  });
  onTestFinished(async () => {
    await registry.stop();
    await registries.close();
    await upstream.stop();
  });
  const [, cache] = registry.running.listeners;
  return {
    ctx,
    registry,
    upstream,
    origin: registryHttp(upstream.url),
    store: registryHttp(registry.url),
    cache: registryHttp(cache?.url ?? ''),
  };
}

test('a cache fetches what is asked for once, and serves it when the upstream is gone', async () => {
  const { origin, cache, upstream, ctx } = await serve();
  const { manifest, layer, layerBytes, digest } = await origin.pushImage('team/app', 'v1', 2 * MIB);
  const pull = async () => ({
    manifest: (await cache.send('GET', '/v2/team/app/manifests/v1')).bytes.toString(),
    layer: (await cache.send('GET', `/v2/team/app/blobs/${layer}`)).bytes.equals(layerBytes),
  });

  expect(await pull()).toEqual({ manifest, layer: true });
  const blobPulls = () =>
    upstream.access.filter(({ route, method }) => route === 'blob' && method === 'GET');
  expect(blobPulls()).toHaveLength(1);
  expect(await pull()).toEqual({ manifest, layer: true });
  expect(blobPulls()).toHaveLength(1);
  await upstream.running.close(0);

  expect(await pull()).toEqual({ manifest, layer: true });
  const stale = await cache.send('GET', '/v2/team/app/manifests/v1');
  expect(stale.headers.get('warning')).toContain('299');
  expect((await cache.send('GET', `/v2/team/app/manifests/${digest}`)).status).toBe(200);
  expect(ctx.events).toContainEqual(expect.objectContaining({ type: 'warning.raised' }));
});

test('a cache that cannot reach its upstream tells the client so, and the operator why', async () => {
  const { cache, upstream, ctx } = await serve();
  await upstream.running.close(0);

  const answer = await cache.send('GET', '/v2/team/app/manifests/v2');

  expect([answer.status, answer.bytes.toString()]).toEqual([
    502,
    expect.stringContaining('upstream cannot be reached'),
  ]);
  expect(warningsOf(ctx)).toContain('ECONNREFUSED');
});

test('a cache whose own disk fails does not blame the upstream', async () => {
  const { origin, cache, registry, ctx } = await serve();
  const { digest } = await origin.pushImage('team/app', 'v1', 10);
  await rm(join(registry.root, 'ingest'), { recursive: true });
  await writeFile(join(registry.root, 'ingest'), 'not a folder');

  for (const reference of ['v1', digest]) {
    const answer = await cache.send('GET', `/v2/team/app/manifests/${reference}`);
    expect([answer.status, answer.bytes.toString()]).toEqual([
      500,
      expect.not.stringContaining('upstream'),
    ]);
  }
  expect(warningsOf(ctx)).toContain(join(registry.root, 'ingest'));
});

const warningsOf = ({ events }: { readonly events: readonly AtollEvent[] }) =>
  events.map((event) => (event.type === 'warning.raised' ? event.message : '')).join('\n');

test('a cache follows a tag that moves, and forgets one that is gone', async () => {
  const { origin, cache } = await serve();
  await origin.pushImage('team/app', 'v1', 10);
  await cache.send('GET', '/v2/team/app/manifests/v1');
  const { digest } = await origin.pushImage('team/app', 'v1', 20);

  const moved = await cache.send('HEAD', '/v2/team/app/manifests/v1');
  expect(moved.headers.get('docker-content-digest')).toBe(digest);
  await origin.send('DELETE', '/v2/team/app/manifests/v1');
  const gone = await cache.send('GET', '/v2/team/app/manifests/v1');
  expect([gone.status, errorCode(gone)]).toEqual([404, 'MANIFEST_UNKNOWN']);
});

test('many clients that want the same blob cause one download; parts are cut out of it', async () => {
  const { origin, cache, upstream } = await serve();
  const { layer, layerBytes } = await origin.pushImage('team/app', 'v1', MIB);
  await cache.send('GET', '/v2/team/app/manifests/v1');
  const path = `/v2/team/app/blobs/${layer}`;
  expect((await cache.send('HEAD', path)).headers.get('content-length')).toBe(String(MIB));

  const headers = { range: 'bytes=5-9' };
  const [part, ...whole] = await Promise.all([
    cache.send('GET', path, { headers }),
    ...Array.from({ length: 5 }, () => cache.send('GET', path)),
  ]);

  expect([part?.status, part?.bytes.equals(layerBytes.subarray(5, 10))]).toEqual([206, true]);
  expect(whole.every(({ bytes }) => bytes.equals(layerBytes))).toBe(true);
  const pulls = upstream.access.filter(
    ({ digest, method }) => digest === layer && method === 'GET',
  );
  expect(pulls).toHaveLength(1);
});

test('a cache passes tags and referrers on, and takes no pushes', async () => {
  const { origin, cache } = await serve();
  const { digest } = await origin.pushImage('team/app', 'v1', 10);
  const subject = { mediaType: MEDIA_TYPES.ociManifest, digest, size: 7 };
  const sbom = imageManifest(Buffer.from('{}'), [], { subject, artifactType: 'example/sbom' });
  await origin.pushManifest('team/app', digestOf(JSON.stringify(sbom)), sbom);

  const tags = await cache.send('GET', '/v2/team/app/tags/list');
  const referrers = await cache.send('GET', `/v2/team/app/referrers/${digest}`);
  const push = await cache.send('POST', '/v2/team/app/blobs/uploads/');

  expect(JSON.parse(tags.bytes.toString()).tags).toEqual(['v1']);
  expect(JSON.parse(referrers.bytes.toString()).manifests).toMatchObject([
    { artifactType: 'example/sbom' },
  ]);
  expect([push.status, errorCode(push)]).toEqual([405, 'UNSUPPORTED']);
});

test('what a cache holds is not in the store, though it lies on the same disk', async () => {
  const { origin, cache, store } = await serve();
  await origin.pushImage('team/app', 'v1', 10);
  await cache.send('GET', '/v2/team/app/manifests/v1');

  expect((await store.send('GET', '/v2/team/app/manifests/v1')).status).toBe(404);
  const { bytes } = await store.send('GET', '/v2/_catalog');
  expect(JSON.parse(bytes.toString())).toEqual({ repositories: [] });
});

test('a cache without room passes blobs through', async () => {
  const { origin, cache, registry } = await serve({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const { layer, layerBytes } = await origin.pushImage('team/app', 'v1', MIB);
  await cache.send('GET', '/v2/team/app/manifests/v1');

  const got = await cache.send('GET', `/v2/team/app/blobs/${layer}`);

  expect(got.bytes.equals(layerBytes)).toBe(true);
  expect(await registry.store.blobs.stat(recordingContext(), layer)).toBeUndefined();
});

test('a cache without room passes a blob through to everybody who asks at the same time', async () => {
  const { origin, cache } = await serve({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const { layer, layerBytes } = await origin.pushImage('team/app', 'v1', MIB);
  await cache.send('GET', '/v2/team/app/manifests/v1');

  const all = await Promise.all(
    Array.from({ length: 4 }, () => cache.send('GET', `/v2/team/app/blobs/${layer}`)),
  );

  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(all.every(({ bytes }) => bytes.equals(layerBytes))).toBe(true);
});

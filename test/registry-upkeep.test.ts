import { rm, utimes, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { checkRegistry } from '../src/registry/upkeep/check.ts';
import { removeIdleUploads } from '../src/registry/upkeep/expire-uploads.ts';
import { collectRegistry } from '../src/registry/upkeep/gc.ts';
import { registryUsage } from '../src/registry/upkeep/usage.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { registryHttp } from './support/registry-http.ts';

const HOUR_MS = 3_600_000;
const ctx = silentContext();
const later = silentContext({ now: () => new Date(Date.now() + 2 * HOUR_MS) });

async function serve() {
  const registry = await startEmbeddedRegistry();
  onTestFinished(registry.stop);
  return { ...registry, http: registryHttp(registry.url) };
}

test('gc removes what no image needs, and keeps what is young', async () => {
  const { http, store } = await serve();
  const kept = await http.pushImage('a/kept', 'v1', 100);
  const gone = await http.pushImage('a/gone', 'v1', 200);
  await http.send('DELETE', `/v2/a/gone/manifests/${gone.digest}`);

  expect(await collectRegistry(ctx, store)).toMatchObject({ removedBlobs: 0, youngBlobs: 2 });
  const dry = await collectRegistry(later, store, { dryRun: true });
  expect([dry.removedBlobs, dry.removedLinks]).toEqual([2, 0]);
  const report = await collectRegistry(later, store);

  expect([report.removedBlobs, report.removedLinks]).toEqual([2, 1]);
  expect((await http.send('GET', `/v2/a/kept/blobs/${kept.layer}`)).status).toBe(200);
  expect((await http.send('GET', '/v2/a/kept/manifests/v1')).status).toBe(200);
  expect((await http.send('GET', `/v2/a/gone/blobs/${gone.layer}`)).status).toBe(404);
  // The config is shared, so the repository still has it.
  expect((await http.send('GET', `/v2/a/gone/blobs/${gone.config}`)).status).toBe(200);
});

test('gc spares a blob that somebody has just been told of', async () => {
  const { http, store } = await serve();
  const digest = await http.pushBlob('a/b', Buffer.from('an old blob'));
  const old = new Date(Date.now() - 2 * HOUR_MS);
  await utimes(store.blobPath(digest), old, old);

  await http.send('HEAD', `/v2/a/b/blobs/${digest}`);
  await collectRegistry(ctx, store);

  expect((await http.send('HEAD', `/v2/a/b/blobs/${digest}`)).status).toBe(200);
});

test('gc without any grace takes uploads that nobody continues, and counts their bytes', async () => {
  const { http, store } = await serve();
  const place = await http.open('a/b');
  await http.send('PATCH', place, { body: Buffer.alloc(1000) });

  const kept = await collectRegistry(later, store, { graceMs: 0 });
  const dry = await collectRegistry(later, store, { uploadGraceMs: 0, dryRun: true });
  const taken = await collectRegistry(later, store, { graceMs: 0, uploadGraceMs: 0 });

  expect([kept.removedUploads, dry.removedUploads, taken.removedUploads]).toEqual([0, 1, 1]);
  expect([dry.freedBytes, taken.freedBytes]).toEqual([1000, 1000]);
  expect((await http.send('GET', place)).status).toBe(404);
});

test('check names damaged and missing content and the images that need it', async () => {
  const { http, store } = await serve();
  const damaged = await http.pushImage('a/damaged', 'v1', 100);
  const missing = await http.pushImage('a/missing', 'v2', 200);
  await http.pushManifest('a/sparse', 'v3', {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociIndex,
    manifests: [],
  });
  expect((await checkRegistry(ctx, store)).problems).toEqual([]);
  await writeFile(store.blobPath(damaged.layer), damaged.layerBytes.fill(0));
  await rm(store.blobPath(missing.layer));

  const { problems } = await checkRegistry(ctx, store);

  const told = problems.map(({ digest, found, references }) => ({ digest, found, references }));
  expect(told.toSorted((a, b) => (a.found < b.found ? -1 : 1))).toEqual([
    { digest: damaged.layer, found: 'damaged', references: ['a/damaged:v1'] },
    { digest: missing.layer, found: 'missing', references: ['a/missing:v2'] },
  ]);
});

test('check fetches bad content again from another registry', async () => {
  const [here, there] = [await serve(), await serve()];
  const image = await here.http.pushImage('a/b', 'v1', 100);
  const other = await here.http.pushImage('a/c', 'v1', 200);
  for (const [name, { layerBytes, manifest }] of [
    ['a/b', image],
    ['a/c', other],
  ] as const) {
    await there.http.pushBlob(name, layerBytes);
    await there.http.pushBlob(name, Buffer.from('{}'));
    await there.http.pushManifest(name, 'v1', JSON.parse(manifest));
  }
  await writeFile(here.store.blobPath(image.layer), 'x'.repeat(100));
  await writeFile(here.store.blobPath(other.digest), 'y');

  const report = await checkRegistry(ctx, here.store, { repairFrom: repairFrom(there.host) });

  expect(report.problems).toEqual([]);
  expect([...report.repaired].toSorted()).toEqual([image.layer, other.digest].toSorted());
  const got = await here.http.send('GET', `/v2/a/b/blobs/${image.layer}`);
  expect(got.bytes.equals(image.layerBytes)).toBe(true);
});

/** How another registry with the same images is reached. */
function repairFrom(registry: string) {
  const registries = createRegistries({ insecure: true, env: {} });
  onTestFinished(() => registries.close());
  return { registry, connect: registries.repository.bind(registries) };
}

test('check asks for a shared blob wherever it may be, not only in the first repository', async () => {
  const [here, there] = [await serve(), await serve()];
  const { layer, layerBytes } = await here.http.pushImage('b/known', 'v1', 100);
  await here.http.pushBlob('a/unknown', layerBytes);
  await there.http.pushBlob('b/known', layerBytes);
  await rm(here.store.blobPath(layer));

  const report = await checkRegistry(ctx, here.store, { repairFrom: repairFrom(there.host) });

  expect([report.problems, report.repaired]).toEqual([[], [layer]]);
});

test('gc remembers where a lost blob belongs, so that check can bring it back', async () => {
  const [here, there] = [await serve(), await serve()];
  const { layer, layerBytes } = await here.http.pushImage('a/b', 'v1', 100);
  await there.http.pushBlob('a/b', layerBytes);
  await rm(here.store.blobPath(layer));

  await collectRegistry(later, here.store);
  const report = await checkRegistry(ctx, here.store, { repairFrom: repairFrom(there.host) });

  expect([report.problems, report.repaired]).toEqual([[], [layer]]);
  expect((await here.http.send('GET', `/v2/a/b/blobs/${layer}`)).bytes.equals(layerBytes)).toBe(
    true,
  );
});

test('usage tells shared and unique bytes by repository', async () => {
  const { http, store } = await serve();
  const shared = Buffer.alloc(1000, 's');
  for (const name of ['a/one', 'a/two']) await http.pushBlob(name, shared);
  await http.pushBlob('a/one', Buffer.alloc(500, 'u'));

  const { repositories, totalBytes, unlinkedBytes } = await registryUsage(ctx, store);

  expect([totalBytes, unlinkedBytes]).toEqual([1500, 0]);
  expect(repositories).toEqual([
    {
      repository: 'a/one',
      tags: 0,
      manifests: 0,
      blobs: 2,
      bytes: 1500,
      uniqueBytes: 500,
      sharedBytes: 1000,
    },
    {
      repository: 'a/two',
      tags: 0,
      manifests: 0,
      blobs: 1,
      bytes: 1000,
      uniqueBytes: 0,
      sharedBytes: 1000,
    },
  ]);
});

test('uploads that nobody continues are dropped', async () => {
  const { http, store } = await serve();
  const location = await http.open('a/b');
  await http.send('PATCH', location, { body: 'some bytes' });

  expect(await removeIdleUploads(ctx, store, HOUR_MS)).toBe(0);
  expect(await removeIdleUploads(later, store, HOUR_MS)).toBe(1);
  expect((await http.send('GET', location)).status).toBe(404);
});

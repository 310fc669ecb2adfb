import { execFile } from 'node:child_process';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import type { QuotaRule } from '../src/registry/storage/quotas.ts';
import { protectTags } from '../src/registry/storage/tag-protection.ts';
import { applyRetention, type RetentionRule } from '../src/registry/upkeep/retention.ts';
import { runUpkeepJob } from '../src/registry/upkeep/run-job.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { errorCode, imageManifest, registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);
const KIB = 1024;
const DAY_MS = 86_400_000;

async function serve(quotas: readonly QuotaRule[] = [], now = () => new Date()) {
  const registry = await startEmbeddedRegistry({ ctx: silentContext({ now }), quotas });
  onTestFinished(registry.stop);
  return { ...registry, http: registryHttp(registry.url) };
}

test('a quota refuses the image that no longer fits, and says how much there is', async () => {
  const { http } = await serve([{ repositories: 'team/*', bytes: 10 * KIB }]);
  await http.pushImage('team/app', 'v1', 6 * KIB);

  await expect(http.pushImage('team/app', 'v2', 6 * KIB)).rejects.toThrow('403');
  const layer = Buffer.alloc(6 * KIB, 'x');
  const config = Buffer.from('{}');
  await http.pushBlob('team/app', layer);
  const answer = await http.pushManifest('team/app', 'v2', imageManifest(config, [layer]));

  expect([answer.status, errorCode(answer)]).toEqual([403, 'DENIED']);
  expect(answer.bytes.toString()).toMatch(
    /quota of \\"team\/app\\" is 10\.0 KiB: it holds 6\.\d+ KiB/,
  );
  await http.pushImage('team/other', 'v1', 6 * KIB);
  await http.pushImage('free', 'v1', 60 * KIB);
});

test('a quota counts what images share once, and what is deleted no more', async () => {
  const { http } = await serve([{ repositories: '*', bytes: 10 * KIB }]);
  const { layerBytes, digest } = await http.pushImage('a/b', 'v1', 6 * KIB);
  const config = Buffer.from('{"another":"image"}');
  await http.pushBlob('a/b', config);
  const again = await http.pushManifest('a/b', 'v2', imageManifest(config, [layerBytes]));
  expect(again.status).toBe(201);
  const next = Buffer.alloc(6 * KIB, 'n');
  await http.pushBlob('a/b', next);
  const push = () => http.pushManifest('a/b', 'v3', imageManifest(config, [next]));
  expect((await push()).status).toBe(403);

  await http.send('DELETE', `/v2/a/b/manifests/${digest}`);
  expect((await push()).status).toBe(403);
  await http.send('DELETE', `/v2/a/b/manifests/${again.headers.get('docker-content-digest')}`);

  expect((await push()).status).toBe(201);
});

test('a quota holds for pushes that come all at once', async () => {
  const { http } = await serve([{ repositories: '*', bytes: 10 * KIB }]);
  const config = Buffer.from('{}');
  await http.pushBlob('a/b', config);
  const layers = Array.from({ length: 6 }, (_, index) => Buffer.alloc(4 * KIB, String(index)));
  for (const layer of layers) await http.pushBlob('a/b', layer);

  const answers = await Promise.all(
    layers.map((layer, index) =>
      http.pushManifest('a/b', `v${index}`, imageManifest(config, [layer])),
    ),
  );

  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, 201, 403, 403, 403, 403]);
});

async function retained(rules: readonly RetentionRule[], protectedTags: readonly string[] = []) {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const { http, store, root } = await serve([], () => new Date(now));
  const tags = ['v1', 'v2', 'v3', 'v4'];
  const digests: Record<string, string> = {};
  for (const tag of tags) {
    digests[tag] = (await http.pushImage('ci/app', tag)).digest;
    now += DAY_MS;
  }
  const options = { rules, isProtected: protectTags(protectedTags) };
  const ctx = silentContext({ now: () => new Date(now) });
  const apply = (dryRun = false) => applyRetention(ctx, store, { ...options, dryRun });
  const left = async () => {
    const { bytes } = await http.send('GET', '/v2/ci/app/tags/list');
    return (JSON.parse(bytes.toString()) as { tags: string[] }).tags;
  };
  return { http, store, root, apply, left, digests, tags, ctx };
}

test('retention keeps the last, what fits a pattern, and what is protected', async () => {
  const rule = { repositories: 'ci/*', keepLast: 1, keepTags: ['v1'] };
  const { apply, left, http, digests } = await retained([rule], ['ci/app:v2']);

  expect((await apply(true)).removedTags).toEqual(['ci/app:v3']);
  expect(await left()).toEqual(['v1', 'v2', 'v3', 'v4']);
  expect(await apply()).toMatchObject({ removedTags: ['ci/app:v3'], removedManifests: 1 });

  expect(await left()).toEqual(['v1', 'v2', 'v4']);
  expect((await http.send('GET', `/v2/ci/app/manifests/${digests.v3}`)).status).toBe(404);
  expect((await apply()).removedTags).toEqual([]);
});

test('retention by age spares the young, and other repositories', async () => {
  const rule = { repositories: 'ci/*', olderThanMs: 2.5 * DAY_MS };
  const { apply, left, http } = await retained([rule]);
  await http.pushImage('other', 'v1');

  expect((await apply()).removedTags.toSorted()).toEqual(['ci/app:v1', 'ci/app:v2']);

  expect(await left()).toEqual(['v3', 'v4']);
});

test('retention takes what is attached along, and leaves what another tag needs', async () => {
  const { apply, left, http, digests } = await retained([{ repositories: '*', keepLast: 2 }]);
  const config = Buffer.from('{}');
  const { bytes, headers } = await http.send('GET', '/v2/ci/app/manifests/v1');
  const mediaType = headers.get('content-type') ?? '';
  const subject = { mediaType, digest: digests.v1, size: bytes.length };
  const signature = { ...imageManifest(config, []), subject };
  const signed = await http.pushManifest(
    'ci/app',
    `${digests.v1?.replace(':', '-')}.sig`,
    signature,
  );
  const signatureDigest = signed.headers.get('docker-content-digest');
  await http.send('PUT', '/v2/ci/app/manifests/also-v2', {
    headers: { 'content-type': mediaType },
    body: (await http.send('GET', '/v2/ci/app/manifests/v2')).bytes,
  });

  const { removedTags } = await apply();

  expect(removedTags).toHaveLength(4);
  expect(await left()).toEqual(['also-v2', 'v4']);
  expect((await http.send('GET', `/v2/ci/app/manifests/${digests.v2}`)).status).toBe(200);
  expect((await http.send('GET', `/v2/ci/app/manifests/${signatureDigest}`)).status).toBe(404);
  const referrers = await http.send('GET', `/v2/ci/app/referrers/${digests.v1}`);
  expect(JSON.parse(referrers.bytes.toString())).toMatchObject({ manifests: [] });
});

test('retention counts an image that is called by its own digest like any other', async () => {
  const { apply, left, http, digests } = await retained([{ repositories: '*', keepLast: 1 }]);
  const { bytes, headers } = await http.send('GET', '/v2/ci/app/manifests/v1');
  const byDigest = digests.v1?.replace(':', '-') ?? '';
  await http.send('PUT', `/v2/ci/app/manifests/${byDigest}`, {
    headers: { 'content-type': headers.get('content-type') ?? '' },
    body: bytes,
  });

  await apply();

  expect(await left()).toEqual([byDigest]);
  expect((await http.send('GET', `/v2/ci/app/manifests/${digests.v1}`)).status).toBe(200);
});

test('retention takes what lost its tag long ago, with what is attached, and nothing that a tag needs', async () => {
  const rule = { repositories: 'ci/*', untaggedMs: 3 * DAY_MS };
  const { apply, left, http, root, digests, ctx } = await retained([rule]);
  const config = Buffer.from('{}');
  const manifestOf = async (name: string) =>
    (await http.send('GET', `/v2/ci/app/manifests/${name}`)).bytes;
  const descriptorOf = async (name: string) => {
    const { length: size } = await manifestOf(name);
    return { mediaType: MEDIA_TYPES.ociManifest, digest: digests[name], size };
  };
  const { v1, v3 } = { v1: await descriptorOf('v1'), v3: await descriptorOf('v3') };
  const signature = { ...imageManifest(config, []), subject: v1 };
  const signed = await http.pushManifest('ci/app', digestOf(JSON.stringify(signature)), signature);
  const byTag = imageManifest(config, [], { annotations: { signature: 'by tag' } });
  for (const digest of [digests.v1, digests.v4])
    await http.pushManifest('ci/app', `${digest?.replace(':', '-')}.sig`, byTag);
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [v3] };
  await http.pushManifest('ci/app', 'all', index);
  await http.pushImage('other', 'v1');
  for (const tag of ['v1', 'v2', 'v3']) await http.send('DELETE', `/v2/ci/app/manifests/${tag}`);
  // All content is of today, which is long before the time of this test; one is pushed again in it.
  const file = join(root, 'blobs', 'sha256', digests.v2?.slice('sha256:'.length) ?? '');
  await utimes(file, ctx.now(), ctx.now());

  expect(await apply(true)).toMatchObject({ removedTags: [], removedManifests: 2 });
  expect(await apply()).toMatchObject({ removedTags: [], removedManifests: 2 });

  const statusOf = async (name = '') =>
    (await http.send('GET', `/v2/ci/app/manifests/${name}`)).status;
  const attached = signed.headers.get('docker-content-digest') ?? '';
  expect(await Promise.all([digests.v1, attached].map(statusOf))).toEqual([404, 404]);
  // Young, part of an index with a tag, and tagged.
  expect(await Promise.all([digests.v2, digests.v3, digests.v4].map(statusOf))).toEqual([
    200, 200, 200,
  ]);
  expect(await left()).toEqual(['all', `${digests.v4?.replace(':', '-')}.sig`, 'v4']);
});

test('scheduled garbage collection applies retention first', async () => {
  const { store, left, ctx } = await retained([]);

  const state = await runUpkeepJob(ctx, store, 'gc', {
    retention: [{ repositories: '*', keepLast: 1 }],
    protectedTags: ['*:v1'],
  });

  expect(state).toMatchObject({ outcome: 'done', removedTags: 2, removedBlobs: 4 });
  expect(await left()).toEqual(['v1', 'v4']);
});

describeWithPeers(['skopeo'], 'clients and quotas', () => {
  test('skopeo is told why its image is refused', async () => {
    const { host, http } = await serve([{ repositories: 'small', bytes: 5 * KIB }]);
    await http.pushImage('big', 'v1', 20 * KIB);
    const folder = join(await tempDir(), 'home');
    await mkdir(folder);
    await writeFile(join(folder, 'auth.json'), '{"auths":{}}');
    const copy = ['copy', '--src-tls-verify=false', '--dest-tls-verify=false'];
    const image = (name: string) => `docker://${host}/${name}:v1`;

    await expect(
      run('skopeo', [
        ...copy,
        '--authfile',
        join(folder, 'auth.json'),
        image('big'),
        image('small'),
      ]),
    ).rejects.toThrow(/denied.*quota of .*small/is);
    await run('skopeo', [
      ...[...copy, '--authfile', join(folder, 'auth.json')],
      ...[image('big'), image('large')],
    ]);
  });
});

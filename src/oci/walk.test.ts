import { expect, test } from 'vitest';
import { collectAll } from '../../test/support/bytes.ts';
import { MemoryImages } from '../../test/support/images.ts';
import { silentContext } from '../core/context.ts';
import type { Source } from './content.ts';
import type { Descriptor } from './descriptor.ts';
import { type Digest, digestOf } from './digest.ts';
import { parseManifest } from './manifest.ts';
import { MEDIA_TYPES } from './media-types.ts';
import { selectPlatforms } from './platform.ts';
import { walk } from './walk.ts';

const ctx = silentContext();
const linux = (architecture: string) => ({ platform: { os: 'linux', architecture } });

async function twoPlatforms() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'a', content: 'shared' }]);
  const amd64 = {
    ...images.addImage([layer], undefined, { architecture: 'amd64' }),
    ...linux('amd64'),
  };
  const arm64 = {
    ...images.addImage([layer], undefined, { architecture: 'arm64' }),
    ...linux('arm64'),
  };
  return { images, layer, amd64, arm64, index: images.addIndex([amd64, arm64]) };
}

/** A source that answers with whatever it was told, as a hostile server can. */
function lyingSource(
  answers: ReadonlyMap<Digest, readonly Descriptor[]>,
): Pick<Source, 'manifest'> {
  return {
    async manifest(_ctx, { digest }) {
      const json = { schemaVersion: 2, manifests: answers.get(digest) ?? [] };
      return parseManifest(Buffer.from(JSON.stringify(json)), MEDIA_TYPES.ociIndex, digest);
    },
  };
}

const indexAt = (name: string): Descriptor => ({
  mediaType: MEDIA_TYPES.ociIndex,
  digest: digestOf(name),
  size: 1,
});

test('walk visits every digest once, parents before children', async () => {
  const { images, layer, index } = await twoPlatforms();

  const nodes = await collectAll(walk(ctx, images, index));

  const digests = nodes.map(({ descriptor }) => descriptor.digest);
  expect(digests[0]).toBe(index.digest);
  expect(digests).toHaveLength(6);
  expect(new Set(digests).size).toBe(6);
  const visited = nodes.find(({ descriptor }) => descriptor.digest === layer.digest);
  expect(visited?.ancestors[0]).toBe(index.digest);
  expect(visited?.manifest).toBeUndefined();
});

test('walk follows only what is selected, and shares what was seen', async () => {
  const { images, arm64, index } = await twoPlatforms();
  const seen = new Set<Digest>();
  const select = (manifest: { readonly children: readonly Descriptor[] }) =>
    manifest.children.some(({ platform }) => platform)
      ? selectPlatforms(manifest.children, [{ os: 'linux', architecture: 'arm64' }])
      : manifest.children;

  const chosen = await collectAll(walk(ctx, images, index, { select, seen }));
  const rest = await collectAll(walk(ctx, images, arm64, { seen }));

  expect(chosen.map(({ descriptor }) => descriptor.digest)).toContain(arm64.digest);
  expect(chosen).toHaveLength(4);
  expect(rest).toEqual([]);
});

test('walk refuses an index that contains itself', async () => {
  const [a, b] = [indexAt('a'), indexAt('b')];
  const source = lyingSource(
    new Map([
      [a.digest, [b]],
      [b.digest, [a]],
    ]),
  );

  await expect(collectAll(walk(ctx, source, a))).rejects.toMatchObject({
    code: 'MANIFEST_INVALID',
    message: expect.stringContaining('it contains itself'),
  });
});

test('walk refuses indexes nested without end', async () => {
  const chain = Array.from({ length: 50 }, (_, index) => indexAt(`n${index}`));
  const answers = new Map(
    chain.map(({ digest }, index) => [digest, chain.slice(index + 1, index + 2)]),
  );
  const [first = indexAt('')] = chain;

  const walking = collectAll(walk(ctx, lyingSource(answers), first));

  await expect(walking).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  await expect(walking).rejects.toThrow('nested more than 8 deep');
});

test('walk stops with the run', async () => {
  const { images, index } = await twoPlatforms();
  const stop = new AbortController();
  stop.abort(new Error('stopped'));

  const walking = collectAll(walk(silentContext({ signal: stop.signal }), images, index));

  await expect(walking).rejects.toThrow('stopped');
});

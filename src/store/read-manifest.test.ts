import { truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chunksOf, describeBytes } from '../../test/support/bytes.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { MAX_MANIFEST_BYTES } from '../oci/manifest.ts';
import { MEDIA_TYPES } from '../oci/media-types.ts';
import { openDiskStore } from './disk/disk-store.ts';
import {
  digestsIn,
  findManifest,
  findSoundManifest,
  isDamage,
  readManifest,
} from './read-manifest.ts';

const ctx = silentContext();
const EMPTY = '{"schemaVersion":2,"config":{"mediaType":"a/b","digest":"sha256:';

/** A store with these bytes in it. */
async function storeWith(text: string) {
  const store = await openDiskStore(await tempDir());
  const blob = describeBytes(text, MEDIA_TYPES.ociManifest);
  await store.blobs.write(ctx, blob, chunksOf(text));
  return { store, blob, blobs: store.blobs };
}

/** Of exactly so many bytes: blanks at the end change nothing. */
const manifestOf = (bytes: number) =>
  `{"schemaVersion":2,"mediaType":"${MEDIA_TYPES.ociIndex}","manifests":[]}`.padEnd(bytes);

test('findManifest takes a manifest of the largest size, and nothing larger', async () => {
  const { blobs, blob } = await storeWith(manifestOf(MAX_MANIFEST_BYTES));
  const larger = await storeWith(manifestOf(MAX_MANIFEST_BYTES + 1));

  expect((await findManifest(ctx, blobs, blob.digest))?.descriptor.digest).toBe(blob.digest);
  expect(
    (await readManifest(ctx, blobs, { ...blob, mediaType: MEDIA_TYPES.ociIndex })).bytes,
  ).toHaveLength(MAX_MANIFEST_BYTES);
  expect(await findManifest(ctx, larger.blobs, larger.blob.digest)).toBeUndefined();
  await expect(readManifest(ctx, larger.blobs, larger.blob)).rejects.toMatchObject({
    code: 'MANIFEST_INVALID',
    details: { digest: larger.blob.digest },
  });
});

test('findManifest finds nothing in what is absent or no manifest, and refuses what is damaged', async () => {
  const { store, blobs, blob } = await storeWith('no manifest');

  expect(await findManifest(ctx, blobs, describeBytes('absent').digest)).toBeUndefined();
  expect(await findManifest(ctx, blobs, blob.digest)).toBeUndefined();

  await writeFile(store.blobPath(blob.digest), 'no MANIFEST');
  const damaged = findManifest(ctx, blobs, blob.digest);
  await expect(damaged).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  expect(await findSoundManifest(ctx, blobs, blob.digest)).toBeUndefined();
});

test('findSoundManifest passes on what is not the fault of the content', async () => {
  const { blobs, blob } = await storeWith(manifestOf(0));
  const stopped = silentContext({ signal: AbortSignal.abort(new Error('stopped')) });

  await expect(findSoundManifest(stopped, blobs, blob.digest)).rejects.toThrow('stopped');
});

test('isDamage names the codes of content that is there and of no use', () => {
  const codes = ['CONTENT_MISMATCH', 'FILE_UNREADABLE', 'CONTENT_MISSING'] as const;

  expect(codes.map((code) => isDamage(new AtollError(code, 'x')))).toEqual([true, true, false]);
  expect(isDamage({ code: 'CONTENT_MISMATCH' })).toBe(false);
});

test('digestsIn finds whole digests in any small text', async () => {
  const [one, two] = [describeBytes('1').digest, describeBytes('2', '', 'sha512').digest];
  const { store, blobs, blob } = await storeWith(`${EMPTY}x"${one}" and ${two}, not ${one}0`);

  expect(await digestsIn(ctx, blobs, blob.digest)).toEqual([one, two]);
  expect(await digestsIn(ctx, blobs, one)).toEqual([]);

  await truncate(store.blobPath(blob.digest), MAX_MANIFEST_BYTES + 1);
  expect(await digestsIn(ctx, blobs, blob.digest)).toEqual([]);
});

import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { copyRoot } from '../../test/support/copy-image.ts';
import { MemoryImages } from '../../test/support/images.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { openDiskStore } from '../store/disk/disk-store.ts';
import { layoutTarget } from '../store/layout/target.ts';
import { formatImageLocation, openTarget, parseImageLocation } from './image-location.ts';

test.each([
  'docker://quay.io/org/app:v1',
  `docker://quay.io/org/app@sha256:${'a'.repeat(64)}`,
  'docker://[::1]:5000/app:v1',
  'oci:images',
  'oci:/abs/images:quay.io/org/app:v1',
  'dir:folder/with:colon',
])('parseImageLocation and formatImageLocation are inverses for %s', (text) => {
  expect(formatImageLocation(parseImageLocation(text))).toBe(text);
});

test('parseImageLocation ends the folder of a layout at the first colon', () => {
  expect(parseImageLocation('oci:a/b:quay.io/app:v1')).toEqual({
    kind: 'oci',
    path: 'a/b',
    name: 'quay.io/app:v1',
  });
});

test.each([
  ['quay.io/org/app:v1', 'Did you mean "docker://quay.io/org/app:v1"?'],
  ['docker:quay.io/app', 'Write "docker://'],
  ['docker-archive:file.tar', 'Write "docker://'],
  ['oci:', 'Write "docker://'],
  ['', 'Write "docker://'],
])('parseImageLocation refuses %j with a hint', (text, hint) => {
  expect(() => parseImageLocation(text)).toThrow(
    expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining(hint) as string }),
  );
});

test('openTarget knows the name of an image in a layout only as long as the image is whole', async () => {
  const ctx = silentContext();
  const store = await openDiskStore(await tempDir());
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'etc/motd', content: 'hello' }]);
  await copyRoot(images, layoutTarget(store), images.addImage([layer]), 'app');
  const location = parseImageLocation(`oci:${store.root}:app`);
  const { read } = (await openTarget(location, {} as never)).target.can;

  expect(await read?.resolve(ctx, 'app')).toBeDefined();
  await rm(store.blobPath(layer.digest));

  expect(await read?.resolve(ctx, 'app')).toBeUndefined();
});

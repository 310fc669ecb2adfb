import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyImage } from '../../../test/support/copy-image.ts';
import { startEmbeddedRegistry } from '../../../test/support/embedded-registry.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { openRepository } from '../../../test/support/remote.ts';
import { openTestSite, stepRun } from '../../../test/support/site.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { imagesStage } from './images.ts';

const ctx = silentContext();

const imageSet = (...names: readonly string[]) => `kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
mirror:
  additionalImages:
${names.map((name) => `  - name: ${name}\n`).join('')}`;

/** A site that mirrors "one" through a bundle; upstream, which has "two" as well, is the mirror, too. */
async function bundleSite() {
  const registry = await startEmbeddedRegistry();
  onTestFinished(() => registry.stop());
  const upstream = (name: string) => `${registry.host}/up/${name}:v1`;
  const images = new MemoryImages();
  for (const name of ['one', 'two']) {
    const image = images.addImage([await images.addLayer([{ name }])], name);
    const repository = openRepository(registry.host, `up/${name}`);
    await copyImage(images, repository, image);
    await repository.putManifest(ctx, await images.manifest(ctx, image), 'v1');
  }
  const open = await openTestSite(
    {
      registry: {
        type: 'existing',
        host: '127.0.0.1',
        port: Number(registry.host.split(':')[1]),
        path: 'in',
      },
      mirror: { flow: 'bundle', imageSet: 'set.yaml', registriesConf: 'registries.conf' },
    },
    {
      'set.yaml': imageSet(upstream('one')),
      'registries.conf': `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`,
    },
  );
  const { site } = open.work;
  const run = { ...stepRun(), directory: await tempDir() };
  return {
    open,
    want: (...names: readonly string[]) =>
      writeFile(join(site.directory, 'set.yaml'), imageSet(...names.map(upstream))),
    inputs: () => imagesStage.inputs(site),
    run: () => imagesStage.run(ctx, open.work, run),
    mirrored: async (name: string) =>
      (await openRepository(registry.host, `in/up/${name}`).resolve(ctx, 'v1')) !== undefined,
  };
}

test('imagesStage depends on what the image set file says, not only on its name', async () => {
  const { want, inputs } = await bundleSite();
  const before = inputs();
  expect(inputs()).toEqual(before);

  await want('one', 'two');

  expect(inputs()).not.toEqual(before);
});

test('imagesStage saves again what is wanted now, into a bundle that was of something else', async () => {
  const { want, run, mirrored } = await bundleSite();
  await run();
  expect([await mirrored('one'), await mirrored('two')]).toEqual([true, false]);
  await want('one', 'two');

  await run();

  expect(await mirrored('two')).toBe(true);
});

test('imagesStage refuses an image that upstream has not got before a byte moves, and tries again', async () => {
  const { want, run, mirrored } = await bundleSite();
  await want('one', 'three');

  const refused = {
    code: 'IMAGE_UNKNOWN',
    message: expect.stringMatching(/Nothing was mirrored.*\n.*three/),
  };
  await expect(run()).rejects.toMatchObject(refused);
  await expect(run()).rejects.toMatchObject(refused);
  expect(await mirrored('one')).toBe(false);
  await want('one', 'two');
  await run();

  expect(await mirrored('two')).toBe(true);
});

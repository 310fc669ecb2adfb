import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { copyImages } from '../src/mirror/copy/copy-images.ts';
import type { Descriptor } from '../src/oci/descriptor.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { MemoryRegistry } from './support/memory-content.ts';
import { describeWithPeers } from './support/peers.ts';

describeWithPeers(['docker-registry'], 'a registry without the referrers API', () => {
  const ctx = silentContext();
  let mirror: DockerRegistry;
  let registries: Registries;

  beforeAll(async () => {
    mirror = await startDockerRegistry();
    registries = createRegistries({ insecure: true, env: {} });
  });
  afterAll(async () => {
    await registries?.close();
    await mirror?.stop();
  });

  test.each(['image', 'index'])(
    'keeps an %s by digest and its signature, however often it is copied',
    async (kind) => {
      const source = new MemoryRegistry('upstream.example').repository(`team/${kind}`);
      const image = source.addImage([`layer of ${kind}`]);
      const root: Descriptor = kind === 'image' ? image : source.addIndex([image]);
      const signature = source.addImage([`signature of ${kind}`], undefined, { subject: root });
      const target = registries.repository(mirror.host, `team/${kind}`);
      const tag = root.digest.replace(':', '-');
      const copy = () =>
        copyImages(ctx, {
          images: [{ source, target, reference: root.digest, tags: [tag], from: kind, to: kind }],
        });

      for (const expected of ['copied', 'skipped', 'skipped']) {
        const { images } = await copy();

        expect(images).toMatchObject([{ outcome: expected, attachments: 1, digest: root.digest }]);
        const listed = await target.referrers(ctx, root.digest);
        expect(listed.map(({ digest }) => digest)).toEqual([signature.digest]);
        expect((await target.resolve(ctx, root.digest))?.digest).toBe(root.digest);
        expect((await target.resolve(ctx, `${tag}.image`))?.digest).toBe(root.digest);
      }
    },
  );
});

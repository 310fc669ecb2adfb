import { describe, expect, test } from 'vitest';
import { MemoryImages } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { ANY_PLATFORM, chooseImage } from './choose-image.ts';

const ctx = silentContext();
const platform = (architecture: string) => ({ os: 'linux', architecture });

function images() {
  const source = new MemoryImages();
  const make = (architecture: string) => ({
    ...source.addImage([], undefined, { architecture }),
    platform: platform(architecture),
  });
  const [s390x, arm64, amd64] = [make('s390x'), make('arm64'), make('amd64')];
  const index = source.addIndex([s390x, arm64, amd64]);
  return { source, index, s390x, arm64, amd64 };
}

describe('chooseImage', () => {
  test('takes an image as it is, the wanted platform of an index, or any', async () => {
    const { source, index, arm64, amd64 } = images();
    const chosen = async (...args: [typeof index, Parameters<typeof chooseImage>[3]]) =>
      (await chooseImage(ctx, source, ...args)).descriptor.digest;

    expect(await chosen(arm64, ANY_PLATFORM)).toBe(arm64.digest);
    expect(await chosen(index, platform('arm64'))).toBe(arm64.digest);
    expect(await chosen(index, ANY_PLATFORM)).toBe(amd64.digest);
  });

  test('says which platforms there are', async () => {
    const { source, index } = images();

    await expect(chooseImage(ctx, source, index, platform('ppc64le'))).rejects.toThrow(
      'for linux/ppc64le: it has linux/s390x, linux/arm64, linux/amd64',
    );
  });

  test('takes what a sparse index really has', async () => {
    const { source, index, arm64, amd64, s390x } = images();
    const sparse: MemoryImages = Object.assign(Object.create(source), {
      async manifest(...args: Parameters<MemoryImages['manifest']>) {
        const gone = [amd64.digest, s390x.digest].includes(args[1].digest);
        if (gone) throw new AtollError('IMAGE_UNKNOWN', 'gone');
        return await source.manifest(...args);
      },
    });

    const { descriptor } = await chooseImage(ctx, sparse, index, ANY_PLATFORM);

    expect(descriptor.digest).toBe(arm64.digest);
    await expect(chooseImage(ctx, sparse, index, platform('amd64'))).rejects.toThrow('gone');
  });
});

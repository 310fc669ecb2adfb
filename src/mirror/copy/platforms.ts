import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { formatPlatform, matchesPlatform, selectPlatforms } from '../../oci/platform.ts';
import type { CopyShape, ImageJob } from './job.ts';

/** The children of an index that are copied. */
export function chosenChildren(
  index: RawManifest,
  job: Pick<ImageJob, 'from' | 'platforms'>,
  shape: CopyShape,
): readonly Descriptor[] {
  if (shape === 'whole' || !job.platforms?.length) return index.children;
  for (const wanted of job.platforms) {
    if (!index.children.some(({ platform }) => matchesPlatform(wanted, platform))) {
      throw noPlatform(index, job, formatPlatform(wanted));
    }
  }
  return selectPlatforms(index.children, job.platforms);
}

/** The one image of an index for the one chosen platform. */
export function chooseSingle(
  index: RawManifest,
  job: Pick<ImageJob, 'from' | 'platforms'>,
): Descriptor {
  const [first] = chosenChildren(index, job, 'single');
  if (first && job.platforms?.length === 1) return first;
  throw new AtollError('INPUT_INVALID', `Cannot copy one image of ${job.from}: name one platform`);
}

function noPlatform(index: RawManifest, job: Pick<ImageJob, 'from'>, wanted: string): AtollError {
  const offered = index.children.flatMap(({ platform }) =>
    platform && platform.os !== 'unknown' ? [formatPlatform(platform)] : [],
  );
  return new AtollError('IMAGE_UNKNOWN', `Cannot copy ${job.from}: it has no image for ${wanted}`, {
    hint: `It has ${[...new Set(offered)].join(', ') || 'no platforms at all'}`,
  });
}

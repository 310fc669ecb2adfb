import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import { NO_RETRY } from '../../core/retry.ts';
import { parseDestination } from '../../mirror/destination.ts';
import { collectPlaced } from '../../mirror/flow/collect-content.ts';
import { dryRun } from '../../mirror/flow/dry-run.ts';
import { presentIn } from '../../mirror/flow/run.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { hasMirror, mirrorLocation } from '../mirror-place.ts';
import { sitePath } from '../read-site.ts';
import { notCollected } from '../stages/images-failed.ts';
import { registryOptions } from '../stages/places.ts';
import { siteCollectDeps, siteImageSet } from '../stages/release.ts';
import type { StageWork } from '../stages/stage.ts';

/** What a site mirrors, in numbers. */
export interface ContentPlan {
  readonly images: number;
  readonly missingImages: number;
  readonly totalBytes: number;
  /** What the mirror has not got. */
  readonly missingBytes: number;
}

/** Asks upstream what there is to mirror. Leaves no trace, and refuses what cannot be had. */
export async function planContent(ctx: Context, work: StageWork): Promise<ContentPlan> {
  const quiet: Context = { ...ctx, emit: () => undefined };
  const { paths, site } = work;
  if (!hasMirror(site)) return { images: 0, missingImages: 0, totalBytes: 0, missingBytes: 0 };
  const authfile = (await exists(paths.mergedSecret))
    ? paths.mergedSecret
    : sitePath(site, site.cluster.pullSecret);
  const tuning = { retry: NO_RETRY };
  const registries = createRegistries({ ...registryOptions(work), authfile, tuning });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-plan-'));
  const { deps: collect, close } = await siteCollectDeps(work, registries);
  try {
    const destination = parseDestination(mirrorLocation(site));
    const imageSet = await siteImageSet(site);
    const content = await collectPlaced(quiet, { imageSet, collect, destination, registries });
    if (content.failures.length > 0) throw notCollected(content.failures);
    const isPresent = presentIn(quiet, registries);
    const { images, missingImages, totalBytes, missingBytes } = await dryRun(quiet, content, {
      workingDir: new WorkingDir(folder),
      // A mirror that is not there yet has nothing.
      isThere: (image, root) => isPresent(image, root).catch(() => false),
    });
    return { images, missingImages, totalBytes, missingBytes };
  } finally {
    close();
    await registries.close();
    await rm(folder, { recursive: true, force: true });
  }
}

import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted, formatBytes } from '../../core/format.ts';
import { readIndex } from '../../mirror/bundle/bundle-index.ts';
import { parseDestination } from '../../mirror/destination.ts';
import { readHave } from '../../mirror/flow/inventory.ts';
import { loadBundle } from '../../mirror/flow/load.ts';
import type { MirrorResult } from '../../mirror/flow/mirror-images.ts';
import { saveBundle } from '../../mirror/flow/save.ts';
import { syncMirror } from '../../mirror/flow/sync.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import type { Registries } from '../../remote/registries.ts';
import { mirrorLocation, withRegistries } from './places.ts';
import { siteCollectDeps, siteImageSet } from './release.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

const CHUNK_BYTES = 4 * 1024 ** 3;

export const imagesStage: Stage = {
  id: 'images',
  title: 'Images',
  needs: ['credentials', 'registry'],
  inputs: ({ release, mirror, registry }) => asJson({ release, mirror, path: registry.path }),
  plan: ({ site, paths }) => [
    `mirror release ${site.release.version ?? site.release.image} and what the site adds to ${mirrorLocation(site)}`,
    site.mirror.flow === 'bundle'
      ? `by way of a bundle in ${paths.bundle}`
      : 'straight from upstream',
  ],
  run: async (ctx, work, { log }) =>
    withRegistries(work, async (registries) => {
      const flow = work.site.mirror.flow === 'bundle' ? throughBundle : straight;
      const { report, resources } = await flow(ctx, work, registries);
      log(
        `${report.copied} copied, ${report.skipped} were there, ${report.failed} failed, ${formatBytes(report.copiedBytes)} moved`,
      );
      if (report.failed > 0) throw incomplete(report.failed);
      return {
        images: report.images.length,
        copied: report.copied,
        copiedBytes: report.copiedBytes,
        resources: [...resources],
      };
    }),
};

function incomplete(failed: number): AtollError {
  return new AtollError(
    'IMAGES_MISSING',
    `${counted(failed, 'image')} could not be mirrored; the rest are in place`,
    {
      hint: 'Look at working-dir/report.json below .atoll/mirror, then run the same command again: it sends only what is missing',
    },
  );
}

async function straight(
  ctx: Context,
  work: StageWork,
  registries: Registries,
): Promise<MirrorResult> {
  const { deps, close } = await siteCollectDeps(work, registries);
  try {
    return await syncMirror(ctx, {
      imageSet: await siteImageSet(work.site),
      destination: parseDestination(mirrorLocation(work.site)),
      registries,
      collect: deps,
      workingDir: new WorkingDir(work.paths.mirror),
    });
  } finally {
    close();
  }
}

async function throughBundle(
  ctx: Context,
  work: StageWork,
  registries: Registries,
): Promise<MirrorResult> {
  const { deps, close } = await siteCollectDeps(work, registries);
  const { bundle } = work.paths;
  try {
    // A bundle that is finished was saved by an earlier run, or carried here.
    const finished = await readIndex(bundle).catch(() => undefined);
    if (!finished) {
      const imageSet = await siteImageSet(work.site);
      const chunkBytes = imageSet.archiveSizeBytes ?? CHUNK_BYTES;
      const have = await readHave(undefined, []);
      await saveBundle(ctx, {
        imageSet,
        folder: bundle,
        chunkBytes,
        registries,
        collect: deps,
        have,
      });
    }
    return await loadBundle(ctx, {
      folder: bundle,
      destination: parseDestination(mirrorLocation(work.site)),
      registries,
      workingDir: new WorkingDir(work.paths.mirror),
    });
  } finally {
    close();
  }
}

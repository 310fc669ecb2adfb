import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { formatBytes } from '../../core/format.ts';
import { selfCommand } from '../../core/self.ts';
import { readIndex } from '../../mirror/bundle/bundle-index.ts';
import { rebuildInProcesses } from '../../mirror/delta/rebuild-processes.ts';
import { parseDestination } from '../../mirror/destination.ts';
import { readHave } from '../../mirror/flow/inventory.ts';
import { loadBundle } from '../../mirror/flow/load.ts';
import type { MirrorResult } from '../../mirror/flow/mirror-images.ts';
import { saveBundle } from '../../mirror/flow/save.ts';
import { type SyncOptions, syncMirror } from '../../mirror/flow/sync.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import type { Registries } from '../../remote/registries.ts';
import { requireFreeSpace } from '../../store/disk/free-space.ts';
import { hashOf } from '../../workflow/hash.ts';
import { hasMirror, mirrorLocation } from '../mirror-place.ts';
import { notArrived, notCollected } from './images-failed.ts';
import { withRegistries } from './places.ts';
import { openSiteRelease, siteCollectDeps, siteImageSet } from './release.ts';
import { asJson, fingerprint, type Stage, type StageWork } from './stage.ts';

const CHUNK_BYTES = 4 * 1024 ** 3;

export const imagesStage: Stage = {
  id: 'images',
  needs: ['credentials', 'registry'],
  inputs: (site) => {
    const { release, mirror, registry } = site;
    return asJson({
      release,
      type: registry.type,
      mirror,
      path: registry.path,
      imageSet: fingerprint(site, mirror.imageSet),
    });
  },
  plan: ({ site, paths }) => {
    if (!hasMirror(site)) return ['mirror nothing: nodes pull from upstream'];
    return [
      `mirror release ${site.release.version ?? site.release.image} and what the site adds to ${mirrorLocation(site)}`,
      site.mirror.flow === 'bundle'
        ? `by way of a bundle in ${paths.bundle}`
        : 'straight from upstream',
    ];
  },
  run: async (ctx, work, { log, directory }) =>
    withRegistries(work, async (registries) => {
      if (!hasMirror(work.site)) return await onlyFound(ctx, work, registries);
      const { report, resources } =
        work.site.mirror.flow === 'bundle'
          ? await throughBundle(ctx, work, registries, join(directory, 'bundle'))
          : await straight(ctx, work, registries);
      log(
        `${report.copied} copied, ${report.skipped} were there, ${report.failed} failed, ${formatBytes(report.copiedBytes)} moved`,
      );
      if (report.failed > 0) throw notArrived(report);
      return {
        images: report.images.length,
        copied: report.copied,
        copiedBytes: report.copiedBytes,
        resources: [...resources],
      };
    }),
};

/** Without a mirror the release is only looked for: better now than by machines that boot. */
async function onlyFound(ctx: Context, work: StageWork, registries: Registries) {
  const { deps, close } = await siteCollectDeps(work, registries);
  try {
    const { pullSpec = '' } = await openSiteRelease(ctx, work.site, registries, deps);
    return { images: 0, releaseImage: pullSpec };
  } finally {
    close();
  }
}

/** What is misspelled or cannot be reached is told once, before anything moves. */
const refuse: SyncOptions['unfound'] = (failures) => {
  throw notCollected(failures);
};

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
      unfound: refuse,
      planned: roomIn(work),
      workingDir: new WorkingDir(work.paths.mirror),
    });
  } finally {
    close();
  }
}

/** A mirror of our own is on this machine: what does not fit is told before it is begun. */
function roomIn({ site, paths }: StageWork): SyncOptions['planned'] {
  if (site.registry.type !== 'embedded') return undefined;
  return (bytes) => requireFreeSpace(paths.registry, bytes);
}

async function throughBundle(
  ctx: Context,
  work: StageWork,
  registries: Registries,
  note: string,
): Promise<MirrorResult> {
  const { bundle } = work.paths;
  const wanted = hashOf(imagesStage.inputs(work.site));
  if (!(await isSaved(bundle, note, wanted))) {
    await writeFileAtomic(note, `saving ${wanted}\n`);
    await save(ctx, work, registries);
    await writeFileAtomic(note, `saved ${wanted}\n`);
  }
  return await loadBundle(ctx, {
    folder: bundle,
    destination: parseDestination(mirrorLocation(work.site)),
    registries,
    planned: roomIn(work),
    workingDir: new WorkingDir(work.paths.mirror),
    rebuild: rebuildInProcesses(selfCommand()),
  });
}

/** A finished bundle was carried here, when nothing is noted; else it must be of what is wanted now. */
async function isSaved(bundle: string, note: string, wanted: string): Promise<boolean> {
  const finished = await readIndex(bundle).catch(() => undefined);
  const noted = await readTextIfPresent(note);
  return finished !== undefined && (noted === undefined || noted === `saved ${wanted}\n`);
}

async function save(ctx: Context, work: StageWork, registries: Registries): Promise<void> {
  const { deps, close } = await siteCollectDeps(work, registries);
  try {
    const imageSet = await siteImageSet(work.site);
    const { report } = await saveBundle(ctx, {
      imageSet,
      folder: work.paths.bundle,
      chunkBytes: imageSet.archiveSizeBytes ?? CHUNK_BYTES,
      registries,
      collect: deps,
      unfound: refuse,
      have: await readHave(undefined, []),
      workingDir: new WorkingDir(work.paths.mirror),
      grow: true,
    });
    if (report.failed > 0) throw notArrived(report);
  } finally {
    close();
  }
}

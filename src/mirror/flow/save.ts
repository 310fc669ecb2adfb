import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectDeps } from '../../content/collecting.ts';
import type { Collection } from '../../content/content-image.ts';
import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import { withLock } from '../../core/lock.ts';
import type { Registries } from '../../remote/registries.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import type { BundleContent, BundleIndex } from '../bundle/bundle-index.ts';
import type { Signer } from '../bundle/bundle-signature.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageResult } from '../copy/job.ts';
import { parseDestination } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { blobRepositories } from './blob-repositories.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { imageJob } from './image-job.ts';
import { recordOf } from './image-record.ts';
import { type MirrorReport, reportOf, writeReports } from './report.ts';
import { collectPlaced } from './sync.ts';
import type { WorkingDir } from './working-dir.ts';

/** What filling a bundle needs, whatever goes into it. */
export interface FillOptions {
  readonly folder: string;
  readonly registries: Registries;
  /** Where the report goes; none is written without it. */
  readonly workingDir?: WorkingDir | undefined;
  readonly signer?: Signer | undefined;
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
}

export interface SaveOptions extends FillOptions {
  readonly imageSet: ImageSet;
  readonly chunkBytes: number;
  readonly collect: CollectDeps;
  /** What the mirror has already, by digest, with a repository that holds it where known. */
  readonly have?: ReadonlyMap<string, string | undefined> | undefined;
  /** Ids of the bundles that `have` comes from. */
  readonly since?: readonly string[] | undefined;
  /** Adds to a finished bundle, which is refused otherwise. */
  readonly grow?: boolean | undefined;
}

export interface SaveResult {
  readonly report: MirrorReport;
  readonly bundle: BundleIndex;
  readonly folder: string;
  readonly reportFile?: string | undefined;
  readonly errorsFile?: string | undefined;
}

/** Only names that differ after loading matter here; any registry would do. */
const ANYWHERE = parseDestination('mirror.invalid');

/** Upstream to bundle. What fails is told and left out; the rest is a whole bundle. */
export async function saveBundle(ctx: Context, options: SaveOptions): Promise<SaveResult> {
  const { folder, chunkBytes, have, since, grow } = options;
  return alone(ctx, folder, async () => {
    const open = grow ? BundleWriter.openOrGrow : BundleWriter.open;
    const writer = await open(folder, { chunkBytes, have, since });
    return await closing(writer, async () => {
      const { content, placed } = await collectPlaced(ctx, { ...options, destination: ANYWHERE });
      return await fillBundle(ctx, writer, placed, content, options);
    });
  });
}

/** Copies images into an open bundle and finishes it. */
export async function fillBundle(
  ctx: Context,
  writer: BundleWriter,
  placed: readonly MirroredImage[],
  { signatures, failures }: Pick<Collection, 'signatures' | 'failures'>,
  options: FillOptions,
): Promise<SaveResult> {
  const { folder, registries, workingDir, signer } = options;
  const place = { target: writer, tags: [], to: folder };
  const copy = await copyImages(ctx, {
    images: placed.map((each) =>
      imageJob(each, each.image.from ?? registries.source(each.image.source), place),
    ),
    signatures: options.copySignatures,
    concurrency: options.concurrency,
    limiter: (registry) => registries.limiter(registry),
    title: 'Saving images',
  });
  const repositories = blobRepositories(placed, copy, writer.manifests);
  const report = reportOf({ flow: 'save', folder }, placed, copy, failures);
  let files: Pick<SaveResult, 'reportFile' | 'errorsFile'> = {};
  const tell = async () => {
    if (workingDir) files = await writeReports(ctx, workingDir, report);
  };
  const content = contentOf(placed, copy, signatures);
  const bundle = await writer.finish(ctx, content, { signer, repositories, tell });
  return { report, bundle, folder, ...files };
}

/** What a save would write, and whether there is room for it. */
export async function planSave(
  ctx: Context,
  options: SaveOptions & { readonly workingDir: WorkingDir },
): Promise<DryRun> {
  const { folder, registries, workingDir, have } = options;
  const { content, placed } = await collectPlaced(ctx, { ...options, destination: ANYWHERE });
  const plan = await dryRun(ctx, placed, {
    workingDir,
    failures: content.failures,
    sourceOf: ({ image }) => image.from ?? registries.source(image.source),
    isThere: async () => false,
    have,
  });
  const freeBytes = await freeSpace(folder);
  return { ...plan, here: { path: folder, neededBytes: plan.missingBytes, freeBytes } };
}

/** Two runs must not write one bundle. */
export async function alone<T>(ctx: Context, folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  return await withLock(ctx, join(folder, 'bundle.lock'), { waitMs: 1000 }, work);
}

/** A run that fails leaves what is there for the next. */
export async function closing<T>(writer: BundleWriter, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function contentOf(
  placed: readonly MirroredImage[],
  copy: CopyReport,
  signatures: Collection['signatures'],
): BundleContent {
  const images = placed.flatMap((each, index) => {
    const { outcome, root } = copy.images[index] as ImageResult;
    if (outcome === 'failed' || !root) return [];
    const { digest, mediaType, size } = root;
    return [{ ...recordOf(each, digest), digest, mediaType, size }];
  });
  return {
    images,
    signatures: signatures.map(({ digest, bytes, release }) => ({
      digest,
      version: release.version,
      tag: release.tag,
      base64: Buffer.from(bytes).toString('base64'),
    })),
  };
}

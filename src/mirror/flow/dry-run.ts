import { failureOf } from '../../content/collecting.ts';
import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { by } from '../../core/order.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import { walk } from '../../oci/walk.ts';
import { chosenChildren } from '../copy/platforms.ts';
import type { MirroredImage } from '../image-rules.ts';
import { mappingText } from './placed-image.ts';
import { writePlannedResources } from './planned-resources.ts';
import type { RunContent } from './run.ts';
import type { WorkingDir } from './working-dir.ts';
import type { ResourceWriteOptions } from './write-resources.ts';

const AT_ONCE = 16;

export interface DryRunOptions {
  readonly workingDir: WorkingDir;
  /** Whether the image need not be moved. */
  readonly isThere: (image: MirroredImage, root: Descriptor) => Promise<boolean>;
  /** Content the mirror is known to have. */
  readonly have?: { has(digest: string): boolean } | undefined;
  /** How resources for clusters would be written, where the run writes any. */
  readonly resources?: ResourceWriteOptions | undefined;
}

/** Bytes a disk must have free, and has. */
export interface SpaceHere {
  readonly path: string;
  readonly neededBytes: number;
  readonly freeBytes: number;
}

/** What a run would move. */
export interface DryRun {
  readonly images: number;
  readonly missingImages: number;
  /** Distinct bytes of all images. */
  readonly totalBytes: number;
  /** Distinct bytes the mirror does not have: what has to move, and the space the mirror needs. */
  readonly missingBytes: number;
  /** Where something is written on this machine. */
  readonly here?: SpaceHere | undefined;
  readonly failures: readonly CollectFailure[];
  readonly mappingFile: string;
  readonly missingFile: string;
  /** Folder of what the run would leave for clusters. */
  readonly resources?: string | undefined;
}

interface Looked {
  readonly placed: MirroredImage;
  readonly present: boolean;
  readonly content: readonly Descriptor[];
}

/** Looks at every image on both sides and writes `mapping.txt`, `missing.txt` and resources for clusters. */
export async function dryRun(
  ctx: Context,
  content: RunContent,
  options: DryRunOptions,
): Promise<DryRun> {
  const { placed, sourceOf, failures: before } = content;
  const { workingDir, resources } = options;
  const failures = [...before];
  const looked = await mapBounded(ctx, AT_ONCE, placed, async (each): Promise<Looked> => {
    try {
      return await look(ctx, each, sourceOf(each), options);
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push(failureOf(formatReference(each.image.source), error));
      return { placed: each, present: false, content: [] };
    }
  });
  const missing = looked.filter(({ present }) => !present);
  const mappingFile = workingDir.file('dry-run', 'mapping.txt');
  const missingFile = workingDir.file('dry-run', 'missing.txt');
  await writeFileAtomic(mappingFile, mappingText(placed));
  await writeFileAtomic(missingFile, mappingText(missing.map((each) => each.placed)));
  const folder = resources && (await writePlannedResources(ctx, workingDir, content, resources));
  return {
    ...(folder === undefined ? {} : { resources: folder }),
    images: placed.length,
    missingImages: missing.length,
    totalBytes: bytesOf(sizesOf(looked)),
    missingBytes: missingBytes(looked, options.have),
    failures: failures.toSorted(by(({ subject }) => subject)),
    mappingFile,
    missingFile,
  };
}

async function look(
  ctx: Context,
  placed: MirroredImage,
  source: Source,
  options: DryRunOptions,
): Promise<Looked> {
  const { image } = placed;
  const root = await source.resolve(ctx, image.digest ?? tagOrDigestOf(image.source));
  if (!root) throw new Error('the source does not have it');
  const content: Descriptor[] = [];
  const job = { from: formatReference(image.source), platforms: image.platforms };
  const select: NonNullable<Parameters<typeof walk>[3]>['select'] = (manifest) =>
    'manifests' in manifest.content ? chosenChildren(manifest, job, 'sparse') : manifest.children;
  for await (const { descriptor } of walk(ctx, source, root, { select })) content.push(descriptor);
  return { placed, content, present: await options.isThere(placed, root) };
}

/** What an image that is there shares with one that is not need not move. */
function missingBytes(looked: readonly Looked[], have: DryRunOptions['have']): number {
  const there = sizesOf(looked.filter(({ present }) => present));
  const missing = sizesOf(looked.filter(({ present }) => !present));
  return bytesOf([...missing].filter(([digest]) => !there.has(digest) && !have?.has(digest)));
}

function sizesOf(looked: readonly Looked[]): Map<string, number> {
  return new Map(
    looked.flatMap(({ content }) => content.map(({ digest, size }) => [digest, size])),
  );
}

function bytesOf(sizes: Iterable<readonly [string, number]>): number {
  return [...sizes].reduce((sum, [, size]) => sum + size, 0);
}

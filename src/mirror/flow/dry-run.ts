import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Source, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import { walk } from '../../oci/walk.ts';
import type { MirroredImage } from '../image-rules.ts';
import { mappingText } from './placed-image.ts';
import type { WorkingDir } from './working-dir.ts';

const AT_ONCE = 16;

export interface DryRunOptions {
  readonly workingDir: WorkingDir;
  readonly failures: readonly CollectFailure[];
  readonly sourceOf: (image: MirroredImage) => Source;
  readonly targetOf: (image: MirroredImage) => Target;
}

/** What a run would move. */
export interface DryRun {
  readonly images: number;
  readonly missingImages: number;
  /** Distinct bytes of all images. */
  readonly totalBytes: number;
  /** Distinct bytes of images the mirror does not have: the space it needs. */
  readonly missingBytes: number;
  readonly failures: readonly CollectFailure[];
  readonly mappingFile: string;
  readonly missingFile: string;
}

interface Looked {
  readonly placed: MirroredImage;
  readonly present: boolean;
  readonly content: readonly Descriptor[];
}

/** Looks at every image on both sides and writes `mapping.txt` and `missing.txt`. */
export async function dryRun(
  ctx: Context,
  placed: readonly MirroredImage[],
  options: DryRunOptions,
): Promise<DryRun> {
  const failures = [...options.failures];
  const looked = await mapBounded(ctx, AT_ONCE, placed, async (each): Promise<Looked> => {
    try {
      return await look(ctx, each, options);
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push({ subject: formatReference(each.image.source), message: messageOf(error) });
      return { placed: each, present: false, content: [] };
    }
  });
  const missing = looked.filter(({ present }) => !present);
  const mappingFile = options.workingDir.file('dry-run', 'mapping.txt');
  const missingFile = options.workingDir.file('dry-run', 'missing.txt');
  await writeFileAtomic(mappingFile, mappingText(placed));
  await writeFileAtomic(missingFile, mappingText(missing.map((each) => each.placed)));
  return {
    images: placed.length,
    missingImages: missing.length,
    totalBytes: distinctBytes(looked),
    missingBytes: distinctBytes(missing),
    failures,
    mappingFile,
    missingFile,
  };
}

async function look(ctx: Context, placed: MirroredImage, options: DryRunOptions): Promise<Looked> {
  const { image } = placed;
  const source = options.sourceOf(placed);
  const root = await source.resolve(ctx, image.digest ?? tagOrDigestOf(image.source));
  if (!root) throw new Error('upstream does not have it');
  const content: Descriptor[] = [];
  for await (const { descriptor } of walk(ctx, source, root)) content.push(descriptor);
  return { placed, content, present: await options.targetOf(placed).has(ctx, root) };
}

function distinctBytes(looked: readonly Looked[]): number {
  const sizes = new Map(
    looked.flatMap(({ content }) => content.map(({ digest, size }) => [digest, size])),
  );
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

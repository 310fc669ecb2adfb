import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import { formatReference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageJob, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { imageJob } from './image-job.ts';
import { type BaseRepositories, mirrorTarget } from './mirror-target.ts';
import { warnOfReplaced } from './placed-image.ts';
import { type MirrorReport, type RunKind, reportOf, writeReports } from './report.ts';
import { Spool } from './spool.ts';
import { UploadNotes } from './upload-notes.ts';
import type { KnownImage, KnownSignature, WorkingDir } from './working-dir.ts';
import { type WrittenResources, writeResources } from './write-resources.ts';

export interface MirrorOptions extends RunKind {
  readonly workingDir: WorkingDir;
  /** The mirror. */
  readonly registries: Registries;
  /** Where an image is read. */
  readonly sourceOf: (image: MirroredImage) => Source;
  readonly signatures: readonly KnownSignature[];
  /** What could not even be collected: told in the report like failed images. */
  readonly failures: readonly CollectFailure[];
  /** Content a delta counts on. */
  readonly base?: BaseRepositories | undefined;
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
  readonly title: string;
}

export interface MirrorResult extends WrittenResources {
  readonly report: MirrorReport;
  readonly reportFile: string;
  readonly errorsFile: string | undefined;
}

/** Copies placed images into the mirror, remembers them, and writes what the cluster needs. */
export function mirrorImages(
  ctx: Context,
  placed: readonly MirroredImage[],
  options: MirrorOptions,
): Promise<MirrorResult> {
  const { workingDir } = options;
  return workingDir.exclusively(ctx, async () => {
    warnOfReplaced(ctx, placed, await workingDir.mirrored());
    const copy = await copyKept(ctx, placed, options);
    await workingDir.addSignatures(options.signatures);
    await workingDir.addMirrored(arrived(placed, copy));
    const written = await writeResources(ctx, workingDir, options);
    const { flow, folder, destination, failures } = options;
    const report = reportOf({ flow, folder, destination }, placed, copy, failures);
    return { report, ...written, ...(await writeReports(ctx, workingDir, report)) };
  });
}

/** Copies so that a kill at any moment costs next to nothing: bytes and uploads are kept. */
async function copyKept(
  ctx: Context,
  placed: readonly MirroredImage[],
  options: MirrorOptions,
): Promise<CopyReport> {
  const spool = new Spool(options.workingDir.file('partial', 'blobs'));
  const notes = new UploadNotes(options.workingDir.file('partial', 'uploads'));
  const isFar = options.flow === 'sync' || options.flow === 'release';
  const copy = await copyImages(ctx, {
    images: placed.map((each) => {
      const source = options.sourceOf(each);
      const isLocal = !isFar || each.image.from !== undefined;
      return jobFor(each, isLocal ? source : spool.before(source), notes, options);
    }),
    signatures: options.copySignatures,
    concurrency: options.concurrency,
    limiter: (registry) => options.registries.limiter(registry),
    delivered: (blob) => spool.delivered(blob),
    title: options.title,
  });
  // What failed half-way goes on there when it is tried again.
  if (copy.failed === 0) {
    await spool.clear();
    notes.clear();
  }
  return copy;
}

function jobFor(
  each: MirroredImage,
  source: Source,
  notes: UploadNotes,
  { registries, base }: MirrorOptions,
): ImageJob {
  const { registry, repository, tag } = each.target;
  return imageJob(each, source, {
    target: mirrorTarget(registries.repository(registry, repository), { notes, base }),
    tags: tag === undefined ? [] : [tag],
    to: formatReference(each.target),
  });
}

function arrived(placed: readonly MirroredImage[], copy: CopyReport): KnownImage[] {
  return placed.flatMap((each, index) => {
    const { outcome, digest } = copy.images[index] as ImageResult;
    return outcome === 'failed' || digest === undefined ? [] : [{ ...each, digest }];
  });
}

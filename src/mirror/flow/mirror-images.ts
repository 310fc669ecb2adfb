import type { CollectFailure, ReleaseSignature } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import type { Source } from '../../oci/content.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageJob, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { clusterResources } from './cluster-resources.ts';
import { errorsFileName, errorsText, type MirrorReport, reportOf } from './report.ts';
import type { KnownImage, WorkingDir } from './working-dir.ts';

export interface MirrorOptions {
  readonly workingDir: WorkingDir;
  /** The mirror. */
  readonly registries: Registries;
  /** Where an image is read. */
  readonly sourceOf: (image: MirroredImage) => Source;
  readonly signatures: readonly ReleaseSignature[];
  /** What could not even be collected: told in the report like failed images. */
  readonly failures: readonly CollectFailure[];
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
  readonly title: string;
}

export interface MirrorResult {
  readonly report: MirrorReport;
  /** Files written for the cluster, sorted. */
  readonly resources: readonly string[];
  readonly reportFile: string;
  readonly errorsFile: string | undefined;
}

/** Copies placed images into the mirror, remembers them, and writes what the cluster needs. */
export async function mirrorImages(
  ctx: Context,
  placed: readonly MirroredImage[],
  options: MirrorOptions,
): Promise<MirrorResult> {
  const { workingDir } = options;
  const jobs = placed.map((each) => jobFor(each, options));
  const copy = await copyImages(ctx, {
    images: jobs,
    signatures: options.copySignatures,
    concurrency: options.concurrency,
    limiter: (registry) => options.registries.limiter(registry),
    title: options.title,
  });
  await workingDir.addSignatures(options.signatures);
  await workingDir.addMirrored(arrived(placed, copy));
  const resources = await writeResources(ctx, workingDir, options.icsp);
  return { ...(await writeReports(ctx, placed, copy, options)), resources };
}

function jobFor(each: MirroredImage, { registries, sourceOf }: MirrorOptions): ImageJob {
  const { image, target } = each;
  return {
    source: sourceOf(each),
    target: registries.repository(target.registry, target.repository),
    reference: image.digest ?? tagOrDigestOf(image.source),
    tags: target.tag === undefined ? [] : [target.tag],
    from: formatReference(image.source),
    to: formatReference(target),
    sourceRepository: `${image.source.registry}/${image.source.repository}`,
    ...(image.platforms ? { shape: 'sparse', platforms: image.platforms } : {}),
    signatures: image.kind === 'catalog' || image.kind === 'graph' ? false : undefined,
    reason: image.reason,
  };
}

function arrived(placed: readonly MirroredImage[], copy: CopyReport): KnownImage[] {
  return placed.flatMap((each, index) => {
    const { outcome, digest } = copy.images[index] as ImageResult;
    return outcome === 'failed' || digest === undefined ? [] : [{ ...each, digest }];
  });
}

/** Rewrites `cluster-resources` from all that is in the mirror. */
export async function writeResources(
  ctx: Context,
  workingDir: WorkingDir,
  icsp?: boolean,
): Promise<string[]> {
  const files = clusterResources(await workingDir.mirrored(), await workingDir.signatures(), {
    icsp,
  });
  const written: string[] = [];
  for (const [name, text] of files) {
    const path = workingDir.file('cluster-resources', name);
    await writeFileAtomic(path, text);
    ctx.emit({ type: 'file.written', path, sizeBytes: Buffer.byteLength(text) });
    written.push(path);
  }
  return written.toSorted();
}

async function writeReports(
  ctx: Context,
  placed: readonly MirroredImage[],
  copy: CopyReport,
  { workingDir, failures }: MirrorOptions,
): Promise<Omit<MirrorResult, 'resources'>> {
  const report = reportOf(placed, copy, failures);
  const reportFile = workingDir.file('report.json');
  await writeFileAtomic(reportFile, `${JSON.stringify(report, null, 1)}\n`);
  if (report.failed === 0) return { report, reportFile, errorsFile: undefined };
  const errorsFile = workingDir.file('logs', errorsFileName(ctx.now()));
  await writeFileAtomic(errorsFile, errorsText(report));
  return { report, reportFile, errorsFile };
}

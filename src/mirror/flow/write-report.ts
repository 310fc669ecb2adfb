import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { redact } from '../../core/redact.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CopyReport, ImageFailure, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { recordOf } from './image-record.ts';
import type { MirrorReport, RunKind } from './report-schema.ts';
import type { RunContent } from './run.ts';
import type { WorkingDir } from './working-dir.ts';

export function reportOf(
  { flow, folder, destination }: RunKind,
  { placed, failures: notCollected }: Pick<RunContent, 'placed' | 'failures'>,
  copy: CopyReport,
): MirrorReport {
  const images = placed.map((each, index) => {
    const result = copy.images[index] as ImageResult;
    const error = result.error && explained(each, result.error);
    return {
      ...recordOf(each, result.digest),
      target: formatReference(each.target),
      outcome: result.outcome,
      sizeBytes: result.sizeBytes,
      copiedBytes: result.copiedBytes,
      attempts: result.attempts,
      ...(error ? { error: { ...error, message: redact(error.message) } } : {}),
    };
  });
  return {
    flow,
    folder,
    destination,
    images,
    notCollected,
    copied: copy.copied,
    skipped: copy.skipped,
    failed: copy.failed + notCollected.length,
    copiedBytes: copy.blobs.copiedBytes,
    mountedBytes: copy.blobs.mountedBytes,
    durationMs: copy.durationMs,
  };
}

/** A sparse index that was refused: what to change in the image set, or at the registry. */
function explained({ image }: MirroredImage, error: ImageFailure): ImageFailure {
  if (!image.platforms || error.code !== 'INDEX_SPARSE_REFUSED') return error;
  return {
    ...error,
    hint: 'Leave "platforms" out to mirror whole images, or let the registry take sparse indexes: atoll registry does; distribution 3 does with "validation.manifests.indexes.platforms: none"',
  };
}

/** Writes `report.json`, and where something failed a file that names each failure. */
export async function writeReports(
  ctx: Context,
  workingDir: WorkingDir,
  report: MirrorReport,
): Promise<{ readonly reportFile: string; readonly errorsFile: string | undefined }> {
  const reportFile = workingDir.file('report.json');
  await writeFileAtomic(reportFile, `${JSON.stringify(report, null, 1)}\n`);
  if (report.failed === 0) return { reportFile, errorsFile: undefined };
  const errorsFile = workingDir.file('logs', errorsFileName(ctx.now()));
  await writeFileAtomic(errorsFile, errorsText(report));
  return { reportFile, errorsFile };
}

/** `mirroring_errors_20260820_101112.txt`, as oc-mirror names it. */
function errorsFileName(now: Date): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).split('T');
  return `mirroring_errors_${day.replaceAll('-', '')}_${time.replaceAll(':', '')}.txt`;
}

/** One line for each thing that is not in the mirror, with what needed it. */
function errorsText({
  images,
  notCollected,
}: Pick<MirrorReport, 'images' | 'notCollected'>): string {
  const failed = images.filter(({ outcome }) => outcome === 'failed');
  const lines = failed.map(({ source, bundles, packages, error }) => {
    const needed = [...(packages ?? []), ...(bundles ?? [])].join(', ');
    return `${source}${needed ? ` (${needed})` : ''}: [${error?.code ?? 'BUG'}] ${error?.message ?? ''}`;
  });
  const missing = notCollected.map(
    ({ subject, code, message }) => `${subject}: [${code ?? 'BUG'}] ${message}`,
  );
  return [...lines, ...missing].map((line) => `${line.replaceAll('\n', ' ')}\n`).join('');
}

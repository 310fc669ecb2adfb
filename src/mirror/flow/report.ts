import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { redact } from '../../core/redact.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CopyReport, ImageFailure, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { type ImageRecord, recordOf } from './image-record.ts';
import type { LayerOutcome, MirrorReport, RunKind } from './report-schema.ts';
import type { RunContent } from './run.ts';
import type { WorkingDir } from './working-dir.ts';

export type { MirrorReport, ReportedImage, RunKind } from './report-schema.ts';

/** Whether a run makes the image itself, so that it cannot be tried alone. */
export function isBuilt(
  flow: RunKind['flow'],
  { kind }: { readonly kind: ImageRecord['kind'] },
): boolean {
  return flow !== 'load' && ['catalog', 'graph', 'file'].includes(kind);
}

/** How to do all of a run once more. */
export function wholeRunHint({ flow }: RunKind): string {
  return flow === 'save'
    ? 'Run the same "atoll mirror save" again, corrected where it has to be: it adds what is missing to this folder'
    : `Run "atoll mirror ${flow}" with the same configuration; what is there is not sent again`;
}

/** Bytes that need not be carried, because deltas inside layers are. */
export const sparedBy = (layers: readonly LayerOutcome[]): number =>
  layers.reduce((sum, { sizeBytes, carriedBytes }) => sum + sizeBytes - carriedBytes, 0);

export interface Failure {
  readonly subject: string;
  readonly code?: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Everything that was asked for and did not arrive. */
export function failuresOf({ images, notCollected }: MirrorReport): Failure[] {
  const failed = images.flatMap(({ source, outcome, error }) =>
    outcome === 'failed' && error ? [{ subject: source, ...error }] : [],
  );
  return [...failed, ...notCollected];
}

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

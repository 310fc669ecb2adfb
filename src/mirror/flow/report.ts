import type { CollectFailure } from '../../content/content-image.ts';
import { redact } from '../../core/redact.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CopyReport, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { type ImageRecord, recordOf } from './image-record.ts';

/** One image of a run: what it is, where it went, what became of it and why it was wanted. */
export interface ReportedImage extends ImageRecord {
  readonly target: string;
  readonly outcome: ImageResult['outcome'];
  readonly sizeBytes: number | undefined;
  readonly copiedBytes: number;
  readonly attempts: number;
  readonly error?: ImageResult['error'];
}

/** `report.json`: every image of the run, and totals. */
export interface MirrorReport {
  readonly images: readonly ReportedImage[];
  /** What was asked for and could not be found out. */
  readonly notCollected: readonly CollectFailure[];
  readonly copied: number;
  readonly skipped: number;
  /** Images that failed and things that could not be collected. */
  readonly failed: number;
  readonly copiedBytes: number;
  readonly mountedBytes: number;
  readonly durationMs: number;
}

export function reportOf(
  placed: readonly MirroredImage[],
  copy: CopyReport,
  notCollected: readonly CollectFailure[],
): MirrorReport {
  const images = placed.map(({ image, target }, index) => {
    const result = copy.images[index] as ImageResult;
    return {
      ...recordOf(image, result.digest),
      target: formatReference(target),
      outcome: result.outcome,
      sizeBytes: result.sizeBytes,
      copiedBytes: result.copiedBytes,
      attempts: result.attempts,
      ...(result.error
        ? { error: { ...result.error, message: redact(result.error.message) } }
        : {}),
    };
  });
  return {
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

/** `mirroring_errors_20260820_101112.txt`, as oc-mirror names it. */
export function errorsFileName(now: Date): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).split('T');
  return `mirroring_errors_${day.replaceAll('-', '')}_${time.replaceAll(':', '')}.txt`;
}

/** One line for each thing that is not in the mirror, with what needed it. */
export function errorsText({ images, notCollected }: MirrorReport): string {
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

import type { ImageRecord } from './image-record.ts';
import type { LayerOutcome, MirrorReport, RunKind } from './report-schema.ts';

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

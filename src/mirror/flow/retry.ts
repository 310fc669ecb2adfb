import type { Context } from '../../core/context.ts';
import type { Registries } from '../../remote/registries.ts';
import type { Signer } from '../bundle/bundle-signature.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import type { MirroredImage } from '../image-rules.ts';
import { placedOf } from './image-record.ts';
import { withBundle } from './load.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { readReport, type StoredReport } from './report.ts';
import { alone, closing, fillBundle, type SaveResult } from './save.ts';
import type { WorkingDir } from './working-dir.ts';

export interface RetryOptions {
  readonly workingDir: WorkingDir;
  readonly registries: Registries;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
  /** A bundle that grows has to be signed again. */
  readonly signer?: Signer | undefined;
}

export type RetryResult =
  | { readonly mirror: MirrorResult; readonly save?: undefined }
  | { readonly save: SaveResult; readonly mirror?: undefined };

/** Does only what the last run could not, as its report says, from where that run took it. */
export async function retryFailed(ctx: Context, options: RetryOptions): Promise<RetryResult> {
  const last = await readReport(options.workingDir);
  const placed = failedImages(ctx, last);
  if (last.flow === 'save') return { save: await growBundle(ctx, last, placed, options) };
  if (last.flow === 'load') return { mirror: await loadAgain(ctx, last, placed, options) };
  const mirror = await mirrorImages(ctx, placed, {
    ...options,
    flow: last.flow,
    sourceOf: ({ image }) => options.registries.source(image.source),
    signatures: [],
    failures: last.notCollected,
    title: 'Retrying images',
  });
  return { mirror };
}

/** What is built or chosen anew in every run cannot be tried alone. */
function failedImages(ctx: Context, last: StoredReport): MirroredImage[] {
  const failed = last.images.filter(({ outcome }) => outcome === 'failed');
  const isBuilt = ({ kind }: { readonly kind: string }) =>
    last.flow !== 'load' && (kind === 'catalog' || kind === 'graph');
  const whole = failed.filter(isBuilt).length + last.notCollected.length;
  if (whole > 0) {
    ctx.emit({
      type: 'warning.raised',
      message: `${whole} failure(s) need a whole ${last.flow}: they are built or chosen anew`,
      hint: `Run "atoll mirror ${last.flow}" with the same configuration; what is there is not sent again`,
    });
  }
  return failed.filter((image) => !isBuilt(image)).map(placedOf);
}

function loadAgain(
  ctx: Context,
  { folder = '' }: StoredReport,
  placed: readonly MirroredImage[],
  options: RetryOptions,
): Promise<MirrorResult> {
  return withBundle(ctx, { folder }, (bundle) =>
    mirrorImages(ctx, placed, {
      ...options,
      flow: 'load',
      folder,
      base: bundle.base,
      sourceOf: (image) => bundle.sourceOf(image),
      signatures: bundle.signatures,
      failures: [],
      title: 'Retrying images',
    }),
  );
}

/** What failed is added to the bundle where it should have been. */
function growBundle(
  ctx: Context,
  { folder = '', notCollected }: StoredReport,
  placed: readonly MirroredImage[],
  options: RetryOptions,
): Promise<SaveResult> {
  return alone(ctx, folder, async () => {
    const writer = await BundleWriter.grow(folder);
    const content = { signatures: [], failures: notCollected };
    return await closing(writer, () =>
      fillBundle(ctx, writer, placed, content, { ...options, folder }),
    );
  });
}

import type { PublicKey } from 'openpgp';
import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';
import type { Registries } from '../../remote/registries.ts';
import type { Signer } from '../bundle/bundle-signature.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import type { MirroredImage } from '../image-rules.ts';
import { placedOf } from './image-record.ts';
import { baseAt, tellDamaged, withBundle } from './load.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { isBuilt, readReport, type StoredReport, wholeRunHint } from './report.ts';
import { alone, closing, fillBundle, type SaveResult } from './save.ts';
import type { WorkingDir } from './working-dir.ts';

export interface RetryOptions {
  readonly workingDir: WorkingDir;
  readonly registries: Registries;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
  /** A bundle that grows has to be signed again. */
  readonly signer?: Signer | undefined;
  /** With keys a bundle that is loaded has to be signed by one of them. */
  readonly keys?: readonly PublicKey[] | undefined;
}

export type RetryResult =
  | { readonly mirror: MirrorResult; readonly save?: undefined }
  | { readonly save: SaveResult; readonly mirror?: undefined };

/** Does only what the last run could not, as its report says, from where that run took it. */
export async function retryFailed(ctx: Context, options: RetryOptions): Promise<RetryResult> {
  const last = await readReport(options.workingDir);
  const { placed, failures } = whatFailed(ctx, last);
  if (last.flow === 'save')
    return { save: await growBundle(ctx, last, placed, { ...options, failures }) };
  if (last.flow === 'load') return { mirror: await loadAgain(ctx, last, placed, options) };
  const mirror = await mirrorImages(ctx, placed, {
    ...options,
    flow: last.flow,
    sourceOf: ({ image }) => options.registries.source(image.source),
    signatures: [],
    failures,
    title: 'Retrying images',
  });
  return { mirror };
}

interface Failed {
  readonly placed: readonly MirroredImage[];
  /** What stays failed, whatever becomes of the others. */
  readonly failures: readonly CollectFailure[];
}

/** What is built or chosen anew in every run cannot be tried alone. */
function whatFailed(ctx: Context, last: StoredReport): Failed {
  const failed = last.images.filter(({ outcome }) => outcome === 'failed');
  const built = failed
    .filter((image) => isBuilt(last.flow, image))
    .map(({ source, error }) => ({ message: 'it was not copied', ...error, subject: source }));
  const failures = [...last.notCollected, ...built];
  if (failures.length > 0) {
    ctx.emit({
      type: 'warning.raised',
      message: `Left out ${counted(failures.length, 'failure')}: what is built or chosen anew needs a whole ${last.flow}`,
      hint: wholeRunHint(last),
    });
  }
  return { placed: failed.filter((image) => !isBuilt(last.flow, image)).map(placedOf), failures };
}

function loadAgain(
  ctx: Context,
  { folder = '', destination }: StoredReport,
  placed: readonly MirroredImage[],
  options: RetryOptions,
): Promise<MirrorResult> {
  return withBundle(ctx, { folder, keys: options.keys }, async (bundle) => {
    const result = await mirrorImages(ctx, placed, {
      ...options,
      flow: 'load',
      folder,
      destination,
      base: destination ? baseAt(destination, bundle.base) : bundle.base,
      sourceOf: (image) => bundle.sourceOf(image),
      signatures: bundle.signatures,
      failures: [],
      title: 'Retrying images',
    });
    await tellDamaged(ctx, bundle, result.report);
    return result;
  });
}

/** What failed is added to the bundle where it should have been. */
function growBundle(
  ctx: Context,
  { folder = '' }: StoredReport,
  placed: readonly MirroredImage[],
  { failures, ...options }: RetryOptions & Pick<Failed, 'failures'>,
): Promise<SaveResult> {
  return alone(ctx, folder, async () => {
    const writer = await BundleWriter.grow(folder);
    const content = { signatures: [], failures };
    return await closing(writer, () =>
      fillBundle(ctx, writer, placed, content, { ...options, folder }),
    );
  });
}

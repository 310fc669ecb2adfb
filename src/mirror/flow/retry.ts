import type { PublicKey } from 'openpgp';
import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';
import type { Signer } from '../bundle/bundle-signature.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import type { Rebuild } from '../delta/rebuild-job.ts';
import { placedOf } from './image-record.ts';
import { loadImages, withBundle } from './load.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { readReport, type StoredReport } from './read-report.ts';
import { isBuilt, wholeRunHint } from './report.ts';
import { type MirrorRunOptions, type RunContent, upstreamOf } from './run.ts';
import { fillBundle, type SaveResult } from './save.ts';

export interface RetryRunOptions extends MirrorRunOptions {
  /** A bundle that grows has to be signed again. */
  readonly signer?: Signer | undefined;
  /** With keys a bundle that is loaded has to be signed by one of them. */
  readonly keys?: readonly PublicKey[] | undefined;
  readonly rebuild?: Rebuild | undefined;
}

export type RetryResult =
  | { readonly mirror: MirrorResult; readonly save?: undefined }
  | { readonly save: SaveResult; readonly mirror?: undefined };

/** Does only what the last run could not, as its report says, from where that run took it. */
export async function retryFailed(ctx: Context, options: RetryRunOptions): Promise<RetryResult> {
  const last = await readReport(options.workingDir);
  const { flow, folder = '', destination } = last;
  const sourceOf = upstreamOf(options.registries);
  const content = { ...whatFailed(ctx, last), sourceOf, signatures: [] };
  if (flow === 'save') {
    const open = () => BundleWriter.grow(folder);
    return { save: await fillBundle(ctx, { ...options, folder }, open, async () => content) };
  }
  const run = { ...options, folder, destination, title: 'Retrying images' };
  if (flow === 'load') {
    const load = { folder, keys: options.keys };
    const mirror = await withBundle(ctx, load, (bundle) =>
      loadImages(ctx, bundle, content.placed, run),
    );
    return { mirror };
  }
  return { mirror: await mirrorImages(ctx, content, { ...run, flow, folder: last.folder }) };
}

/** What is built or chosen anew in every run cannot be tried alone: it stays failed. */
function whatFailed(ctx: Context, last: StoredReport): Pick<RunContent, 'placed' | 'failures'> {
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

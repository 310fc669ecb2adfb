import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { CollectDeps } from '../collecting.ts';
import { type Collection, EMPTY_COLLECTION } from '../content-image.ts';
import type { ImageSet } from '../image-set/image-set.ts';

/** The images of every chart that `helm` of an image set asks for. */
export async function collectHelm(
  _ctx: Context,
  { helm }: ImageSet,
  _deps: CollectDeps,
): Promise<Collection> {
  if (helm.repositories.length === 0 && helm.local.length === 0) return EMPTY_COLLECTION;
  throw new AtollError('NOT_BUILT', 'Cannot collect Helm charts yet');
}

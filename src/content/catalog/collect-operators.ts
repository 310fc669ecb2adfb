import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { CollectDeps } from '../collecting.ts';
import { type Collection, EMPTY_COLLECTION } from '../content-image.ts';
import type { ImageSet } from '../image-set/image-set.ts';

/** Everything `operators` of an image set asks for: catalogs, bundles and the images they need. */
export async function collectOperators(
  _ctx: Context,
  { operators }: ImageSet,
  _deps: CollectDeps,
): Promise<Collection> {
  if (operators.length === 0) return EMPTY_COLLECTION;
  throw new AtollError('NOT_BUILT', 'Cannot collect operator catalogs yet');
}

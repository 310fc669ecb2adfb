import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { parseDigest } from '../../oci/digest.ts';
import { hashFile } from '../bundle/chunk-files.ts';
import { findMethods } from './find-method.ts';
import type { LayerDelta, MadeDelta, UnpackedPair } from './layer-delta.ts';
import { makeDelta } from './make-delta.ts';
import type { Recompression } from './methods.ts';
import { MOST_PART, pays } from './pays.ts';
import { deltaFile, rebuildLayer } from './rebuild.ts';
import { CarriedWhole } from './unpack-layer.ts';

/** How the new tar is made from the old one, and what compresses it as the new layer is; else `CarriedWhole`. */
export async function deltaOfTars(
  ctx: Context,
  { layer, header, at }: UnpackedPair,
  linkBytesPerSecond?: number,
): Promise<MadeDelta> {
  const path = at('delta');
  const methods = findMethods(ctx, at('new'), at('new.tar'), header);
  const { value: first } = await methods.next();
  if (!first) throw new CarriedWhole('no known program compresses like this');
  if (!pays(layer, first.program, linkBytesPerSecond))
    throw new CarriedWhole('the link carries it faster');
  const size = await makeDelta(ctx, at('old.tar'), at('new.tar'), path);
  if (size > layer.size * MOST_PART) throw new CarriedWhole('too much of it is new');
  const delta = await descriptionOf(ctx, path, size);
  const candidate = { ...layer, delta, header: header?.toString('hex') ?? '' };
  for await (const recompress of inOrder([first], methods)) {
    const record = { ...candidate, recompress };
    if (await isExact(ctx, { record, path }, at('old.tar'))) return { record, path };
  }
  throw new CarriedWhole('no known program compresses all of it like this');
}

async function* inOrder(
  found: readonly Recompression[],
  more: AsyncIterable<Recompression>,
): AsyncGenerator<Recompression> {
  yield* found;
  yield* more;
}

export async function descriptionOf(
  ctx: Context,
  path: string,
  size: number,
): Promise<LayerDelta['delta']> {
  return { digest: parseDigest(`sha256:${await hashFile(ctx, path)}`), size };
}

/** Rebuilds the layer as the other side will. */
export async function isExact(
  ctx: Context,
  { record, path }: MadeDelta,
  old: string,
): Promise<boolean> {
  try {
    const source = deltaFile(ctx, path, record.delta.size);
    for await (const _ of rebuildLayer(ctx, record, old, source));
    return true;
  } catch (error) {
    const isOther = error instanceof AtollError && error.code === 'LAYER_INVALID';
    if (isOther || error instanceof RangeError) return false;
    throw error;
  }
}

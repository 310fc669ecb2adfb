import type { Context } from '../../core/context.ts';
import { descriptionOf, isExact } from './delta-of-tars.ts';
import type { MadeDelta, UnpackedPair } from './layer-delta.ts';
import { makeDelta } from './make-delta.ts';
import { SYMBOLS } from './methods.ts';
import { MOST_PART } from './pays.ts';
import { symbolSpans } from './symbol-spans.ts';
import { unpackSymbols } from './unpack-layer.ts';

/** How the symbols of the new layer are made from those of the old one; undefined where they cannot be, or are too many. */
export async function deltaOfSymbols(
  ctx: Context,
  { layer, at }: UnpackedPair,
): Promise<MadeDelta | undefined> {
  const [old, fresh, path] = [at('old.symbols'), at('new.symbols'), at('symbols.delta')];
  try {
    await unpackSymbols(ctx, at('old'), old);
    await unpackSymbols(ctx, at('new'), fresh);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const spans = {
    unit: 2 as const,
    old: await symbolSpans(at('old.tar'), old),
    fresh: await symbolSpans(at('new.tar'), fresh),
  };
  const size = await makeDelta(ctx, old, fresh, path, spans);
  if (size > layer.size * MOST_PART) return undefined;
  const delta = await descriptionOf(ctx, path, size);
  const made = { record: { ...layer, delta, header: '', recompress: SYMBOLS }, path };
  return (await isExact(ctx, made, old)) ? made : undefined;
}

import { createHash } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readRange } from '../bundle/chunk-files.ts';
import { applyDelta, type DeltaSource } from './apply-delta.ts';
import type { LayerDelta } from './layer-delta.ts';
import type { Recompression } from './methods.ts';
import type { OldPages } from './old-pages.ts';
import { openRecompressor } from './recompressor.ts';

/** Compresses a tar as the method does, behind the header that the layer really has. Symbols hold all headers. */
async function* recompressed(
  method: Recompression,
  header: Uint8Array,
  tar: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const program = openRecompressor(method);
  let own = ['none', 'symbols'].includes(method.program) ? 0 : OWN_HEADER_BYTES;
  yield header;
  const cut = (bytes: Uint8Array) => {
    const skipped = Math.min(own, bytes.length);
    own -= skipped;
    return bytes.subarray(skipped);
  };
  for await (const bytes of tar) yield cut(program.write(bytes));
  yield cut(program.finish());
}

/** Every program writes a header without optional fields. */
const OWN_HEADER_BYTES = 10;

type Rebuilt = Pick<LayerDelta, 'digest' | 'diffId' | 'recompress' | 'header'>;

/**
 * The layer, bit for bit, or `LAYER_INVALID` at its end, in pieces that are valid until the next is asked for. It is made from the old tar, or from the old symbols; then no
 * tar is made, and the digest of the layer stands for that of its tar too.
 */
export async function* rebuildLayer(
  ctx: Context,
  layer: Rebuilt,
  old: string | OldPages,
  delta: DeltaSource,
): AsyncGenerator<Uint8Array> {
  const isOfSymbols = layer.recompress.program === 'symbols';
  const [inner, outer] = [createHash('sha256'), createHash('sha256')];
  const tar = async function* () {
    for await (const bytes of applyDelta(old, delta)) {
      ctx.signal.throwIfAborted();
      if (!isOfSymbols) inner.update(bytes);
      yield bytes;
    }
  };
  const header = Buffer.from(layer.header, 'hex');
  for await (const bytes of recompressed(layer.recompress, header, tar())) {
    outer.update(bytes);
    yield bytes;
  }
  if (!isOfSymbols && `sha256:${inner.digest('hex')}` !== layer.diffId)
    throw notRebuilt(layer, 'another tar');
  if (`sha256:${outer.digest('hex')}` !== layer.digest)
    throw notRebuilt(layer, 'other compressed bytes');
}

function notRebuilt({ digest }: Rebuilt, found: string): AtollError {
  return new AtollError('LAYER_INVALID', `Cannot rebuild ${digest}: found ${found}`, {
    hint: 'Save again with --no-delta: then this layer is carried whole',
    details: { digest },
  });
}

export function deltaFile(ctx: Context, path: string, size: number): DeltaSource {
  return { size, read: (offset, length) => readRange(ctx, path, offset, offset + length) };
}

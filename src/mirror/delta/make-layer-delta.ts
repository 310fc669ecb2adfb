import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { parseDigest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import { hashFile, readRange, sizeOfFile } from '../bundle/chunk-files.ts';
import type { DeltaSource } from './apply-delta.ts';
import { findMethods } from './find-method.ts';
import type { LayerDelta } from './layer-delta.ts';
import { makeDelta } from './make-delta.ts';
import type { Recompression } from './methods.ts';
import { MOST_PART, pays } from './pays.ts';
import { rebuildLayer } from './rebuild.ts';
import { CarriedWhole, unpackNew, unpackOld, writeHashed } from './unpack-layer.ts';

/** A new layer and the one it most likely grew out of, with where both can be read. */
export interface LayerPair {
  readonly fresh: Descriptor;
  readonly old: Descriptor;
  readonly freshSource: Source;
  /** Where the old one may be read, the nearest first. */
  readonly oldSources: readonly Source[];
  /** Where the mirror has the old one. */
  readonly oldRepository: string | undefined;
}

export interface DeltaWork {
  /** For two layers and their tars; emptied afterwards. */
  readonly folder: string;
  readonly linkBytesPerSecond: number | undefined;
  /** Replaces the look at the disk, for tests. */
  readonly measure?: ((path: string) => Promise<number>) | undefined;
}

/** A delta that was seen to give exactly the layer, and the file it is in; else `CarriedWhole`. */
export async function makeLayerDelta(
  ctx: Context,
  pair: LayerPair,
  { folder, linkBytesPerSecond, measure = freeSpace }: DeltaWork,
): Promise<{ readonly record: LayerDelta; readonly path: string }> {
  const { fresh, old } = pair;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(folder, name);
  const room = async (neededBytes: number) => {
    if ((await measure(folder)) < neededBytes)
      throw new CarriedWhole('there is no room to compare it');
  };
  await room(fresh.size);
  await download(ctx, pair.freshSource, fresh, at('new'));
  await room(await tarBytes(at('new')));
  const layer = await unpackNew(ctx, at('new'), at('new.tar'));
  const methods = findMethods(ctx, at('new'), at('new.tar'), layer.header);
  const { value: first } = await methods.next();
  if (!first) throw new CarriedWhole('no known program compresses like this');
  if (!pays({ size: fresh.size, tarSize: layer.tarSize }, first.program, linkBytesPerSecond))
    throw new CarriedWhole('the link carries it faster');
  await room(old.size * (layer.tarSize / fresh.size) + fresh.size);
  await unpackAny(ctx, pair, at('old.tar'));
  const size = await makeDelta(ctx, at('old.tar'), at('new.tar'), at('delta'));
  if (size > fresh.size * MOST_PART) throw new CarriedWhole('too much of it is new');
  const delta = { digest: parseDigest(`sha256:${await hashFile(ctx, at('delta'))}`), size };
  const record = {
    digest: fresh.digest,
    size: fresh.size,
    diffId: layer.diffId,
    tarSize: layer.tarSize,
    base: baseOf(pair),
    delta,
    header: layer.header.toString('hex'),
  };
  const recompress = await firstExact(ctx, record, [first], methods, at);
  return { record: { ...record, recompress }, path: at('delta') };
}

/** A bundle whose chunks are gone or damaged is no loss while upstream has the layer. */
async function unpackAny(ctx: Context, { old, oldSources }: LayerPair, tar: string): Promise<void> {
  let why: unknown;
  for (const source of oldSources) {
    try {
      return await unpackOld(old, source.blob(ctx, old), tar);
    } catch (error) {
      if (ctx.signal.aborted || error instanceof CarriedWhole) throw error;
      why = error;
    }
  }
  throw new CarriedWhole(`its older layer cannot be read: ${messageOf(why)}`);
}

/** What a gzip file says at its end about the size of its content; too little where that is above 4 GiB. */
async function tarBytes(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 4));
    return Math.max(size, buffer.readUInt32LE());
  } finally {
    await file.close();
  }
}

function baseOf({ old, oldRepository }: LayerPair): LayerDelta['base'] {
  const { digest, size, mediaType } = old;
  return { digest, size, mediaType, ...(oldRepository ? { repository: oldRepository } : {}) };
}

/** Rebuilds as the other side will, with one method after the other. */
async function firstExact(
  ctx: Context,
  record: Pick<LayerDelta, 'digest' | 'diffId' | 'header' | 'delta'>,
  found: readonly Recompression[],
  more: AsyncIterable<Recompression>,
  at: (name: string) => string,
): Promise<Recompression> {
  for await (const recompress of inOrder(found, more)) {
    try {
      const source = deltaFile(ctx, at('delta'), record.delta.size);
      const layer = { ...record, recompress };
      for await (const _ of rebuildLayer(ctx, layer, at('old.tar'), source));
      return recompress;
    } catch (error) {
      if (!(error instanceof AtollError && error.code === 'LAYER_INVALID')) throw error;
    }
  }
  throw new CarriedWhole('no known program compresses all of it like this');
}

async function* inOrder<T>(found: readonly T[], more: AsyncIterable<T>): AsyncGenerator<T> {
  yield* found;
  yield* more;
}

export function deltaFile(ctx: Context, path: string, size: number): DeltaSource {
  return { size, read: (offset, length) => readRange(ctx, path, offset, offset + length) };
}

/** What an interrupted run has downloaded is used again if it is right. */
async function download(
  ctx: Context,
  source: Source,
  blob: Descriptor,
  path: string,
): Promise<void> {
  if (await isThere(ctx, blob, path)) return;
  await writeHashed(path, verified(blob, source.blob(ctx, blob)));
}

export async function isThere(ctx: Context, blob: Descriptor, path: string): Promise<boolean> {
  if ((await sizeOfFile(path)) !== blob.size) return false;
  return `sha256:${await hashFile(ctx, path)}` === blob.digest;
}

export async function clearWork(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

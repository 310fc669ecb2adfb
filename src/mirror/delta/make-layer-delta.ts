import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { verified } from '../../oci/verify.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import { hashFile, sizeOfFile } from '../bundle/chunk-files.ts';
import { deltaOfSymbols } from './delta-of-symbols.ts';
import { deltaOfTars } from './delta-of-tars.ts';
import type { LayerDelta, MadeDelta, UnpackedPair } from './layer-delta.ts';
import { pays, prefersSymbols } from './pays.ts';
import { WORD } from './symbols.ts';
import { CarriedWhole, unpackNew, unpackOld, writeChunks } from './unpack-layer.ts';

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
  work: DeltaWork,
): Promise<MadeDelta> {
  const { linkBytesPerSecond } = work;
  const unpacked = await unpackPair(ctx, pair, work);
  const bySymbols = unpacked.header?.length === 0 ? undefined : await deltaOfSymbols(ctx, unpacked);
  if (bySymbols && prefersSymbols(bySymbols.record, linkBytesPerSecond)) return bySymbols;
  try {
    return await deltaOfTars(ctx, unpacked, linkBytesPerSecond);
  } catch (error) {
    if (bySymbols && error instanceof CarriedWhole) return bySymbols;
    throw error;
  }
}

/** Both layers and their tars; `CarriedWhole` where that cannot be had, or is not worth it. */
export async function unpackPair(
  ctx: Context,
  pair: LayerPair,
  { folder, linkBytesPerSecond, measure = freeSpace }: DeltaWork,
): Promise<UnpackedPair> {
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
  const { diffId, tarSize, header } = await unpackNew(ctx, at('new'), at('new.tar'));
  const { digest, size } = fresh;
  if (!pays({ size, tarSize }, header?.length === 0 ? 'none' : 'symbols', linkBytesPerSecond))
    throw new CarriedWhole('the link carries it faster');
  await room(old.size * (1 + tarSize / size) + (old.size + size) * WORD + size);
  await downloadAny(ctx, pair, at('old'));
  await unpackOld(ctx, at('old'), at('old.tar'));
  return { layer: { digest, size, diffId, tarSize, base: baseOf(pair) }, header, at };
}

/** A bundle whose chunks are gone or damaged is no loss while upstream has the layer. */
async function downloadAny(
  ctx: Context,
  { old, oldSources }: LayerPair,
  to: string,
): Promise<void> {
  let why: unknown;
  for (const source of oldSources) {
    try {
      return await download(ctx, source, old, to);
    } catch (error) {
      ctx.signal.throwIfAborted();
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

/** What an interrupted run has downloaded is used again if it is right. */
async function download(
  ctx: Context,
  source: Source,
  blob: Descriptor,
  path: string,
): Promise<void> {
  if (await isThere(ctx, blob, path)) return;
  await writeChunks(path, verified(blob, source.blob(ctx, blob)));
}

export async function isThere(ctx: Context, blob: Descriptor, path: string): Promise<boolean> {
  if ((await sizeOfFile(path)) !== blob.size) return false;
  return `sha256:${await hashFile(ctx, path)}` === blob.digest;
}

export async function clearWork(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

import { createHash } from 'node:crypto';
import { open, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, unwritable, writeFileAtomic } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { writeAll } from '../../core/write-all.ts';
import { requireFreeSpace } from '../../store/disk/free-space.ts';
import {
  type BundleIndex,
  INDEX_FILE,
  PARTS_FILE,
  parseIndex,
  readIndexText,
  SIGNATURE_FILE,
} from './bundle-index.ts';
import type { DamagedChunk } from './bundle-reader.ts';
import { hashFile, readRange, sizeOfFile } from './chunk-files.ts';
import { companionsOf, type SummedFile } from './companions.ts';

// A finished bundle can be cut for media that are smaller than its chunks. The index stays as it is, and with it
// the id and the signature: only the files of chunks are cut, `chunk-000001.atoll` into `.001`, `.002` and so on.

const partsSchema = z.strictObject({
  format: z.literal('atoll-parts/1'),
  partBytes: z.number().int().positive(),
  /** Empty until all of them are cut. */
  parts: z.array(z.strictObject({ file: z.string(), size: z.number(), sha256: z.string() })),
});
type Parts = z.output<typeof partsSchema>;

export interface PartsResult {
  readonly folder: string;
  readonly files: readonly string[];
}

type Chunk = BundleIndex['chunks'][number];

const partFile = ({ file }: Chunk, number: number): string =>
  `${file}.${String(number).padStart(3, '0')}`;
const countOf = ({ size }: Chunk, partBytes: number): number =>
  Math.max(1, Math.ceil(size / partBytes));

/** Cuts every chunk into parts of at most this size, where it lies. An interrupted run goes on. */
export function splitBundle(ctx: Context, folder: string, partBytes: number): Promise<PartsResult> {
  return inBundle(ctx, folder, async (index, text) => {
    const known = await readParts(folder);
    if (known && known.partBytes !== partBytes) throw alreadySplit(folder, known.partBytes);
    await requireFreeSpace(folder, partBytes);
    const plan: Parts = { format: 'atoll-parts/1', partBytes, parts: known?.parts ?? [] };
    await writeParts(folder, plan);
    for (const chunk of index.chunks) await cut(ctx, folder, chunk, partBytes);
    const parts = (await hashParts(ctx, folder, index, partBytes)).flat();
    await writeParts(folder, { ...plan, parts });
    await writeCompanions(folder, index, text, parts);
    return { folder, files: parts.map(({ file }) => file) };
  });
}

/** From the end: what was copied is taken off, so that there is never a second copy. */
async function cut(ctx: Context, folder: string, chunk: Chunk, partBytes: number): Promise<void> {
  const path = join(folder, chunk.file);
  for (;;) {
    ctx.signal.throwIfAborted();
    const size = await sizeOfFile(path);
    if (size === undefined) return;
    const number = countOf({ ...chunk, size }, partBytes);
    if (number === 1) return await rename(path, join(folder, partFile(chunk, 1)));
    const start = (number - 1) * partBytes;
    await copyTo(join(folder, partFile(chunk, number)), 0, readRange(ctx, path, start, size));
    await truncate(path, start);
  }
}

/** Every part, and through them every chunk: what was cut has to be what the index names. */
async function hashParts(ctx: Context, folder: string, index: BundleIndex, partBytes: number) {
  const all: Parts['parts'][] = [];
  for (const chunk of index.chunks) {
    const whole = createHash('sha256');
    const parts: Parts['parts'] = [];
    for (let number = 1; number <= countOf(chunk, partBytes); number += 1) {
      const file = partFile(chunk, number);
      const hash = createHash('sha256');
      let size = 0;
      for await (const bytes of readRange(ctx, join(folder, file))) {
        for (const each of [whole, hash]) each.update(bytes);
        size += bytes.length;
      }
      parts.push({ file, size, sha256: hash.digest('hex') });
    }
    if (whole.digest('hex') !== chunk.sha256)
      throw damagedError(folder, [{ file: chunk.file, found: 'different bytes' }]);
    all.push(parts);
  }
  return all;
}

/** Puts the parts together again. Each is checked before the first is touched. */
export function joinBundle(ctx: Context, folder: string): Promise<PartsResult> {
  return inBundle(ctx, folder, async (index, text) => {
    const known = await readParts(folder);
    if (!known) throw notSplit(folder);
    const damaged = await damagedParts(ctx, folder, index, known);
    if (damaged.length > 0) throw damagedError(folder, damaged);
    for (const chunk of index.chunks) await put(ctx, folder, chunk, known.partBytes);
    await writeCompanions(folder, index, text, index.chunks);
    await rm(join(folder, PARTS_FILE), { force: true });
    return { folder, files: index.chunks.map(({ file }) => file) };
  });
}

async function put(ctx: Context, folder: string, chunk: Chunk, partBytes: number): Promise<void> {
  const path = join(folder, chunk.file);
  if ((await sizeOfFile(path)) === undefined) await rename(join(folder, partFile(chunk, 1)), path);
  for (let number = 2; number <= countOf(chunk, partBytes); number += 1) {
    const part = join(folder, partFile(chunk, number));
    if ((await sizeOfFile(part)) === undefined) continue;
    await copyTo(path, (number - 1) * partBytes, readRange(ctx, part));
    await rm(part);
  }
}

/** Parts that are missing, too short or altered. What an interrupted join took in counts as being here. */
async function damagedParts(
  ctx: Context,
  folder: string,
  index: BundleIndex,
  { parts, partBytes }: Parts,
): Promise<DamagedChunk[]> {
  const sums = new Map(parts.map((part) => [part.file, part]));
  const damaged: DamagedChunk[] = [];
  for (const chunk of index.chunks) {
    const joined = (await sizeOfFile(join(folder, chunk.file))) ?? 0;
    for (let number = 1; number <= countOf(chunk, partBytes); number += 1) {
      const file = partFile(chunk, number);
      const end = Math.min(number * partBytes, chunk.size);
      const size = await sizeOfFile(join(folder, file));
      if (size === undefined && joined >= end) continue;
      const found = await damageOf(ctx, join(folder, file), size, sums.get(file));
      if (found) damaged.push({ file, found });
    }
  }
  return damaged;
}

async function damageOf(
  ctx: Context,
  path: string,
  size: number | undefined,
  sum: Parts['parts'][number] | undefined,
): Promise<string | undefined> {
  if (size === undefined) return 'missing';
  if (sum === undefined) return undefined;
  if (size !== sum.size) return `${size} instead of ${sum.size} bytes`;
  return (await hashFile(ctx, path)) === sum.sha256 ? undefined : 'different bytes';
}

/** The damaged files of a bundle that is in parts; undefined where it is not. */
export async function checkParts(
  ctx: Context,
  folder: string,
  index: BundleIndex,
): Promise<readonly DamagedChunk[] | undefined> {
  const known = await readParts(folder);
  return known && (await damagedParts(ctx, folder, index, known));
}

async function copyTo(path: string, at: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const file = await open(path, at === 0 ? 'w' : 'r+');
    try {
      let end = at;
      for await (const bytes of chunks) {
        await writeAll(file, [bytes], end);
        end += bytes.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function inBundle<T>(
  ctx: Context,
  folder: string,
  work: (index: BundleIndex, text: string) => Promise<T>,
): Promise<T> {
  const text = await readIndexText(folder);
  const index = parseIndex(join(folder, INDEX_FILE), text);
  const lock = join(folder, 'bundle.lock');
  return await withLock(ctx, lock, { waitMs: 1000 }, () => work(index, text));
}

async function readParts(folder: string): Promise<Parts | undefined> {
  const text = await readTextIfPresent(join(folder, PARTS_FILE));
  if (text === undefined) return undefined;
  try {
    return partsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AtollError('BUNDLE_INVALID', `Cannot read "${join(folder, PARTS_FILE)}"`, {
      hint: 'Copy it again from the side that split the bundle, or join the parts with cat and remove it',
      cause,
    });
  }
}

async function writeParts(folder: string, parts: Parts): Promise<void> {
  await writeFileAtomic(join(folder, PARTS_FILE), `${JSON.stringify(parts, null, 1)}\n`);
}

async function writeCompanions(
  folder: string,
  index: BundleIndex,
  text: string,
  carried: readonly SummedFile[],
): Promise<void> {
  const signature = await readTextIfPresent(join(folder, SIGNATURE_FILE));
  for (const [file, content] of companionsOf(index, text, signature, carried))
    await writeFileAtomic(join(folder, file), content);
}

function alreadySplit(folder: string, partBytes: number): AtollError {
  const found = `it is in parts of ${partBytes} bytes already`;
  return new AtollError('BUNDLE_INVALID', `Cannot split "${folder}": ${found}`, {
    hint: `Run "atoll bundle join ${folder}" first`,
  });
}

function notSplit(folder: string): AtollError {
  return new AtollError('BUNDLE_INVALID', `Cannot join "${folder}": there is no ${PARTS_FILE}`, {
    hint: 'It is whole already, or that file was not copied: copy it, or join the parts with cat',
  });
}

/** Everything that has to be copied again, in one go. */
export function damagedError(folder: string, damaged: readonly DamagedChunk[]): AtollError {
  const shown = damaged.map(({ file, found }) => `${file} (${found})`).join(', ');
  return new AtollError('BUNDLE_DAMAGED', `Cannot use the bundle in "${folder}": found ${shown}`, {
    hint: 'Copy these again from the side that saved them; everything else can stay',
    details: { damaged: damaged.map(({ file }) => file).join(', ') },
  });
}

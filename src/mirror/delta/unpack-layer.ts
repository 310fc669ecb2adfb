import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';
import { ArchiveError } from '../../core/archive/archive-error.ts';
import { gunzip, isGzip } from '../../core/archive/gunzip.ts';
import type { Context } from '../../core/context.ts';
import { systemCodeOf } from '../../core/errors.ts';
import { unwritable } from '../../core/files.ts';
import { writeAll } from '../../core/write-all.ts';
import type { Digest } from '../../oci/digest.ts';
import { readRange } from '../bundle/chunk-files.ts';
import { gzipHeaderLength } from './gzip-header.ts';
import { SymbolReader } from './symbol-reader.ts';

/** Why a layer is carried whole: for the report, not a failure. */
export class CarriedWhole extends Error {
  override readonly name = 'CarriedWhole';
}

export interface UnpackedLayer {
  readonly diffId: Digest;
  readonly tarSize: number;
  /** The gzip header; empty where nothing was compressed, undefined where there are several. */
  readonly header: Buffer | undefined;
}

/** Writes chunks to a file and returns the digest and the size of what was written. */
async function writeHashed(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ digest: Digest; size: number }> {
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const size = await writeChunks(path, hashed());
  return { digest: `sha256:${hash.digest('hex')}` as Digest, size };
}

/** How many bytes were written. */
export async function writeChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await open(path, 'w', 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      await writeAll(file, [chunk], size).catch((error: unknown) => {
        throw unwritable(path, error);
      });
      size += chunk.length;
    }
  } finally {
    await file.close();
  }
  return size;
}

/** The tar of a layer that is only read from: any number of gzip members, or none. */
export async function unpackOld(ctx: Context, layer: string, tar: string): Promise<void> {
  await writeChunks(tar, decompressed(readRange(ctx, layer)));
}

/** The symbols of a layer; a `RangeError` where it has none. */
export async function unpackSymbols(ctx: Context, layer: string, to: string): Promise<void> {
  await writeChunks(to, symbolsOf(readRange(ctx, layer)));
}

export async function* symbolsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new SymbolReader();
  for await (const bytes of chunks) yield* reader.write(bytes);
  yield* reader.finish();
}

const ZSTD = Buffer.from('28b52ffd', 'hex');

export async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const rest = async function* () {
    yield first.value;
    for (let step = await iterator.next(); !step.done; step = await iterator.next())
      yield step.value;
  };
  refuseZstd(first.value);
  yield* isGzip(first.value) ? gunzip(rest()) : rest();
}

function refuseZstd(head: Uint8Array): void {
  if (ZSTD.equals(head.subarray(0, 4))) throw new CarriedWhole('zstd cannot be rebuilt yet');
}

/** The tar of a layer that is to be rebuilt. */
export async function unpackNew(ctx: Context, path: string, tar: string): Promise<UnpackedLayer> {
  const file = await open(path);
  const head = Buffer.alloc(64 * 1024);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const { size } = await file.stat();
  await file.close();
  refuseZstd(head);
  if (!isGzip(head)) return await unpackPlain(ctx, path, tar);
  const length = gzipHeaderLength(head.subarray(0, bytesRead));
  if (length === undefined) throw new CarriedWhole('its gzip header is too long');
  const header = head.subarray(0, length);
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  const source = createReadStream(path, { start: header.length, highWaterMark: 256 * 1024 });
  source.on('error', (error) => inflate.destroy(error));
  // It may fail before anybody reads from it; whoever does then is told.
  inflate.on('error', () => undefined);
  ctx.signal.addEventListener('abort', () => inflate.destroy(), { once: true });
  const { digest, size: tarSize } = await writeHashed(tar, source.pipe(inflate)).catch(
    (error: unknown) => {
      ctx.signal.throwIfAborted();
      throw isZlibError(error) ? new CarriedWhole('it is no whole gzip file') : error;
    },
  );
  source.destroy();
  if (header.length + inflate.bytesWritten + 8 !== size) return await unpackMembers(ctx, path, tar);
  return { diffId: digest, tarSize, header: Buffer.from(header) };
}

async function unpackMembers(ctx: Context, path: string, tar: string): Promise<UnpackedLayer> {
  const written = await writeHashed(tar, gunzip(readRange(ctx, path))).catch((error: unknown) => {
    throw error instanceof ArchiveError ? new CarriedWhole('it is no whole gzip file') : error;
  });
  return { diffId: written.digest, tarSize: written.size, header: undefined };
}

const isZlibError = (error: unknown): boolean =>
  /^(Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(String(systemCodeOf(error)));

async function unpackPlain(ctx: Context, path: string, tar: string): Promise<UnpackedLayer> {
  const { digest, size } = await writeHashed(tar, readRange(ctx, path));
  return { diffId: digest, tarSize: size, header: Buffer.alloc(0) };
}

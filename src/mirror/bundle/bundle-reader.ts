import { join } from 'node:path';
import type { PublicKey } from 'openpgp';
import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import { bare, type Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { parseManifest, type RawManifest } from '../../oci/manifest.ts';
import { verifyBytes } from '../../oci/verify.ts';
import {
  type BundleBlob,
  type BundleIndex,
  INDEX_FILE,
  parseIndex,
  readIndexText,
  refuseParts,
  SIGNATURE_FILE,
} from './bundle-index.ts';
import { verifyIndex } from './bundle-signature.ts';
import { ChunkFiles, hashFile, piecesOf, sizeOfFile } from './chunk-files.ts';

/** A chunk that must be copied again. The others can stay. */
export interface DamagedChunk {
  readonly file: string;
  readonly found: string;
}

export interface BundleReadOptions {
  /** False for callers that verify each blob themselves and need few: no chunk is hashed for them. */
  readonly hashed?: boolean;
}

/** Reads a bundle. A chunk is hashed before anything in it is used. */
export class BundleReader {
  readonly index: BundleIndex;
  readonly #folder: string;
  readonly #files: ChunkFiles;
  readonly #blobs: ReadonlyMap<string, BundleBlob>;
  readonly #base: ReadonlySet<string>;
  readonly #named: ReadonlyMap<string, Descriptor>;
  readonly #referring: ReadonlyMap<string, readonly Descriptor[]>;
  readonly #checked = new Map<number, Promise<DamagedChunk | undefined>>();

  constructor(folder: string, index: BundleIndex) {
    this.index = index;
    this.#folder = folder;
    this.#files = new ChunkFiles(folder, index.chunkBytes, 'read');
    this.#blobs = new Map(index.blobs.map((blob) => [blob.digest, blob]));
    this.#base = new Set(index.base.map(({ digest }) => digest));
    this.#named = namesIn(index);
    this.#referring = referrersIn(index);
  }

  /** With keys the index must carry a valid signature of one of them before anything is used. */
  static async open(
    ctx: Context,
    folder: string,
    keys: readonly PublicKey[] = [],
  ): Promise<BundleReader> {
    const text = await readIndexText(folder);
    await refuseParts(folder);
    if (keys.length > 0) await verifyIndex(ctx, folder, text, keys);
    else if ((await sizeOfFile(join(folder, SIGNATURE_FILE))) !== undefined) {
      ctx.emit({
        type: 'warning.raised',
        message: `The bundle in "${folder}" is signed, but nobody verified it`,
        hint: 'Give the public key of whoever saved it with --verify-key FILE',
      });
    }
    return new BundleReader(folder, parseIndex(join(folder, INDEX_FILE), text));
  }

  /** Every chunk that is missing, too short or altered. */
  async damaged(ctx: Context): Promise<DamagedChunk[]> {
    const task = { task: 'bundle', title: 'Check the bundle' };
    const totalBytes = this.index.chunks.reduce((sum, chunk) => sum + chunk.size, 0);
    ctx.emit({ type: 'task.started', ...task, totalBytes });
    const damaged: DamagedChunk[] = [];
    let doneBytes = 0;
    for (const [number, chunk] of this.index.chunks.entries()) {
      const found = await this.#check(ctx, number);
      if (found) damaged.push(found);
      doneBytes += chunk.size;
      ctx.emit({ type: 'task.progressed', task: 'bundle', doneBytes, totalBytes });
    }
    if (damaged.length === 0) ctx.emit({ type: 'task.finished', ...task, summary: 'whole' });
    else ctx.emit({ type: 'task.failed', ...task, message: `${damaged.length} damaged` });
    return damaged;
  }

  has(digest: string): boolean {
    return this.#blobs.has(digest);
  }

  /** A part of a blob, for callers that need no other. */
  async *readPart(
    ctx: Context,
    digest: Digest,
    offset: number,
    length: number,
  ): AsyncGenerator<Uint8Array> {
    let left = length;
    for await (const bytes of this.#read(ctx, digest, offset)) {
      if (left > 0) yield bytes.subarray(0, left);
      left -= bytes.length;
      if (left <= 0) return;
    }
  }

  /** Everything in the bundle, as one place to read from. */
  source({ hashed = true }: BundleReadOptions = {}): Source {
    const { attachments } = this.index;
    return {
      resolve: async (_ctx, name) => this.#resolve(name),
      manifest: (ctx, descriptor) => this.#manifest(ctx, descriptor, hashed),
      blob: (ctx, descriptor, offset) => this.#read(ctx, descriptor.digest, offset ?? 0, hashed),
      can: {
        async *tags() {
          for (const { tag } of attachments) if (tag) yield tag;
        },
        referrers: async (_ctx, subject) => this.#referring.get(subject) ?? [],
      },
    };
  }

  async close(): Promise<void> {
    await this.#files.close();
  }

  #resolve(name: string): Descriptor | undefined {
    const named = this.#named.get(name);
    if (named) return named;
    const blob = isDigest(name) ? this.#blobs.get(name) : undefined;
    return blob && { mediaType: '', digest: blob.digest, size: blob.size };
  }

  async #manifest(ctx: Context, descriptor: Descriptor, hashed: boolean): Promise<RawManifest> {
    const bytes = await collect(this.#read(ctx, descriptor.digest, 0, hashed));
    verifyBytes({ ...descriptor, size: bytes.length }, bytes);
    return parseManifest(bytes, descriptor.mediaType || undefined, descriptor.digest);
  }

  async *#read(
    ctx: Context,
    digest: Digest,
    offset: number,
    hashed = true,
  ): AsyncGenerator<Uint8Array> {
    const blob = this.#blobs.get(digest);
    if (!blob) throw this.#missing(digest);
    const pieces = hashed ? piecesOf(blob.offset, blob.size, this.index.chunkBytes) : [];
    for (const { chunk } of pieces) {
      const damaged = await this.#check(ctx, chunk);
      if (damaged) throw damagedError(this.#folder, damaged);
    }
    yield* this.#files.read(ctx, blob.offset + offset, blob.size - offset);
  }

  #check(ctx: Context, number: number): Promise<DamagedChunk | undefined> {
    const known = this.#checked.get(number) ?? this.#hash(ctx, number);
    this.#checked.set(number, known);
    return known;
  }

  async #hash(ctx: Context, number: number): Promise<DamagedChunk | undefined> {
    const chunk = this.index.chunks[number];
    if (!chunk) return { file: `chunk ${number + 1}`, found: 'not in the index' };
    const path = join(this.#folder, chunk.file);
    const size = await sizeOfFile(path);
    if (size === undefined) return { file: chunk.file, found: 'missing' };
    if (size !== chunk.size)
      return { file: chunk.file, found: `${size} instead of ${chunk.size} bytes` };
    const sha256 = await hashFile(ctx, path);
    return sha256 === chunk.sha256 ? undefined : { file: chunk.file, found: 'different bytes' };
  }

  #missing(digest: Digest): AtollError {
    const expected = this.#base.has(digest);
    return new AtollError(
      expected ? 'BUNDLE_BASE_MISSING' : 'CONTENT_MISSING',
      expected
        ? `Cannot find ${digest}: this bundle counts on the mirror to have it`
        : `Cannot find ${digest} in the bundle "${this.#folder}"`,
      {
        hint: expected ? this.#baseHint() : 'Save the bundle again; its index is not whole',
        details: { digest },
      },
    );
  }

  #baseHint(): string {
    const { since } = this.index;
    const which =
      since.length > 0 ? `bundle ${since.join(', ')}, on which this one builds,` : 'its base';
    return `Load ${which} first, or save again with --have of this mirror`;
  }
}

/** Images by digest, attachments by tag. */
function namesIn({ images, attachments }: BundleIndex): ReadonlyMap<string, Descriptor> {
  const names = new Map<string, Descriptor>();
  for (const image of images) names.set(image.digest, bare(image));
  for (const each of attachments) {
    names.set(each.digest, bare(each));
    if (each.tag) names.set(each.tag, bare(each));
  }
  return names;
}

function referrersIn({ attachments }: BundleIndex): ReadonlyMap<string, readonly Descriptor[]> {
  const referring = new Map<string, Descriptor[]>();
  for (const each of attachments) {
    if (each.tag) continue;
    const known = referring.get(each.of) ?? [];
    referring.set(each.of, [...known, bare(each)]);
  }
  return referring;
}

function damagedError(folder: string, { file, found }: DamagedChunk): AtollError {
  return new AtollError('BUNDLE_DAMAGED', `Cannot use "${join(folder, file)}": found ${found}`, {
    hint: `Copy ${file} again from the side that saved it, then run the same command; nothing else is needed`,
    details: { file },
  });
}

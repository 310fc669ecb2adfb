import { createHash } from 'node:crypto';
import { mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import type { PreparedTarget, ResumableTarget, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, parseDigest, splitDigest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { mismatch } from '../../oci/verify.ts';
import { requireFreeSpace } from '../../store/free-space.ts';
import {
  type BundleAttachment,
  type BundleIndex,
  chunkFile,
  encodeIndex,
  INDEX_FILE,
  STATE_FILE,
} from './bundle-index.ts';
import { ChunkFiles, hashFile, sizeOfFile } from './chunk-files.ts';
import { openWriterState, type WriterState } from './writer-state.ts';

/** After so many bytes an unfinished blob is noted, so that little of it has to come again. */
const NOTE_BYTES = 4 * 1024 * 1024;

export interface BundleWriterOptions {
  readonly chunkBytes: number;
  /** Content the other side has, with a repository that holds it where known: it is left out. */
  readonly have?: ReadonlyMap<string, string | undefined> | undefined;
}

type Content = Pick<BundleIndex, 'images' | 'signatures'>;

const ATTACHMENT = /^(?<algorithm>sha256|sha512)-(?<hex>[0-9a-f]+)\.(?:sig|att|sbom)$/;

/**
 * Writes content into a bundle. Each blob has its place in the run of bytes before it comes, so
 * that many can be written at once and an interrupted run goes on where it was, mid-blob.
 */
export class BundleWriter implements Target, ResumableTarget, PreparedTarget {
  readonly #folder: string;
  readonly #options: BundleWriterOptions;
  readonly #state: WriterState;
  readonly #files: ChunkFiles;
  readonly #manifests = new Map<Digest, RawManifest>();
  readonly #base = new Set<Digest>();
  readonly #attachments = new Map<string, BundleAttachment>();

  private constructor(folder: string, options: BundleWriterOptions, state: WriterState) {
    this.#folder = folder;
    this.#options = options;
    this.#state = state;
    this.#files = new ChunkFiles(folder, options.chunkBytes, 'write');
  }

  /** Starts a bundle, or goes on with one that was interrupted. A finished one is refused. */
  static async open(folder: string, options: BundleWriterOptions): Promise<BundleWriter> {
    if ((await sizeOfFile(join(folder, INDEX_FILE))) !== undefined) {
      throw new AtollError(
        'BUNDLE_INVALID',
        `Cannot save to "${folder}": it holds a finished bundle`,
        {
          hint: 'Choose an empty folder; a finished bundle is never overwritten',
        },
      );
    }
    await mkdir(folder, { recursive: true });
    const state = await openWriterState(join(folder, STATE_FILE), options.chunkBytes);
    return new BundleWriter(folder, options, state);
  }

  /** Gives every blob its place, in an order that depends on nothing but the blobs. */
  async prepare(_ctx: Context, blobs: readonly Descriptor[]): Promise<void> {
    const fresh = new Map<Digest, number>();
    for (const blob of blobs) if (!this.#leavesOut(blob)) fresh.set(blob.digest, blob.size);
    const missing = [...fresh].filter(([digest]) => !this.#state.done(digest));
    await requireFreeSpace(
      this.#folder,
      missing.reduce((sum, [, size]) => sum + size, 0),
    );
    for (const [digest, size] of [...fresh].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await this.#state.place(digest, size);
    }
  }

  async has(_ctx: Context, descriptor: Descriptor): Promise<boolean> {
    const { digest } = descriptor;
    if (this.#leavesOut(descriptor)) {
      this.#base.add(digest);
      return true;
    }
    return this.#state.done(digest) || this.#manifests.has(digest);
  }

  async partial(_ctx: Context, { digest }: Descriptor): Promise<number> {
    return this.#state.received(digest);
  }

  putBlob(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    return this.putRest(ctx, blob, 0, chunks);
  }

  async putRest(
    ctx: Context,
    blob: Descriptor,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const region = await this.#state.place(blob.digest, blob.size);
    const { algorithm, hex } = splitDigest(blob.digest);
    const hash = createHash(algorithm);
    for await (const bytes of this.#files.read(ctx, region.offset, offset)) hash.update(bytes);
    let size = offset;
    let noted = offset;
    for await (const bytes of chunks) {
      ctx.signal.throwIfAborted();
      if (size + bytes.length > blob.size)
        throw await this.#refuse(blob, `more than ${blob.size} bytes`);
      hash.update(bytes);
      await this.#files.write(region.offset + size, bytes);
      size += bytes.length;
      if (size - noted >= NOTE_BYTES) {
        noted = size;
        await this.#state.note(blob.digest, size);
      }
    }
    if (size < blob.size)
      throw await this.#refuse(blob, `only ${size} of ${blob.size} bytes`, size);
    if (hash.digest('hex') !== hex) throw await this.#refuse(blob, 'different bytes');
    await this.#files.sync(region.offset, region.size);
    await this.#state.finish(blob.digest);
  }

  /** What is right so far is kept; what is wrong has to come again from its beginning. */
  async #refuse(blob: Descriptor, found: string, keep = 0): Promise<AtollError> {
    await this.#state.note(blob.digest, keep);
    return mismatch(blob, found);
  }

  async putManifest(_ctx: Context, manifest: RawManifest, tag?: string): Promise<void> {
    const { mediaType, digest, size } = manifest.descriptor;
    this.#manifests.set(digest, manifest);
    const named = ATTACHMENT.exec(tag ?? '')?.groups;
    const of = named ? parseDigest(`${named.algorithm}:${named.hex}`) : manifest.subject?.digest;
    if (!of) return;
    const attachment = { of, ...(named ? { tag } : {}), digest, mediaType, size };
    this.#attachments.set(`${of} ${digest} ${tag ?? ''}`, attachment);
  }

  /** Adds the manifests, hashes the chunks and writes the index: only now it is a bundle. */
  async finish(ctx: Context, content: Content): Promise<BundleIndex> {
    const manifests = [...this.#manifests.values()].map(({ descriptor }) => descriptor);
    await this.prepare(ctx, manifests);
    for (const manifest of this.#manifests.values()) await this.#storeManifest(ctx, manifest);
    const blobs = this.#state.finished();
    await this.#files.close();
    const end = blobs.reduce((most, blob) => Math.max(most, blob.offset + blob.size), 0);
    const chunks = await this.#closeChunks(ctx, end);
    const base = [...this.#base].toSorted().map((digest) => {
      const repository = this.#options.have?.get(digest);
      return repository === undefined ? { digest } : { digest, repository };
    });
    const attachments = [...this.#attachments]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, each]) => each);
    const { text, index } = encodeIndex({
      chunkBytes: this.#options.chunkBytes,
      chunks,
      blobs: [...blobs],
      base,
      attachments,
      ...content,
    });
    await writeFileAtomic(join(this.#folder, INDEX_FILE), text);
    await this.#state.close();
    await rm(join(this.#folder, STATE_FILE), { force: true });
    return index;
  }

  /** Leaves what is there for the next run. */
  async close(): Promise<void> {
    await this.#files.close();
    await this.#state.close();
  }

  /** Manifests always come: they are small, and the mirror may need one again under a new tag. */
  #leavesOut({ digest, mediaType }: Descriptor): boolean {
    return !isManifestType(mediaType) && (this.#options.have?.has(digest) ?? false);
  }

  async #storeManifest(ctx: Context, { descriptor, bytes }: RawManifest): Promise<void> {
    if (this.#state.done(descriptor.digest)) return;
    await this.putBlob(ctx, descriptor, once(bytes));
  }

  async #closeChunks(ctx: Context, end: number): Promise<BundleIndex['chunks']> {
    const { chunkBytes } = this.#options;
    const count = Math.ceil(end / chunkBytes);
    const task = { task: 'bundle', title: 'Hash the chunks' };
    ctx.emit({ type: 'task.started', ...task, totalBytes: end });
    let doneBytes = 0;
    const chunks: BundleIndex['chunks'] = [];
    for (let number = 0; number < count; number += 1) {
      const file = chunkFile(number + 1);
      const path = join(this.#folder, file);
      const size = Math.min(chunkBytes, end - number * chunkBytes);
      // A chunk whose end was never written is shorter than its place: fill it up.
      if ((await sizeOfFile(path)) !== size) await truncate(path, size);
      const sha256 = await hashFile(ctx, path, (bytes) => {
        doneBytes += bytes;
      });
      ctx.emit({ type: 'task.progressed', task: 'bundle', doneBytes, totalBytes: end });
      chunks.push({ file, size, sha256 });
    }
    ctx.emit({ type: 'task.finished', ...task, summary: `${count} chunks` });
    return chunks;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

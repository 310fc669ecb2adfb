import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder } from '../../core/files.ts';
import { byFirst } from '../../core/order.ts';
import type { Target, TargetAbilities } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { signedDigest } from '../../oci/referrers.ts';
import { mismatch } from '../../oci/verify.ts';
import { requireFreeSpace } from '../../store/disk/free-space.ts';
import type { LayerDelta } from '../delta/layer-delta.ts';
import { forgetRun, isFinished, unfinish, writeIndexFiles } from './bundle-files.ts';
import {
  type BundleAttachment,
  type BundleContent,
  type BundleIndex,
  encodeIndex,
  INDEX_FILE,
  PREVIOUS_FILE,
  readIndex,
  readIndexFile,
  refuseParts,
  STATE_FILE,
} from './bundle-index.ts';
import type { Signer } from './bundle-signature.ts';
import { ChunkFiles, sizeOfFile } from './chunk-files.ts';
import { closeChunks } from './close-chunks.ts';
import { joinIndex } from './join-index.ts';
import { NoteClock } from './note-clock.ts';
import { openWriterState, type WriterState } from './writer-state.ts';

export interface BundleWriterOptions {
  readonly chunkBytes: number;
  /** Content the other side has, with a repository that holds it where known: it is left out. */
  readonly have?: ReadonlyMap<string, string | undefined> | undefined;
  /** Ids of the bundles `have` comes from. */
  readonly since?: readonly string[] | undefined;
}

export interface FinishOptions {
  readonly signer?: Signer | undefined;
  /** A repository that needs a blob, by digest. */
  readonly repositories?: ReadonlyMap<string, string> | undefined;
  /** Says what is in the bundle. A run that is killed before it was told can go on. */
  readonly tell?: (() => Promise<void>) | undefined;
}

/**
 * Writes content into a bundle. Each blob has its place in the run of bytes before it comes, so
 * that many can be written at once and an interrupted run goes on where it was, mid-blob.
 */
export class BundleWriter implements Target {
  readonly can: TargetAbilities = {
    resume: this,
    prepare: (ctx, blobs) => this.prepare(ctx, blobs),
  };
  readonly #folder: string;
  readonly #options: BundleWriterOptions;
  readonly #state: WriterState;
  readonly #files: ChunkFiles;
  /** What the bundle was before it began to grow. */
  readonly #previous: BundleIndex | undefined;
  readonly #manifests = new Map<Digest, RawManifest>();
  readonly #base = new Set<Digest>();
  readonly #attachments = new Map<string, BundleAttachment>();

  private constructor(
    folder: string,
    options: BundleWriterOptions,
    state: WriterState,
    previous?: BundleIndex,
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#state = state;
    this.#previous = previous;
    this.#files = new ChunkFiles(folder, options.chunkBytes, 'write');
  }

  /** Starts a bundle, or goes on with one that was interrupted or is partial. One that is whole is refused. */
  static async open(folder: string, options: BundleWriterOptions): Promise<BundleWriter> {
    if (await isFinished(folder)) {
      if ((await readIndex(folder)).missing) return await BundleWriter.grow(folder);
      throw new AtollError(
        'BUNDLE_INVALID',
        `Cannot save to "${folder}": it holds a finished bundle`,
        {
          hint: 'Choose an empty folder; a finished bundle is never overwritten',
        },
      );
    }
    await makeFolder(folder);
    const state = await openWriterState(join(folder, STATE_FILE), options.chunkBytes);
    await unfinish(folder);
    return new BundleWriter(folder, options, state);
  }

  /** Starts a bundle, or adds to the one that is there. */
  static async openOrGrow(folder: string, options: BundleWriterOptions): Promise<BundleWriter> {
    const grew = (await sizeOfFile(join(folder, PREVIOUS_FILE))) !== undefined;
    return grew || (await isFinished(folder))
      ? BundleWriter.grow(folder)
      : BundleWriter.open(folder, options);
  }

  /** Opens a finished bundle to add to it. Until it is finished again it is none. */
  static async grow(folder: string): Promise<BundleWriter> {
    const before = join(folder, PREVIOUS_FILE);
    // With an index it is finished, whatever an interrupted run has left beside it.
    const interrupted =
      (await sizeOfFile(join(folder, INDEX_FILE))) === undefined &&
      (await sizeOfFile(before)) !== undefined;
    await refuseParts(folder);
    const previous = interrupted ? await readIndexFile(before) : await readIndex(folder);
    const { chunkBytes, base, since } = previous;
    if (!interrupted) await copyFile(join(folder, INDEX_FILE), before);
    const state = await openWriterState(join(folder, STATE_FILE), chunkBytes);
    await state.adopt(previous.blobs);
    await state.addDeltas(previous.deltas ?? []);
    await unfinish(folder);
    const have = new Map(base.map((each) => [each.digest, each.repository]));
    return new BundleWriter(folder, { chunkBytes, have, since }, state, previous);
  }

  /** Gives every blob its place, in an order that depends on nothing but the blobs. */
  async prepare(_ctx: Context, blobs: readonly Descriptor[]): Promise<void> {
    const fresh = new Map<Digest, number>();
    for (const blob of blobs) if (!this.#isElsewhere(blob)) fresh.set(blob.digest, blob.size);
    const missing = [...fresh].filter(([digest]) => !this.#state.done(digest));
    const neededBytes = missing.reduce(
      (sum, [digest, size]) => sum + size - this.#state.received(digest),
      0,
    );
    await requireFreeSpace(this.#folder, neededBytes);
    await this.#state.placeAll([...fresh].toSorted(byFirst));
  }

  async has(_ctx: Context, descriptor: Descriptor): Promise<boolean> {
    const { digest } = descriptor;
    if (this.#leavesOut(descriptor)) {
      this.#base.add(digest);
      return true;
    }
    return this.#isElsewhere(descriptor) || this.#state.done(digest) || this.#manifests.has(digest);
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
    const clock = new NoteClock(offset);
    for await (const bytes of chunks) {
      ctx.signal.throwIfAborted();
      if (size + bytes.length > blob.size)
        throw await this.#refuse(blob, `more than ${blob.size} bytes`);
      hash.update(bytes);
      await this.#files.write(region.offset + size, bytes);
      size += bytes.length;
      if (clock.isDue(size)) await this.#state.note(blob.digest, size);
    }
    if (size < blob.size)
      throw await this.#refuse(blob, `only ${size} of ${blob.size} bytes`, size);
    if (hash.digest('hex') !== hex) throw await this.#refuse(blob, 'different bytes');
    await this.#state.finish(blob.digest);
  }

  /** Whether a layer is here as a delta, of this run or of one before it. */
  delta(digest: Digest): LayerDelta | undefined {
    return this.#state.delta(digest);
  }

  /** Carries a layer as a delta: from now on the layer itself counts as being here. */
  async putDelta(
    ctx: Context,
    delta: LayerDelta,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const blob = { ...delta.delta, mediaType: '' };
    await requireFreeSpace(this.#folder, blob.size);
    if (!this.#state.done(blob.digest)) await this.putBlob(ctx, blob, chunks);
    await this.#state.addDeltas([delta]);
  }

  /** What is right so far is kept; what is wrong has to come again from its beginning. */
  async #refuse(blob: Descriptor, found: string, keep = 0): Promise<AtollError> {
    await this.#state.note(blob.digest, keep);
    return mismatch(blob, found);
  }

  async putManifest(_ctx: Context, manifest: RawManifest, tag?: string): Promise<void> {
    const { mediaType, digest, size } = manifest.descriptor;
    this.#manifests.set(digest, manifest);
    const named = signedDigest(tag ?? '');
    const of = named ?? manifest.subject?.digest;
    if (!of) return;
    const attachment = { of, ...(named ? { tag } : {}), digest, mediaType, size };
    this.#attachments.set(`${of} ${digest} ${tag ?? ''}`, attachment);
  }

  /** Whether it holds images already, of the bundle that it grows from. */
  get isGrowing(): boolean {
    return (this.#previous?.images.length ?? 0) > 0;
  }

  /** The manifests that came in this run. */
  get manifests(): ReadonlyMap<Digest, RawManifest> {
    return this.#manifests;
  }

  /** Adds the manifests, hashes the chunks and writes the index: only now it is a bundle. */
  async finish(
    ctx: Context,
    content: BundleContent,
    options: FinishOptions = {},
  ): Promise<BundleIndex> {
    const manifests = [...this.#manifests.values()];
    await this.prepare(
      ctx,
      manifests.map(({ descriptor }) => descriptor),
    );
    for (const manifest of manifests) await this.#storeManifest(ctx, manifest);
    await this.#files.close();
    const blobs = this.#state.finished().map((blob) => {
      const repository = options.repositories?.get(blob.digest);
      return repository === undefined ? blob : { ...blob, repository };
    });
    const deltas = this.#state.deltas().map((delta) => {
      const repository = options.repositories?.get(delta.digest);
      return repository === undefined ? delta : { ...delta, repository };
    });
    const { chunkBytes, since = [] } = this.#options;
    const { text, index } = encodeIndex(
      joinIndex(this.#previous, {
        chunkBytes,
        chunks: await closeChunks(ctx, this.#folder, chunkBytes, blobs, this.#previous),
        blobs,
        ...(deltas.length > 0 ? { deltas } : {}),
        since: [...since],
        base: this.#baseEntries(),
        attachments: [...this.#attachments.values()],
        ...content,
      }),
    );
    const signature = await options.signer?.(text, ctx.now());
    await writeIndexFiles(this.#folder, { index, text, signature });
    await options.tell?.();
    await this.#state.close();
    await forgetRun(this.#folder);
    return index;
  }

  /** Leaves what is there for the next run. */
  async close(): Promise<void> {
    await this.#files.close();
    await this.#state.close();
  }

  #baseEntries(): BundleIndex['base'] {
    return [...this.#base].map((digest) => {
      const repository = this.#options.have?.get(digest);
      return repository === undefined ? { digest } : { digest, repository };
    });
  }

  /** Manifests always come: they are small, and the mirror may need one again under a new tag. */
  #leavesOut({ digest, mediaType }: Descriptor): boolean {
    return !isManifestType(mediaType) && (this.#options.have?.has(digest) ?? false);
  }

  #isElsewhere(descriptor: Descriptor): boolean {
    return this.#leavesOut(descriptor) || this.#state.delta(descriptor.digest) !== undefined;
  }

  async #storeManifest(ctx: Context, { descriptor, bytes }: RawManifest): Promise<void> {
    if (this.#state.done(descriptor.digest)) return;
    await this.putBlob(ctx, descriptor, once(bytes));
  }
}

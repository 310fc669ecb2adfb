import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createPool, type Pool } from '../../core/pool.ts';
import type { Source, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import type { Reference } from '../../oci/reference.ts';
import { verified } from '../../oci/verify.ts';
import { requireFreeSpace } from '../../store/disk/free-space.ts';
import { readRange } from '../bundle/chunk-files.ts';
import type { DeltaSource } from './apply-delta.ts';
import type { LayerDelta } from './layer-delta.ts';
import { isThere } from './make-layer-delta.ts';
import { type Rebuild, rebuildHere } from './rebuild-job.ts';
import { WORD } from './symbols.ts';
import { writeChunks } from './unpack-layer.ts';

export interface RebuilderOptions {
  /** Where layers are put together; what an interrupted run has finished is used again. */
  readonly folder: string;
  readonly deltas: readonly LayerDelta[];
  readonly openDelta: (ctx: Context, delta: LayerDelta) => DeltaSource;
  /** The repository of the mirror that has the older layers. */
  readonly oldLayers: (
    target: Reference,
    repository: string | undefined,
  ) => Source & Pick<Target, 'has'>;
  /** How layers are compressed in processes of their own, several at once; without it one after the other, here. */
  readonly rebuild?: Rebuild | undefined;
}

/** Memory and processor for one at a time: the others are uploaded meanwhile. */
const AT_ONCE = 1;
/** What a process takes at most while it rebuilds a layer, and as much for the files it reads. */
const PROCESS_BYTES = 512 * 1024 * 1024;

/** As many processes as there are processors, and memory for them. */
const processesAtOnce = (): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / PROCESS_BYTES)));

/** Puts layers that are carried as deltas together again, when they are asked for. */
export class Rebuilder {
  readonly #options: RebuilderOptions;
  readonly #deltas: ReadonlyMap<string, LayerDelta>;
  readonly #pool: Pool;
  readonly #made = new Map<string, Promise<string>>();

  constructor(ctx: Context, options: RebuilderOptions) {
    this.#options = options;
    this.#deltas = new Map(options.deltas.map((delta) => [delta.digest, delta]));
    this.#pool = createPool(ctx, options.rebuild ? processesAtOnce() : AT_ONCE);
  }

  /** The same source, with these layers in it. */
  before(source: Source, target: Reference): Source {
    if (this.#deltas.size === 0) return source;
    return {
      resolve: (ctx, tagOrDigest) => source.resolve(ctx, tagOrDigest),
      manifest: (ctx, descriptor) => source.manifest(ctx, descriptor),
      blob: (ctx, blob, offset) => {
        const delta = this.#deltas.get(blob.digest);
        return delta ? this.#read(ctx, delta, target, offset) : source.blob(ctx, blob, offset);
      },
      location: source.location,
      can: source.can,
    };
  }

  /** The mirror has this layer: it need not be kept here. */
  async delivered({ digest }: Pick<Descriptor, 'digest'>): Promise<void> {
    if (!this.#deltas.has(digest)) return;
    this.#made.delete(digest);
    await rm(this.#path(digest), { force: true });
  }

  async clear(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async *#read(
    ctx: Context,
    delta: LayerDelta,
    target: Reference,
    offset = 0,
  ): AsyncGenerator<Uint8Array> {
    const known = this.#made.get(delta.digest) ?? this.#queue(ctx, delta, target);
    this.#made.set(delta.digest, known);
    yield* readRange(ctx, await known, offset);
  }

  #queue(ctx: Context, delta: LayerDelta, target: Reference): Promise<string> {
    const made = this.#pool.run('', () => this.#make(ctx, delta, target));
    made.catch(() => this.#made.delete(delta.digest));
    return made;
  }

  async #make(ctx: Context, delta: LayerDelta, target: Reference): Promise<string> {
    const path = this.#path(delta.digest);
    if (await isThere(ctx, { ...delta, mediaType: '' }, path)) return path;
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    await requireFreeSpace(this.#options.folder, spaceFor(delta));
    const [base, carried, partial] = [`${path}.base`, `${path}.delta`, `${path}.partial`];
    try {
      await this.#fetchBase(ctx, delta, target, base);
      const { size } = delta.delta;
      await writeChunks(carried, this.#options.openDelta(ctx, delta).read(0, size));
      const { rebuild = rebuildHere } = this.#options;
      await rebuild(ctx, { layer: delta, base, delta: carried, to: partial });
      await rename(partial, path);
      return path;
    } catch (error) {
      throw error instanceof RangeError ? unusable(delta, error) : error;
    } finally {
      for (const file of [base, carried, partial, `${partial}.old`])
        await rm(file, { force: true });
    }
  }

  /** The old layer is verified as it comes: nothing is built on other bytes. */
  async #fetchBase(
    ctx: Context,
    { digest, base }: LayerDelta,
    target: Reference,
    path: string,
  ): Promise<void> {
    const repository = this.#options.oldLayers(target, base.repository);
    if (!(await repository.has(ctx, base))) throw baseMissing(digest, base.digest);
    await writeChunks(path, verified(base, repository.blob(ctx, base)));
  }

  #path(digest: Digest): string {
    return join(this.#options.folder, splitDigest(digest).hex);
  }
}

/**
 * Both layers, what is carried, and the old tar, which grows about as much when it is unpacked as the new one; symbols
 * take a word for a byte, mostly less.
 */
function spaceFor({ size, tarSize, base, delta, recompress }: LayerDelta): number {
  const growth = recompress.program === 'symbols' ? WORD : tarSize / size;
  return Math.round(size + delta.size + base.size * (1 + growth));
}

function baseMissing(digest: string, base: string): AtollError {
  return new AtollError(
    'BUNDLE_BASE_MISSING',
    `Cannot rebuild ${digest}: the mirror does not have ${base}, from which it is made`,
    {
      hint: 'Load the bundle this one builds on first, or save again with --have of this mirror, or with --no-delta',
      details: { digest, base },
    },
  );
}

function unusable({ digest }: LayerDelta, cause: Error): AtollError {
  return new AtollError('LAYER_INVALID', `Cannot rebuild ${digest}: ${cause.message}`, {
    hint: 'Save again with --no-delta: then this layer is carried whole',
    details: { digest },
    cause,
  });
}

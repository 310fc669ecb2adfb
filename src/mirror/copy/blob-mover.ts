import type { Context } from '../../core/context.ts';
import { attemptFailed, type RetryPolicy } from '../../core/retry.ts';
import type { Transfer } from '../../oci/bulk.ts';
import type { Concurrency } from './concurrency.ts';
import {
  candidateAt,
  type DestinationRepository,
  type MountCandidate,
  type SourceRepository,
} from './copy-repositories.ts';
import type { BlobTotals, CopyOptions } from './job.ts';
import type { PlannedBlob } from './plan.ts';
import { transferBlob } from './transfer.ts';
import { TransferQueue } from './transfer-queue.ts';

/** Bytes moved for one image. A shared blob counts for the image that asked first. */
export interface ImageBytes {
  copiedBytes: number;
}

/** How far one blob is in one registry or store. */
interface BlobState {
  /** Known from planning, or once the first transfer is done. */
  candidate: MountCandidate | undefined;
  /** The transfer after which the others can mount, while it runs. */
  first: Promise<unknown> | undefined;
  readonly sent: Map<string, Promise<void>>;
  readonly resent: Map<string, Promise<void>>;
}

/** One blob on its way to one repository, for one image. */
interface Move {
  readonly blob: PlannedBlob;
  readonly to: DestinationRepository;
  readonly bytes: ImageBytes;
}

export interface MoverOptions {
  readonly concurrency: Concurrency;
  readonly retry: RetryPolicy;
  readonly delivered: CopyOptions['delivered'];
  readonly onProgress: (bytes: number) => void;
  /** Bytes that need not move, because they are there. */
  readonly onThere: (bytes: number) => void;
}

/** Moves each blob to each registry or store once; other repositories there mount it. */
export class BlobMover {
  readonly totals: { -readonly [K in keyof BlobTotals]: number } = {
    copied: 0,
    mounted: 0,
    reused: 0,
    copiedBytes: 0,
    mountedBytes: 0,
    reusedBytes: 0,
  };
  readonly #ctx: Context;
  readonly #options: MoverOptions;
  readonly #queue: TransferQueue;
  readonly #states = new Map<string, BlobState>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(ctx: Context, options: MoverOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#queue = new TransferQueue(ctx, (group) => options.concurrency.limitOf(group));
  }

  ensure(move: Move): Promise<void> {
    const state = this.#stateOf(move);
    return this.#once(state.sent, move, () => this.#move(move, state));
  }

  /** Sends a blob that should be there, because the target says that it is not. */
  resend(move: Move): Promise<void> {
    const { resent } = this.#stateOf(move);
    return this.#once(resent, move, () => this.#transfer(move, true));
  }

  /** Resolves when nothing is under way: after a stop, another run may then begin. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #stateOf({ to, blob: { descriptor, candidate } }: Move): BlobState {
    const key = `${to.group.name} ${descriptor.digest} ${descriptor.size}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state = { candidate, first: undefined, sent: new Map(), resent: new Map() };
    this.#states.set(key, state);
    return state;
  }

  /** Work that several images wait for. After a failure another image may have a source that works. */
  #once(
    known: Map<string, Promise<void>>,
    { to: { key } }: Move,
    work: () => Promise<void>,
  ): Promise<void> {
    const running = known.get(key);
    if (running) return running;
    const started = work();
    known.set(key, started);
    this.#underWay.add(started);
    started.finally(() => this.#underWay.delete(started)).catch(() => known.delete(key));
    return started;
  }

  async #move(move: Move, state: BlobState): Promise<void> {
    while (state.candidate || state.first) {
      const { candidate } = state;
      if (!candidate) await state.first?.catch(() => undefined);
      else if (await this.#takeFrom(candidate, move)) return;
      else if (state.candidate === candidate) state.candidate = undefined;
    }
    state.first = this.#transfer(move);
    try {
      await state.first;
      state.candidate = candidateAt(move.to);
    } finally {
      state.first = undefined;
    }
  }

  /** False when the other repository cannot give the blob, though it should have it. */
  async #takeFrom(candidate: MountCandidate, move: Move): Promise<boolean> {
    const { blob } = move;
    const from = candidate.from ?? blob.sources[0];
    if (!from) return false;
    try {
      await this.#transferFrom(from, move, { candidate });
      return true;
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      this.#tellFailure(blob, 1, 1 + blob.sources.length, error);
      return false;
    }
  }

  /** Asks one source after the other. */
  async #transfer(move: Move, absent = false): Promise<void> {
    const { blob } = move;
    const { sources } = blob;
    for (const [index, from] of sources.entries()) {
      try {
        await this.#transferFrom(from, move, { absent });
        return;
      } catch (error) {
        if (this.#ctx.signal.aborted || index === sources.length - 1) throw error;
        this.#tellFailure(blob, index + 1, sources.length, error);
      }
    }
  }

  async #transferFrom(
    from: SourceRepository,
    move: Move,
    how: { readonly candidate?: MountCandidate; readonly absent?: boolean },
  ): Promise<void> {
    const { blob, to } = move;
    const { candidate, absent = false } = how;
    const { descriptor } = blob;
    // What was to be mounted is not part of the total.
    const counts = !candidate && !blob.candidate;
    // A mount moves no bytes, so it does not count at the source.
    const groups = candidate ? [to.group] : [from.group, to.group];
    let moved = 0;
    const onProgress = (count: number) => {
      moved += count;
      if (counts) this.#options.onProgress(count);
    };
    const transfer = await this.#queue.run(groups, descriptor.size, () =>
      transferBlob(this.#ctx, {
        blob: descriptor,
        target: to.target,
        source: from.source,
        mountFrom: candidate?.repository,
        absent,
        retry: this.#options.retry,
        onProgress,
      }),
    );
    if (counts) this.#options.onThere(descriptor.size - moved);
    const isHere = transfer === 'mounted' && candidate?.repository === to.repository;
    this.#record(isHere ? 'reused' : transfer, move, candidate?.repository);
    await this.#options.delivered?.(descriptor);
  }

  #record(transfer: Transfer, { blob, bytes }: Move, from = ''): void {
    const { digest, size: sizeBytes } = blob.descriptor;
    this.totals[transfer] += 1;
    this.totals[`${transfer}Bytes`] += sizeBytes;
    if (transfer === 'copied') bytes.copiedBytes += sizeBytes;
    if (transfer === 'mounted') this.#ctx.emit({ type: 'blob.mounted', digest, sizeBytes, from });
    else this.#ctx.emit({ type: `blob.${transfer}`, digest, sizeBytes });
  }

  #tellFailure(blob: PlannedBlob, attempt: number, attempts: number, error: unknown): void {
    const operation = `copy ${blob.descriptor.digest}`;
    attemptFailed(this.#ctx, { operation, attempt, attempts, delayMs: 0 }, error);
  }
}

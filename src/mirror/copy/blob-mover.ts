import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Transfer } from '../../remote/bulk.ts';
import { isSource } from './capabilities.ts';
import type { BlobTotals } from './job.ts';
import type { Pace } from './pace.ts';
import type { Origin, Place } from './place.ts';
import type { PlannedBlob } from './plan.ts';
import { Slots } from './slots.ts';
import { transferBlob } from './transfer.ts';

/** Who asked for a blob; bytes that are moved count for the first who did. */
export interface Account {
  copiedBytes: number;
}

/** How a blob stands in one group of places. */
interface BlobState {
  /** A place that has it: from the beginning, or once the first transfer is done. */
  home: Place | undefined;
  /** The transfer that will make a home, while it runs. */
  first: Promise<unknown> | undefined;
  readonly inPlace: Map<string, Promise<void>>;
  readonly resent: Map<string, Promise<void>>;
}

type Tally = { -readonly [K in keyof BlobTotals]: number };

/** Moves each blob to each group of places once; everywhere else in the group it is mounted. */
export class BlobMover {
  readonly totals: Tally = {
    copied: 0,
    mounted: 0,
    reused: 0,
    copiedBytes: 0,
    mountedBytes: 0,
    reusedBytes: 0,
  };
  readonly #ctx: Context;
  readonly #slots: Slots;
  readonly #onProgress: (bytes: number) => void;
  readonly #states = new Map<string, BlobState>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(ctx: Context, pace: Pace, onProgress: (bytes: number) => void) {
    this.#ctx = ctx;
    this.#slots = new Slots(ctx, (group) => pace.limitOf(group));
    this.#onProgress = onProgress;
  }

  ensure(place: Place, blob: PlannedBlob, account: Account): Promise<void> {
    const state = this.#stateOf(place, blob);
    const known = state.inPlace.get(place.key);
    if (known) return known;
    const moved = this.#move(place, blob, state, account);
    state.inPlace.set(place.key, moved);
    this.#underWay.add(moved);
    moved
      .finally(() => this.#underWay.delete(moved))
      // Another image may have a source that works.
      .catch(() => state.inPlace.delete(place.key));
    return moved;
  }

  /** Sends a blob that should be there, because the target says that it is not. */
  async resend(place: Place, blob: PlannedBlob, account: Account): Promise<void> {
    const state = this.#stateOf(place, blob);
    const sent =
      state.resent.get(place.key) ?? this.#transfer(place, blob, undefined, account, true);
    state.resent.set(place.key, sent);
    await sent;
  }

  /** Resolves when nothing is under way: after a stop, another run may then begin. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #stateOf(place: Place, { descriptor, home }: PlannedBlob): BlobState {
    const key = `${place.group} ${descriptor.digest} ${descriptor.size}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state: BlobState = {
      home,
      first: undefined,
      inPlace: new Map(),
      resent: new Map(),
    };
    this.#states.set(key, state);
    return state;
  }

  async #move(place: Place, blob: PlannedBlob, state: BlobState, account: Account): Promise<void> {
    while (!state.home && state.first) await state.first.catch(() => undefined);
    if (state.home) {
      await this.#transfer(place, blob, state.home, account);
      return;
    }
    state.first = this.#transfer(place, blob, undefined, account);
    try {
      await state.first;
      state.home = place;
    } finally {
      state.first = undefined;
    }
  }

  /** Asks one source after the other. A neighbour that has the blob spares the one upstream. */
  async #transfer(
    place: Place,
    blob: PlannedBlob,
    home: Place | undefined,
    account: Account,
    absent = false,
  ): Promise<void> {
    const near = home && isSource(home.target) ? [originAt(home, home.target)] : [];
    const origins = [...near, ...blob.origins];
    for (const [index, origin] of origins.entries()) {
      try {
        await this.#transferFrom(origin, place, blob, home, account, absent);
        return;
      } catch (error) {
        if (this.#ctx.signal.aborted || index === origins.length - 1) throw error;
        this.#tellFailure(blob, index + 1, origins.length, error);
      }
    }
  }

  async #transferFrom(
    origin: Origin,
    place: Place,
    blob: PlannedBlob,
    home: Place | undefined,
    account: Account,
    absent: boolean,
  ): Promise<void> {
    const { descriptor } = blob;
    // A mount moves no bytes, so it does not count against where they would come from.
    const groups = home ? [place.group] : [origin.group, place.group];
    let moved = 0;
    const onProgress = (bytes: number) => {
      moved += bytes;
      if (!home) this.#onProgress(bytes);
    };
    const transfer = await this.#slots.run(groups, descriptor.size, () =>
      transferBlob(this.#ctx, {
        blob: descriptor,
        target: place.target,
        source: origin.source,
        mountFrom: home?.repository,
        absent,
        onProgress,
      }),
    );
    if (!home) this.#onProgress(descriptor.size - moved);
    const isHere = transfer === 'mounted' && home?.key === place.key;
    this.#record(isHere ? 'reused' : transfer, blob, home, account);
  }

  #record(transfer: Transfer, blob: PlannedBlob, home: Place | undefined, account: Account): void {
    const { digest, size } = blob.descriptor;
    this.totals[transfer] += 1;
    this.totals[`${transfer}Bytes`] += size;
    if (transfer === 'copied') account.copiedBytes += size;
    if (transfer === 'mounted') {
      const from = home?.repository ?? '';
      this.#ctx.emit({ type: 'blob.mounted', digest, sizeBytes: size, from });
    } else {
      this.#ctx.emit({ type: `blob.${transfer}`, digest, sizeBytes: size });
    }
  }

  #tellFailure(blob: PlannedBlob, attempt: number, attempts: number, error: unknown): void {
    this.#ctx.emit({
      type: 'attempt.failed',
      operation: `copy ${blob.descriptor.digest}`,
      attempt,
      attempts,
      delayMs: 0,
      message: messageOf(error),
    });
  }
}

function originAt(home: Place, source: Origin['source']): Origin {
  return { source, group: home.group, key: home.key };
}

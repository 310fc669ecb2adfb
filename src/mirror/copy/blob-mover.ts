import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Transfer } from '../../remote/bulk.ts';
import type { BlobTotals, CopyOptions } from './job.ts';
import type { Pace } from './pace.ts';
import { type Home, homeAt, type Origin, type Place } from './place.ts';
import type { PlannedBlob } from './plan.ts';
import { Slots } from './slots.ts';
import { transferBlob } from './transfer.ts';

/** Who asked for a blob; bytes that are moved count for the first who did. */
export interface Account {
  copiedBytes: number;
}

/** How a blob stands in one group of places. */
interface BlobState {
  /** Who has it: from the beginning, or once the first transfer is done. */
  home: Home | undefined;
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
  readonly #delivered: CopyOptions['delivered'];
  readonly #onProgress: (bytes: number) => void;
  readonly #states = new Map<string, BlobState>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    ctx: Context,
    pace: Pace,
    delivered: CopyOptions['delivered'],
    onProgress: (bytes: number) => void,
  ) {
    this.#ctx = ctx;
    this.#delivered = delivered;
    this.#slots = new Slots(ctx, (group) => pace.limitOf(group));
    this.#onProgress = onProgress;
  }

  ensure(place: Place, blob: PlannedBlob, account: Account): Promise<void> {
    const state = this.#stateOf(place, blob);
    return this.#once(state.inPlace, place, () => this.#move(place, blob, state, account));
  }

  /** Sends a blob that should be there, because the target says that it is not. */
  resend(place: Place, blob: PlannedBlob, account: Account): Promise<void> {
    const { resent } = this.#stateOf(place, blob);
    return this.#once(resent, place, () => this.#transfer(place, blob, account, true));
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

  /** Work that several images wait for. After a failure another one may have a source that works. */
  #once(
    known: Map<string, Promise<void>>,
    { key }: Place,
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

  async #move(place: Place, blob: PlannedBlob, state: BlobState, account: Account): Promise<void> {
    while (state.home || state.first) {
      const { home } = state;
      if (!home) await state.first?.catch(() => undefined);
      else if (await this.#takeFrom(home, place, blob, account)) return;
      else if (state.home === home) state.home = undefined;
    }
    state.first = this.#transfer(place, blob, account);
    try {
      await state.first;
      state.home = homeAt(place);
    } finally {
      state.first = undefined;
    }
  }

  /** False when a neighbour cannot give the blob, though it should have it. */
  async #takeFrom(home: Home, place: Place, blob: PlannedBlob, account: Account): Promise<boolean> {
    const origin = home.origin ?? blob.origins[0];
    if (!origin) return false;
    try {
      await this.#transferFrom(origin, place, blob, account, { home });
      return true;
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      this.#tellFailure(blob, 1, 1 + blob.origins.length, error);
      return false;
    }
  }

  /** Asks one source after the other. */
  async #transfer(
    place: Place,
    blob: PlannedBlob,
    account: Account,
    absent = false,
  ): Promise<void> {
    const { origins } = blob;
    for (const [index, origin] of origins.entries()) {
      try {
        await this.#transferFrom(origin, place, blob, account, { absent });
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
    account: Account,
    { home, absent = false }: { readonly home?: Home; readonly absent?: boolean },
  ): Promise<void> {
    const { descriptor } = blob;
    // What was to be mounted is not among the bytes that were promised.
    const counts = !home && !blob.home;
    // A mount moves no bytes, so it does not count against where they would come from.
    const groups = home ? [place.group] : [origin.group, place.group];
    let moved = 0;
    const onProgress = (bytes: number) => {
      moved += bytes;
      if (counts) this.#onProgress(bytes);
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
    if (counts) this.#onProgress(descriptor.size - moved);
    const isHere = transfer === 'mounted' && home?.repository === place.repository;
    this.#record(isHere ? 'reused' : transfer, blob, home, account);
    await this.#delivered?.(descriptor);
  }

  #record(transfer: Transfer, blob: PlannedBlob, home: Home | undefined, account: Account): void {
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

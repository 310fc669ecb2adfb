import type { ChunkSink } from '../core/chunk-sink.ts';
import { systemCodeOf } from '../core/errors.ts';
import { onAbort } from '../core/on-abort.ts';
import { type Connection, CutError, type Receiver } from './connection.ts';
import { type Deferred, deferred } from './deferred.ts';
import type { ResponseHead } from './response-head.ts';

interface Held {
  readonly bytes: Uint8Array;
  readonly release: () => void;
}

export interface ExchangeOwner {
  /** The answer is whole or has failed. */
  readonly over: (reusable: boolean) => void;
  /** Turns what went wrong on the wire into an error with a name. Errors of sinks stay as they are. */
  readonly explain: (cause: unknown) => unknown;
}

/** One request and its answer on one connection. The caller has to consume or cancel the body. */
export class HttpExchange implements Receiver {
  readonly #connection: Connection;
  readonly #owner: ExchangeOwner;
  readonly #stopWaiting: () => void;
  readonly #queue: Held[] = [];
  readonly #head = deferred<ResponseHead>();
  #sink: ChunkSink | undefined;
  #window = 1;
  #running = 0;
  #ended = false;
  #failure: { readonly error: unknown; readonly cause: unknown } | undefined;
  #pumping: Deferred<void> | undefined;
  #answered = false;
  #refused = false;

  constructor(signal: AbortSignal, connection: Connection, owner: ExchangeOwner) {
    this.#connection = connection;
    this.#owner = owner;
    this.#stopWaiting = onAbort(signal, () => connection.destroy(signal.reason));
    // Read later, or never when the request itself fails first.
    this.#head.promise.catch(() => undefined);
  }

  get answer(): Promise<ResponseHead> {
    return this.#head.promise;
  }

  /** Whether the answer has begun, possibly before the request was whole. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Whether the sink ended it, not the peer. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Whether the peer hung up without a word. */
  get unheard(): boolean {
    if (this.#answered || !this.#failure) return false;
    const { cause } = this.#failure;
    return cause instanceof CutError || ['ECONNRESET', 'EPIPE'].includes(systemCodeOf(cause) ?? '');
  }

  /** Whether the whole body has come and been taken; most answers have none. */
  get consumed(): boolean {
    return this.#ended && this.#running === 0 && this.#queue.length === 0;
  }

  get full(): boolean {
    return this.#sink ? this.#running >= this.#window : this.#queue.length > 0;
  }

  head(head: ResponseHead): void {
    this.#answered = true;
    this.#head.resolve(head);
  }

  chunk(bytes: Uint8Array, release: () => void): void {
    this.#queue.push({ bytes, release });
    this.#advance();
  }

  end(reusable: boolean): void {
    this.#ended = true;
    this.#leave(reusable);
    this.#advance();
  }

  fail(cause: unknown): void {
    const error = this.#owner.explain(cause);
    this.#failure ??= { error, cause };
    this.#leave(false);
    this.#head.reject(error);
    this.#drop();
    this.#settle();
  }

  /** Feeds the body to the sink, with at most `window` unsettled calls. */
  pump(sink: ChunkSink, window: number): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#sink = sink;
    this.#window = window;
    this.#pumping = deferred();
    this.#advance();
    if (!this.full) this.#connection.resume();
    return this.#pumping.promise;
  }

  cancel(error: unknown = new CutError(true)): void {
    if (this.#ended) this.#drop();
    else this.#connection.destroy(error);
  }

  #leave(reusable: boolean): void {
    this.#stopWaiting();
    this.#owner.over(reusable);
  }

  #drop(): void {
    for (const held of this.#queue.splice(0)) held.release();
  }

  #advance(): void {
    while (this.#sink && this.#running < this.#window) {
      const held = this.#queue.shift();
      if (!held) break;
      this.#run(this.#sink, held);
    }
    if (this.consumed) this.#pumping?.resolve();
  }

  #run(sink: ChunkSink, { bytes, release }: Held): void {
    let taken: ReturnType<ChunkSink>;
    try {
      taken = sink(bytes);
    } catch (error) {
      release();
      this.#refuse(error);
      return;
    }
    if (!taken) {
      release();
      return;
    }
    this.#running += 1;
    taken.then(
      () => this.#taken(release),
      (error: unknown) => {
        release();
        this.#running -= 1;
        this.#refuse(error);
      },
    );
  }

  #taken(release: () => void): void {
    release();
    this.#running -= 1;
    this.#advance();
    this.#settle();
    // Not at once: stopping and starting for every chunk costs more than it moves.
    if (this.#running <= this.#window >> 1 && !this.#ended) this.#connection.resume();
  }

  /** A cut is told only after all calls of the sink have settled: one of them may have failed first. */
  #settle(): void {
    if (this.#failure && this.#running === 0) this.#pumping?.reject(this.#failure.error);
  }

  /** The sink does not want it: nothing more is read, and the pump ends with the sink's own error. */
  #refuse(error: unknown): void {
    this.#refused = true;
    this.#pumping?.reject(error);
    this.#sink = undefined;
    this.cancel(error);
  }
}

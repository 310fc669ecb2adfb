/** Read buffers that go round: a gigabyte passes through a handful of them. */
export interface Buffers {
  take(): Buffer;
  give(buffer: Buffer): void;
}

export function createBuffers(bytes: number, keep: number): Buffers {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    give(buffer) {
      if (free.length < keep) free.push(buffer);
    },
  };
}

/** Bytes that were read, and how to give their memory back. */
export interface Landed {
  readonly bytes: Buffer;
  readonly release: () => void;
}

interface Shared {
  readonly buffer: Buffer;
  readonly home: Buffers;
  /** Pieces in use, and one for the reader while more may land here. */
  users: number;
}

/**
 * Where reads land. Small ones are laid side by side, so that they can go on as one.
 *
 * A socket is told where its next read goes right after the last one, long before it happens. So
 * collecting never moves that place: only asking for the next one does.
 */
export class Landing {
  readonly #buffersFor: (expected: number) => Buffers;
  readonly #leastRoom: number;
  #current: Shared | undefined;
  #start = 0;
  #end = 0;

  /** A buffer with less room than `leastRoom` takes no further read. */
  constructor(buffersFor: (expected: number) => Buffers, leastRoom: number) {
    this.#buffersFor = buffersFor;
    this.#leastRoom = leastRoom;
  }

  /** The memory for the next read, when so many bytes are known to come. */
  next(expected: number): Buffer {
    const { buffer } = this.#current && this.hasRoom ? this.#current : this.#turn(expected);
    return buffer.subarray(this.#end);
  }

  landed(bytes: number): void {
    this.#end += bytes;
  }

  /** Bytes that have landed and were not collected. */
  get pending(): number {
    return this.#end - this.#start;
  }

  /** Whether another read fits behind what has landed. */
  get hasRoom(): boolean {
    const length = this.#current?.buffer.length ?? 0;
    return length - this.#end >= this.#leastRoom;
  }

  collect(): Landed {
    const shared = this.#current ?? this.#turn(0);
    const bytes = shared.buffer.subarray(this.#start, this.#end);
    this.#start = this.#end;
    shared.users += 1;
    return { bytes, release: () => this.#leave(shared) };
  }

  #turn(expected: number): Shared {
    if (this.#current) this.#leave(this.#current);
    this.#start = 0;
    this.#end = 0;
    const home = this.#buffersFor(expected);
    this.#current = { buffer: home.take(), home, users: 1 };
    return this.#current;
  }

  #leave(shared: Shared): void {
    shared.users -= 1;
    if (shared.users === 0) shared.home.give(shared.buffer);
  }
}

/** For heads and small bodies: every connection holds one all the time. */
const SMALL_BYTES = 16 * 1024;
/** A read costs as much whether it brings little or much; a dozen blobs hold some thirty of these. */
const PLAIN_BYTES = 384 * 1024;
const TLS_BYTES = 128 * 1024;
/** TLS hands out one record at a time, whatever room there is. */
const RECORD_BYTES = 16 * 1024;
const KEPT = 48;

const smallBuffers = createBuffers(SMALL_BYTES, KEPT);
const plainBuffers = createBuffers(PLAIN_BYTES, KEPT);
const tlsBuffers = createBuffers(TLS_BYTES, KEPT);

/** For plain sockets: each read gets a buffer of its own, a large one only while a large body comes. */
export const plainLanding = (): Landing =>
  new Landing(
    (expected) => (expected > SMALL_BYTES ? plainBuffers : smallBuffers),
    Number.POSITIVE_INFINITY,
  );

/** For TLS: a few records are gathered in one buffer. */
export const tlsLanding = (): Landing => new Landing(() => tlsBuffers, RECORD_BYTES);

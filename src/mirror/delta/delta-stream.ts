import type { DiffSink } from './diff.ts';

// A delta is three streams, each compressed on its own: instructions, differences and carried bytes.
// An instruction is a number, `length * 4 + kind`, in groups of seven bits, lowest first. One that reads old
// bytes is followed by how far they lie from the end of those read before, as `2 * n` or `-2 * n - 1`.

export const KINDS = { copy: 0, add: 1, insert: 2 } as const;

function pushNumber(into: ByteBuffer, value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    into.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  into.push(rest);
}

/** Of one instruction with its distance: two numbers of at most 53 bits. */
const MOST_INSTRUCTION_BYTES = 16;

/** Reads numbers from decompressed instructions, a part of them at a time. */
export class NumberReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = Buffer.alloc(0);
  #at = 0;
  #isOver = false;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  get #left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Whether the whole next instruction is here. */
  get isReady(): boolean {
    return this.#left >= MOST_INSTRUCTION_BYTES || (this.#isOver && this.#left > 0);
  }

  /** Gets more; false at the end. */
  async fill(): Promise<boolean> {
    while (!this.isReady) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        this.#isOver = true;
        break;
      }
      this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), value]);
      this.#at = 0;
    }
    return this.#left > 0;
  }

  next(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('The instructions are cut');
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }
}

/** Bytes that grow. */
export class ByteBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Space at the end, to be written to at once. */
  extend(length: number): Buffer {
    this.#reserve(length);
    this.#length += length;
    return this.#bytes.subarray(this.#length - length, this.#length);
  }

  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Writes what a diff finds as the three streams. */
export class DeltaBuffers {
  readonly instructions = new ByteBuffer();
  readonly differences = new ByteBuffer();
  readonly carried = new ByteBuffer();
  #oldEnd = 0;
  #pending: { kind: number; oldAt: number; length: number } | undefined;

  /** A sink for `fresh` against `old`, which begins at `base` of the whole old file; both were compared in units. */
  sink(old: Uint8Array, base: number, fresh: Uint8Array, unit: number): DiffSink {
    return {
      copy: (oldAt, length) => this.#put(KINDS.copy, base + oldAt * unit, length * unit),
      add: (oldAt, at, length) => {
        this.#put(KINDS.add, base + oldAt * unit, length * unit);
        subtract(this.differences.extend(length * unit), fresh, at * unit, old, oldAt * unit);
      },
      insert: (at, length) => {
        this.#put(KINDS.insert, 0, length * unit);
        this.carried.append(fresh.subarray(at * unit, (at + length) * unit));
      },
    };
  }

  /** Neighbours of one kind become one instruction. */
  #put(kind: number, oldAt: number, length: number): void {
    const last = this.#pending;
    if (last?.kind === kind && (kind === KINDS.insert || last.oldAt + last.length === oldAt)) {
      last.length += length;
      return;
    }
    this.flush();
    this.#pending = { kind, oldAt, length };
  }

  flush(): void {
    const last = this.#pending;
    this.#pending = undefined;
    if (!last) return;
    pushNumber(this.instructions, last.length * 4 + last.kind);
    if (last.kind === KINDS.insert) return;
    const distance = last.oldAt - this.#oldEnd;
    pushNumber(this.instructions, distance < 0 ? -2 * distance - 1 : 2 * distance);
    this.#oldEnd = last.oldAt + last.length;
  }
}

function subtract(
  into: Uint8Array,
  fresh: Uint8Array,
  at: number,
  old: Uint8Array,
  oldAt: number,
): void {
  for (let offset = 0; offset < into.length; offset += 1)
    into[offset] = ((fresh[at + offset] as number) - (old[oldAt + offset] as number)) & 0xff;
}

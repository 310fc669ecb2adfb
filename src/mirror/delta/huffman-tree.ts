// The Huffman half of deflate as zlib and GNU gzip do it. Every tie is broken as there, because the bytes
// have to be the same: the order in the heap, the depth of nodes, how too long codes are shortened.

/** Of the largest code, all nodes, and one that is not used. */
const HEAP = 573;

/** A code: how often each symbol occurs, and from that the length and the bits of each. */
export class Tree {
  readonly frequency: Uint32Array;
  readonly length: Uint16Array;
  readonly code: Uint16Array;
  readonly #parent: Uint16Array;
  readonly elements: number;
  readonly #extra: readonly number[];
  readonly #extraBase: number;
  readonly #maxLength: number;
  readonly #fixed: Uint16Array | undefined;
  /** The highest symbol that occurs. */
  last = 0;
  /** Bits of all symbols with this code, and with the fixed one. */
  bits = 0;
  fixedBits = 0;

  constructor(
    elements: number,
    extra: readonly number[],
    extraBase: number,
    maxLength: number,
    fixed?: Uint16Array,
  ) {
    this.elements = elements;
    this.#extra = extra;
    this.#extraBase = extraBase;
    this.#maxLength = maxLength;
    this.#fixed = fixed;
    const size = 2 * elements + 2;
    this.frequency = new Uint32Array(size);
    this.length = new Uint16Array(size);
    this.code = new Uint16Array(size);
    this.#parent = new Uint16Array(size);
  }

  build(): void {
    const { frequency, length, elements } = this;
    this.bits = 0;
    this.fixedBits = 0;
    this.last = -1;
    let size = 0;
    for (let symbol = 0; symbol < elements; symbol += 1) {
      if (frequency[symbol] === 0) {
        length[symbol] = 0;
        continue;
      }
      size += 1;
      heap[size] = symbol;
      this.last = symbol;
      depth[symbol] = 0;
    }
    // Two codes at least: some readers want that.
    while (size < 2) {
      const symbol = this.last < 2 ? this.last + 1 : 0;
      this.last = Math.max(this.last, symbol);
      size = this.#force(size, symbol);
    }
    this.#lengths(this.#join(size));
    this.#codes();
  }

  #force(size: number, symbol: number): number {
    heap[size + 1] = symbol;
    this.frequency[symbol] = 1;
    depth[symbol] = 0;
    this.bits -= 1;
    if (this.#fixed) this.fixedBits -= this.#fixed[symbol] as number;
    return size + 1;
  }

  /** Joins the two rarest until one is left; returns where the sorted nodes begin in the heap. */
  #join(start: number): number {
    const { frequency, elements } = this;
    let size = start;
    for (let at = size >> 1; at >= 1; at -= 1) sink(frequency, at, size);
    let top = HEAP;
    let node = elements;
    do {
      const first = heap[1] as number;
      heap[1] = heap[size] as number;
      size -= 1;
      sink(frequency, 1, size);
      const second = heap[1] as number;
      heap[--top] = first;
      heap[--top] = second;
      frequency[node] = (frequency[first] as number) + (frequency[second] as number);
      depth[node] = Math.max(depth[first] as number, depth[second] as number) + 1;
      this.#parent[first] = node;
      this.#parent[second] = node;
      heap[1] = node;
      node += 1;
      sink(frequency, 1, size);
    } while (size >= 2);
    heap[--top] = heap[1] as number;
    return top;
  }

  #lengths(top: number): void {
    const { length, last } = this;
    counts.fill(0);
    let overflow = 0;
    length[heap[top] as number] = 0;
    for (let at = top + 1; at < HEAP; at += 1) {
      const symbol = heap[at] as number;
      let bits = (length[this.#parent[symbol] as number] as number) + 1;
      if (bits > this.#maxLength) {
        bits = this.#maxLength;
        overflow += 1;
      }
      length[symbol] = bits;
      if (symbol > last) continue;
      counts[bits] = (counts[bits] as number) + 1;
      this.#count(symbol, bits);
    }
    if (overflow > 0) this.#shorten(overflow);
  }

  #count(symbol: number, bits: number): void {
    const extra = symbol >= this.#extraBase ? (this.#extra[symbol - this.#extraBase] ?? 0) : 0;
    const times = this.frequency[symbol] as number;
    this.bits += times * (bits + extra);
    if (this.#fixed) this.fixedBits += times * ((this.#fixed[symbol] as number) + extra);
  }

  #shorten(overflow: number): void {
    const most = this.#maxLength;
    for (let left = overflow; left > 0; left -= 2) {
      let bits = most - 1;
      while (counts[bits] === 0) bits -= 1;
      counts[bits] = (counts[bits] as number) - 1;
      counts[bits + 1] = (counts[bits + 1] as number) + 2;
      counts[most] = (counts[most] as number) - 1;
    }
    let at = HEAP;
    for (let bits = most; bits > 0; bits -= 1) {
      for (let left = counts[bits] as number; left > 0; ) {
        const symbol = heap[--at] as number;
        if (symbol > this.last) continue;
        const before = this.length[symbol] as number;
        this.bits += (bits - before) * (this.frequency[symbol] as number);
        this.length[symbol] = bits;
        left -= 1;
      }
    }
  }

  #codes(): void {
    assignCodes(this.length, this.code, this.last + 1, counts);
  }
}

const heap = new Int32Array(HEAP + 1);
const depth = new Uint16Array(HEAP + 1);
const counts = new Uint16Array(17);

function sink(frequency: Uint32Array, start: number, size: number): void {
  const moved = heap[start] as number;
  let at = start;
  for (let child = at << 1; child <= size; child <<= 1) {
    if (child < size && isRarer(frequency, heap[child + 1] as number, heap[child] as number))
      child += 1;
    if (isRarer(frequency, moved, heap[child] as number)) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = moved;
}

function isRarer(frequency: Uint32Array, a: number, b: number): boolean {
  const [first, second] = [frequency[a] as number, frequency[b] as number];
  return first < second || (first === second && (depth[a] as number) <= (depth[b] as number));
}

/** The next code of each length. */
const next = new Uint16Array(16);

export function assignCodes(
  length: Uint16Array,
  codes: Uint16Array,
  elements: number,
  perLength: Uint16Array,
): void {
  for (let bits = 1, code = 0; bits <= 15; bits += 1) {
    code = (code + (perLength[bits - 1] as number)) << 1;
    next[bits] = code;
  }
  for (let symbol = 0; symbol < elements; symbol += 1) {
    const bits = length[symbol] as number;
    if (bits === 0) continue;
    codes[symbol] = reversed(next[bits] as number, bits);
    next[bits] = (next[bits] as number) + 1;
  }
}

const REVERSED_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
});

/** At most 16 bits, the last first. */
export function reversed(code: number, bits: number): number {
  const all = ((REVERSED_BYTES[code & 255] as number) << 8) | (REVERSED_BYTES[code >> 8] as number);
  return all >> (16 - bits);
}

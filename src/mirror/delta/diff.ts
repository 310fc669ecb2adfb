// How one run of bytes is made from another, for files that were built again: most of it is where it was or
// has moved as a block, and inside such a block single bytes (addresses, lengths) differ. Seeds of 16 equal
// bytes are found through a hash table; around a seed, old and new are taken as the same for as long as more
// than half of the bytes agree.

export interface DiffSink {
  /** The bytes are those of old. */
  copy(oldAt: number, length: number): void;
  /** Most bytes are those of old; the differences are carried. */
  add(oldAt: number, newAt: number, length: number): void;
  /** The bytes are carried. */
  insert(newAt: number, length: number): void;
}

const SEED = 16;
/** Equal bytes in a row that are worth an instruction of their own. */
const LEAST_COPY = 192;
/** How far the score may fall behind its best before the block is over. */
const PATIENCE = 64;
const BASE = 0x2f0b4f27;
const SPREAD = 0x9e3779b1;
const MAX_BITS = 23;
const TOP = power(BASE, SEED - 1);

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}

/** Positions of seeds in the old bytes. In a long run only every few bytes one is kept. */
export class SeedIndex {
  readonly old: Uint8Array;
  readonly #bits: number;
  /** Made when first asked for: most entries of a layer did not change, or nothing moved in them. */
  #table: Int32Array | undefined;

  constructor(old: Uint8Array) {
    this.old = old;
    this.#bits = Math.min(MAX_BITS, Math.max(8, Math.ceil(Math.log2(old.length + 1))));
  }

  #fill(): Int32Array {
    const { old } = this;
    const table = new Int32Array(2 ** this.#bits).fill(-1);
    const step = Math.max(1, Math.ceil(old.length / table.length));
    const last = old.length - SEED;
    let hash = last < 0 ? 0 : hashAt(old, 0);
    for (let at = 0; at <= last; at += 1) {
      if (at % step === 0) table[this.#slot(hash)] = at;
      hash = rolled(hash, old[at] as number, old[at + SEED] as number);
    }
    return table;
  }

  #slot(hash: number): number {
    return Math.imul(hash, SPREAD) >>> (32 - this.#bits);
  }

  /** Where the old bytes may have the seed with this hash; -1 for nowhere. */
  lookup(hash: number): number {
    this.#table ??= this.#fill();
    return this.#table[this.#slot(hash)] as number;
  }
}

function hashAt(bytes: Uint8Array, start: number): number {
  let hash = 0;
  for (let at = start; at < start + SEED; at += 1)
    hash = (Math.imul(hash, BASE) + (bytes[at] as number)) | 0;
  return hash;
}

const rolled = (hash: number, out: number, next: number): number =>
  (Math.imul(hash - Math.imul(out, TOP), BASE) + next) | 0;

/** Tells the sink how to make `fresh`; `start` is the place in old where its first byte most likely is. */
export function diff(index: SeedIndex, fresh: Uint8Array, start: number, sink: DiffSink): void {
  const { old } = index;
  let at = 0;
  let shift = start;
  const first = forward(old, shift, fresh, 0);
  same(old, shift, fresh, 0, first, sink);
  at = first;
  while (at < fresh.length) {
    const seed = nextSeed(index, fresh, at, shift);
    if (seed < 0) break;
    const oldAt = found;
    const back = backward(old, oldAt, fresh, seed, seed - at);
    if (seed - back > at) sink.insert(at, seed - back - at);
    const length = back + forward(old, oldAt, fresh, seed);
    same(old, oldAt - back, fresh, seed - back, length, sink);
    at = seed - back + length;
    shift = oldAt - seed;
  }
  if (at < fresh.length) sink.insert(at, fresh.length - at);
}

/** The second result of {@link nextSeed}: an object for each would cost more than the search. */
let found = -1;

/** The next position whose seed the old bytes have: where it would be if nothing had moved, or anywhere. */
function nextSeed(index: SeedIndex, fresh: Uint8Array, from: number, shift: number): number {
  const { old } = index;
  const last = fresh.length - SEED;
  if (from > last) return -1;
  let hash = hashAt(fresh, from);
  for (let at = from; ; at += 1) {
    if (isSeed(old, at + shift, fresh, at)) {
      found = at + shift;
      return at;
    }
    const candidate = index.lookup(hash);
    if (candidate >= 0 && isSeed(old, candidate, fresh, at)) {
      found = candidate;
      return at;
    }
    if (at >= last) return -1;
    hash = rolled(hash, fresh[at] as number, fresh[at + SEED] as number);
  }
}

function isSeed(old: Uint8Array, oldAt: number, fresh: Uint8Array, at: number): boolean {
  if (oldAt < 0 || oldAt + SEED > old.length) return false;
  for (let offset = 0; offset < SEED; offset += 1)
    if (old[oldAt + offset] !== fresh[at + offset]) return false;
  return true;
}

/** How far more than half of the bytes agree from here on. */
function forward(old: Uint8Array, oldAt: number, fresh: Uint8Array, at: number): number {
  const most = oldAt < 0 ? 0 : Math.min(old.length - oldAt, fresh.length - at);
  let [score, best, length] = [0, 0, 0];
  for (let offset = 0; offset < most; ) {
    score += old[oldAt + offset] === fresh[at + offset] ? 1 : -1;
    offset += 1;
    if (score > best) {
      best = score;
      length = offset;
    } else if (score < best - PATIENCE) break;
  }
  return length;
}

function backward(
  old: Uint8Array,
  oldAt: number,
  fresh: Uint8Array,
  at: number,
  limit: number,
): number {
  const most = Math.min(limit, oldAt);
  let [score, best, length] = [0, 0, 0];
  for (let offset = 1; offset <= most; offset += 1) {
    score += old[oldAt - offset] === fresh[at - offset] ? 1 : -1;
    if (score > best) {
      best = score;
      length = offset;
    } else if (score < best - PATIENCE) break;
  }
  return length;
}

/** Cuts a block in which most bytes agree into runs that are equal and runs that are not. */
function same(
  old: Uint8Array,
  oldAt: number,
  fresh: Uint8Array,
  at: number,
  length: number,
  sink: DiffSink,
): void {
  let [added, equal] = [0, 0];
  for (let offset = 0; offset < length; offset += 1) {
    if (old[oldAt + offset] === fresh[at + offset]) continue;
    if (offset - equal >= LEAST_COPY) {
      if (equal > added) sink.add(oldAt + added, at + added, equal - added);
      sink.copy(oldAt + equal, offset - equal);
      added = offset;
    }
    equal = offset + 1;
  }
  if (length - equal < LEAST_COPY && equal > added) equal = length;
  if (equal > added) sink.add(oldAt + added, at + added, equal - added);
  if (length > equal) sink.copy(oldAt + equal, length - equal);
}

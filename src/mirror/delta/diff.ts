// How one run of bytes is made from another, for files that were built again: most of it is where it was or
// has moved as a block, and inside such a block single bytes (addresses, lengths) differ. Seeds of some equal
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

/** Bytes, or words: then all positions and lengths are counted in words too. */
export type Units = Uint8Array | Uint16Array;

export interface DiffSettings {
  /** Equal ones in a row that old and new are taken to be the same at. */
  readonly seed: number;
  /** Equal ones in a row that are worth an instruction of their own. */
  readonly leastCopy: number;
  /** How far the score may fall behind its best before the block is over. */
  readonly patience: number;
}

export const OF_BYTES: DiffSettings = { seed: 16, leastCopy: 192, patience: 64 };
/** Words say more than bytes: fewer of them are the same by chance. */
export const OF_WORDS: DiffSettings = { seed: 6, leastCopy: 24, patience: 12 };

const BASE = 0x2f0b4f27;
const SPREAD = 0x9e3779b1;
const MAX_BITS = 23;

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}

/** Positions of seeds in the old bytes. In a long run only every few bytes one is kept. */
export class SeedIndex {
  readonly old: Units;
  readonly settings: DiffSettings;
  /** What the first of a seed counts for in its hash. */
  readonly top: number;
  readonly #bits: number;
  /** Made when first asked for: most entries of a layer did not change, or nothing moved in them. */
  #table: Int32Array | undefined;

  constructor(old: Units, settings = OF_BYTES) {
    this.old = old;
    this.settings = settings;
    this.top = power(BASE, settings.seed - 1);
    this.#bits = Math.min(MAX_BITS, Math.max(8, Math.ceil(Math.log2(old.length + 1))));
  }

  #fill(): Int32Array {
    const { old, top } = this;
    const { seed } = this.settings;
    const table = new Int32Array(2 ** this.#bits).fill(-1);
    const step = Math.max(1, Math.ceil(old.length / table.length));
    const last = old.length - seed;
    let hash = last < 0 ? 0 : hashAt(old, 0, seed);
    for (let at = 0; at <= last; at += 1) {
      if (at % step === 0) table[this.#slot(hash)] = at;
      hash = rolled(hash, Math.imul(old[at] as number, top), old[at + seed] as number);
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

function hashAt(bytes: Units, start: number, seed: number): number {
  let hash = 0;
  for (let at = start; at < start + seed; at += 1)
    hash = (Math.imul(hash, BASE) + (bytes[at] as number)) | 0;
  return hash;
}

const rolled = (hash: number, out: number, next: number): number =>
  (Math.imul(hash - out, BASE) + next) | 0;

/** Tells the sink how to make `fresh`; `start` is the place in old where its first byte most likely is. */
export function diff(index: SeedIndex, fresh: Units, start: number, sink: DiffSink): void {
  const { old } = index;
  const { leastCopy, patience } = index.settings;
  let at = 0;
  let shift = start;
  const first = forward(old, shift, fresh, 0, patience);
  same(old, shift, fresh, 0, first, sink, leastCopy);
  at = first;
  while (at < fresh.length) {
    const seed = nextSeed(index, fresh, at, shift);
    if (seed < 0) break;
    const oldAt = found;
    const back = backward(old, oldAt, fresh, seed, seed - at, patience);
    if (seed - back > at) sink.insert(at, seed - back - at);
    const length = back + forward(old, oldAt, fresh, seed, patience);
    same(old, oldAt - back, fresh, seed - back, length, sink, leastCopy);
    at = seed - back + length;
    shift = oldAt - seed;
  }
  if (at < fresh.length) sink.insert(at, fresh.length - at);
}

/** The second result of {@link nextSeed}: an object for each would cost more than the search. */
let found = -1;

/** The next position whose seed the old bytes have: where it would be if nothing had moved, or anywhere. */
function nextSeed(index: SeedIndex, fresh: Units, from: number, shift: number): number {
  const { old, top } = index;
  const { seed } = index.settings;
  const last = fresh.length - seed;
  if (from > last) return -1;
  let hash = hashAt(fresh, from, seed);
  for (let at = from; ; at += 1) {
    if (isSeed(old, at + shift, fresh, at, seed)) {
      found = at + shift;
      return at;
    }
    const candidate = index.lookup(hash);
    if (candidate >= 0 && isSeed(old, candidate, fresh, at, seed)) {
      found = candidate;
      return at;
    }
    if (at >= last) return -1;
    hash = rolled(hash, Math.imul(fresh[at] as number, top), fresh[at + seed] as number);
  }
}

function isSeed(old: Units, oldAt: number, fresh: Units, at: number, seed: number): boolean {
  if (oldAt < 0 || oldAt + seed > old.length) return false;
  for (let offset = 0; offset < seed; offset += 1)
    if (old[oldAt + offset] !== fresh[at + offset]) return false;
  return true;
}

/** How far more than half of the bytes agree from here on. */
function forward(old: Units, oldAt: number, fresh: Units, at: number, patience: number): number {
  const most = oldAt < 0 ? 0 : Math.min(old.length - oldAt, fresh.length - at);
  let [score, best, length] = [0, 0, 0];
  for (let offset = 0; offset < most; ) {
    score += old[oldAt + offset] === fresh[at + offset] ? 1 : -1;
    offset += 1;
    if (score > best) {
      best = score;
      length = offset;
    } else if (score < best - patience) break;
  }
  return length;
}

function backward(
  old: Units,
  oldAt: number,
  fresh: Units,
  at: number,
  limit: number,
  patience: number,
): number {
  const most = Math.min(limit, oldAt);
  let [score, best, length] = [0, 0, 0];
  for (let offset = 1; offset <= most; offset += 1) {
    score += old[oldAt - offset] === fresh[at - offset] ? 1 : -1;
    if (score > best) {
      best = score;
      length = offset;
    } else if (score < best - patience) break;
  }
  return length;
}

/** Cuts a block in which most bytes agree into runs that are equal and runs that are not. */
function same(
  old: Units,
  oldAt: number,
  fresh: Units,
  at: number,
  length: number,
  sink: DiffSink,
  leastCopy: number,
): void {
  let [added, equal] = [0, 0];
  for (let offset = 0; offset < length; offset += 1) {
    if (old[oldAt + offset] === fresh[at + offset]) continue;
    if (offset - equal >= leastCopy) {
      if (equal > added) sink.add(oldAt + added, at + added, equal - added);
      sink.copy(oldAt + equal, offset - equal);
      added = offset;
    }
    equal = offset + 1;
  }
  if (length - equal < leastCopy && equal > added) equal = length;
  if (equal > added) sink.add(oldAt + added, at + added, equal - added);
  if (length > equal) sink.copy(oldAt + equal, length - equal);
}

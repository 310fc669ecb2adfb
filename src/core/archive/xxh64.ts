const PRIMES = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;
const [P1, P2, P3, P4, P5] = PRIMES;
const STRIPE = 32;

/** The checksum of zstd frames. */
export interface Xxh64 {
  update(bytes: Buffer): void;
  digest(): bigint;
}

/**
 * Whole stripes are hashed in halves of 32 bits, because big integers would be slower than decompression; what is left
 * at the end is little.
 */
export function createXxh64(): Xxh64 {
  const lanes = [P1 + P2, P2, 0n, -P1].map(laneOf);
  let rest: Buffer = Buffer.alloc(0);
  let total = 0n;
  return {
    update(bytes) {
      total += BigInt(bytes.length);
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const end = all.length - (all.length % STRIPE);
      for (const [index, lane] of lanes.entries()) mixStripes(lane, all, index * 8, end);
      // A copy: the caller may use its memory again.
      rest = Buffer.from(all.subarray(end));
    },
    digest: () => finished(total < STRIPE ? P5 : merged(lanes.map(numberOf)), total, rest),
  };
}

interface Lane {
  high: number;
  low: number;
}

const laneOf = (value: bigint): Lane => ({
  high: Number(BigInt.asIntN(32, value >> 32n)),
  low: Number(BigInt.asIntN(32, value)),
});

const numberOf = ({ high, low }: Lane): bigint => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

/** One lane takes eight bytes of each stripe. */
function mixStripes(lane: Lane, bytes: Buffer, from: number, end: number): void {
  let { high, low } = lane;
  for (let at = from; at < end; at += STRIPE) {
    const inLow = bytes.readInt32LE(at);
    // input * P2
    const upper = upperHalf(inLow, P2_LOW) + Math.imul(bytes.readInt32LE(at + 4), P2_LOW);
    const productHigh = (upper + Math.imul(inLow, P2_HIGH)) | 0;
    const sum = (low >>> 0) + (Math.imul(inLow, P2_LOW) >>> 0);
    const sumHigh = (high + productHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
    // rotated by 31, times P1
    const turnedHigh = (sumHigh << 31) | ((sum | 0) >>> 1);
    const turnedLow = ((sum | 0) << 31) | (sumHigh >>> 1);
    high =
      (upperHalf(turnedLow, P1_LOW) +
        Math.imul(turnedHigh, P1_LOW) +
        Math.imul(turnedLow, P1_HIGH)) |
      0;
    low = Math.imul(turnedLow, P1_LOW);
  }
  lane.high = high;
  lane.low = low;
}

const { high: P1_HIGH, low: P1_LOW } = laneOf(P1);
const { high: P2_HIGH, low: P2_LOW } = laneOf(P2);

/** The upper 32 bits of a product of two unsigned numbers of 32 bits. */
function upperHalf(a: number, b: number): number {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = a1 * b0 + (Math.imul(a0, b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536)) | 0;
}

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, by: bigint): bigint => u64(value << by) | (value >> (64n - by));
const round = (lane: bigint, input: bigint): bigint =>
  u64(rotated(u64(lane + input * P2), 31n) * P1);

function merged(lanes: readonly bigint[]): bigint {
  const turns = [1n, 7n, 12n, 18n];
  const sum = lanes.reduce((all, lane, index) => all + rotated(lane, turns[index] ?? 0n), 0n);
  return lanes.reduce((hash, lane) => u64((hash ^ round(0n, lane)) * P1 + P4), u64(sum));
}

function finished(start: bigint, total: bigint, rest: Buffer): bigint {
  let hash = u64(start + total);
  let at = 0;
  for (; at + 8 <= rest.length; at += 8)
    hash = u64(rotated(hash ^ round(0n, rest.readBigUInt64LE(at)), 27n) * P1 + P4);
  for (; at + 4 <= rest.length; at += 4)
    hash = u64(rotated(hash ^ u64(BigInt(rest.readUInt32LE(at)) * P1), 23n) * P2 + P3);
  for (; at < rest.length; at += 1)
    hash = u64(rotated(hash ^ u64(BigInt(rest[at] ?? 0) * P5), 11n) * P1);
  hash = u64((hash ^ (hash >> 33n)) * P2);
  hash = u64((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}

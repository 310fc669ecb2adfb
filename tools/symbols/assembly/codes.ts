// The canonical codes of RFC 1951.

export const LONGEST_CODE: u32 = 15;
/** Symbols of an alphabet: 286 literals and lengths with two that mean nothing, or 30 distances. */
export const LITERAL_SYMBOLS: i32 = 288;
export const DISTANCE_SYMBOLS: i32 = 32;

/** The caller puts the length of each symbol's code here, a byte each; 0 where it has none. */
export const lengths: usize = memory.data(LITERAL_SYMBOLS);

/** Where {@link assignCodes} puts the code of each symbol, with its bits as they are written. */
const codes: usize = memory.data(2 * LITERAL_SYMBOLS);
const counts: usize = memory.data(4 * 16);
const next: usize = memory.data(4 * 16);

export function lengthOf(symbol: u32): u32 {
  return load<u8>(lengths + symbol) & LONGEST_CODE;
}

export function codeOf(symbol: u32): u32 {
  return load<u16>(codes + (symbol << 1));
}

/** False where there are more codes than fit. */
export function assignCodes(count: u32): bool {
  if (!countLengths(count)) return false;
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const length = lengthOf(symbol);
    if (length == 0) continue;
    const code = load<u32>(next + (length << 2));
    store<u32>(next + (length << 2), code + 1);
    store<u16>(codes + (symbol << 1), reversed(code) >> (16 - length));
  }
  return true;
}

/** Finds the first code of each length. */
function countLengths(count: u32): bool {
  memory.fill(counts, 0, 4 * 16);
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const slot = counts + (lengthOf(symbol) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
  }
  let first: u32 = 0;
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) {
    store<u32>(next + (length << 2), first);
    first += load<u32>(counts + (length << 2));
    if (first > 1 << length) return false;
    first <<= 1;
  }
  return true;
}

/** 16 bits, the last first. */
function reversed(code: u32): u32 {
  let bits = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  return ((bits & 0xff) << 8) | (bits >> 8);
}

// The code that each word takes, together with its extra bits.
import { distances, END_OF_BLOCK, extraBitsOf, firstOf, literals } from './alphabets';
import { assignCodes, codeOf, DISTANCE_SYMBOLS, lengthOf } from './codes';

/** For each word the bits and, in the lowest five, how many they are. */
export const wordTable: usize = memory.data(4 * 514);
/** For each symbol of a distance its code, the first distance, the length of the code, and all bits with the extra ones. */
export const distanceEntries: usize = memory.data(8 * DISTANCE_SYMBOLS);
/** Takes the codes whose lengths are in memory; false where there are more than fit. */
export function setWordCodes(count: u32): bool {
  if (!assignCodes(count)) return false;
  memory.fill(wordTable, 0, 4 * (END_OF_BLOCK + 1));
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const length = lengthOf(symbol);
    const first = firstOf(literals, symbol);
    const extraBits = extraBitsOf(literals, symbol);
    if (length == 0 || first > END_OF_BLOCK) continue;
    for (let extra: u32 = 0; extra < 1 << extraBits; extra++) {
      const bits = codeOf(symbol) | (extra << length);
      store<u32>(wordTable + ((first + extra) << 2), (bits << 5) | (length + extraBits));
    }
  }
  return true;
}

export function setDistanceEntries(count: u32): bool {
  if (!assignCodes(count)) return false;
  memory.fill(distanceEntries, 0, 8 * DISTANCE_SYMBOLS);
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const length = lengthOf(symbol);
    if (length == 0) continue;
    const bits = length + extraBitsOf(distances, symbol);
    const code = ((<u64>codeOf(symbol)) << 16) | firstOf(distances, symbol);
    store<u64>(distanceEntries + (symbol << 3), (code << 32) | (length << 8) | bits);
  }
  return true;
}

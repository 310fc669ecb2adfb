// What a code stands for, by the bits that come next: short codes at once, long ones in a second table behind the first.
import { distances, END_OF_BLOCK, extraBitsOf, firstOf, LENGTHS, literals } from './alphabets';
import {
  assignCodes,
  codeOf,
  DISTANCE_SYMBOLS,
  lengthOf,
  LITERAL_SYMBOLS,
  LONGEST_CODE,
} from './codes';

export const LITERAL_BITS: u32 = 11;
export const DISTANCE_BITS: u32 = 9;
/** Bits by which a second table is read. */
export const LONG_LITERAL_BITS: u32 = LONGEST_CODE - LITERAL_BITS;
export const LONG_DISTANCE_BITS: u32 = LONGEST_CODE - DISTANCE_BITS;

/** In the worst case every symbol has a second table of its own. */
export const literalTable: usize = memory.data(4 * (2048 + LITERAL_SYMBOLS * 16));
export const distanceTable: usize = memory.data(4 * (512 + DISTANCE_SYMBOLS * 64));

// An entry: the first value in 16 bits, its kind in four, the length of the code in four, and all bits with the extra ones
// in eight, so that it can be shifted by as it is. Of a second table the value says where it begins.
export const LITERAL: u32 = 1 << 12;
/** Neither a literal nor a value with extra bits: a second table, the end of a block, or a code that means nothing. */
export const EXCEPTION: u32 = 1 << 13;
export const SECOND_TABLE: u32 = 1 << 14;
const UNKNOWN: u32 = EXCEPTION;

/** Takes the codes whose lengths are in memory; false where there are more than fit. */
export function setLiteralCodes(count: u32): bool {
  if (!assignCodes(count)) return false;
  let end = clear(literalTable, 0, LITERAL_BITS);
  for (let symbol: u32 = 0; symbol < count; symbol++)
    end = put(literalTable, LITERAL_BITS, end, symbol, literalEntry(symbol));
  return true;
}

export function setDistanceCodes(count: u32): bool {
  if (!assignCodes(count)) return false;
  let end = clear(distanceTable, 0, DISTANCE_BITS);
  for (let symbol: u32 = 0; symbol < count; symbol++)
    end = put(distanceTable, DISTANCE_BITS, end, symbol, entryOf(distances, symbol));
  return true;
}

function literalEntry(symbol: u32): u32 {
  const entry = entryOf(literals, symbol);
  const word = firstOf(literals, symbol);
  if (word < LENGTHS) return entry | LITERAL;
  return word < END_OF_BLOCK ? entry : entry | EXCEPTION;
}

function entryOf(alphabet: usize, symbol: u32): u32 {
  const length = lengthOf(symbol);
  const bits = length + extraBitsOf(alphabet, symbol);
  return (firstOf(alphabet, symbol) << 16) | (length << 8) | bits;
}

/** Where the next table begins. */
function clear(table: usize, start: u32, bits: u32): u32 {
  const end = start + (1 << bits);
  for (let at = start; at < end; at++) store<u32>(table + (at << 2), UNKNOWN);
  return end;
}

/** At every place whose bits begin with the code; where the next second table begins. */
function put(table: usize, bits: u32, end: u32, symbol: u32, entry: u32): u32 {
  const length = lengthOf(symbol);
  const code = codeOf(symbol);
  if (length == 0) return end;
  if (length <= bits) {
    spread(table, 1 << bits, code, length, entry);
    return end;
  }
  const longBits = LONGEST_CODE - bits;
  const prefix = table + ((code & ((1 << bits) - 1)) << 2);
  let behind = end;
  if (!(load<u32>(prefix) & SECOND_TABLE)) {
    store<u32>(prefix, (end << 16) | EXCEPTION | SECOND_TABLE);
    behind = clear(table, end, longBits);
  }
  const second = table + ((load<u32>(prefix) >> 16) << 2);
  spread(second, 1 << longBits, code >> bits, length - bits, entry);
  return behind;
}

function spread(table: usize, size: u32, code: u32, length: u32, entry: u32): void {
  for (let at = code; at < size; at += 1 << length) store<u32>(table + (at << 2), entry);
}

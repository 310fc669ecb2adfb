// What each symbol of the two alphabets stands for: the values from `first` on, told apart by so many extra bits. The
// caller says it once, from the tables it has.
import { DISTANCE_SYMBOLS, LITERAL_SYMBOLS } from './codes';

export const literals: usize = memory.data(4 * LITERAL_SYMBOLS);
export const distances: usize = memory.data(4 * DISTANCE_SYMBOLS);

/** Words below are literals, and those up to `END_OF_BLOCK` lengths, as in src/mirror/delta/symbols.ts. */
export const LENGTHS: u32 = 256;
export const END_OF_BLOCK: u32 = 513;

export function describeLiteral(symbol: u32, first: u32, extraBits: u32): void {
  store<u32>(literals + (symbol << 2), (first << 16) | extraBits);
}

export function describeDistance(symbol: u32, first: u32, extraBits: u32): void {
  store<u32>(distances + (symbol << 2), (first << 16) | extraBits);
  const end = first + (1 << extraBits);
  for (let distance = first; distance < end; distance += distance < NEAR ? 1 : FAR_STEP)
    store<u8>(symbolsOfDistances + placeOf(distance), symbol);
}

const NEAR: u32 = 256;
const FAR_BITS: u32 = 7;
const FAR_STEP: u32 = 1 << FAR_BITS;
/** The symbol of each distance that is near, and of each 128 others. */
const symbolsOfDistances: usize = memory.data(2 * NEAR);

function placeOf(distance: u32): u32 {
  return distance < NEAR ? distance : NEAR + (distance >> FAR_BITS);
}

/** Below 32768. */
export function symbolOfDistance(distance: u32): u32 {
  return load<u8>(symbolsOfDistances + placeOf(distance));
}

export function firstOf(alphabet: usize, symbol: u32): u32 {
  return load<u16>(alphabet + (symbol << 2) + 2);
}

export function extraBitsOf(alphabet: usize, symbol: u32): u32 {
  return load<u8>(alphabet + (symbol << 2));
}

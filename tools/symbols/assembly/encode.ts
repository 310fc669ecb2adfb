// Puts the codes of one block on: words in, bits out.
import { END_OF_BLOCK, LENGTHS, symbolOfDistance } from './alphabets';
import { distanceEntries, wordTable } from './encoding-tables';
import { ENDED, GOES_ON, REFUSED } from './outcome';

/** What the caller brings at a time, and what it may have left before. */
export const givenWords: i32 = 512 * 1024 + 1024;
/** No symbol takes more than six bytes, in two words; and eight are written at once. */
export const madeBytes: i32 = 3 * givenWords + 16;
/** With a sentinel behind. */
export const given: usize = memory.data(2 * givenWords + 4);
export const made: usize = memory.data(madeBytes);

/** The next word and the next byte, and the bits behind whole bytes with their number, after the last call. */
export let nextGiven: u32 = 0;
export let nextMade: u32 = 0;
export let rest: u32 = 0;
export let restBits: u32 = 0;

const LAST_DISTANCE: u32 = 32767;
/** Neither a symbol nor a distance. */
const SENTINEL: u32 = 0xffff_ffff;

/** From the word `at` until the block ends, or before a symbol that is not all there. `restBefore` are at most seven bits. */
export function encode(at: u32, end: u32, byte: u32, restBefore: u32, bitsBefore: u32): u32 {
  let from: usize = given + (at << 1);
  const fromEnd: usize = given + (end << 1);
  let to: usize = made + byte;
  let held: u64 = restBefore;
  let bits: u64 = bitsBefore;
  // Negative once a word or a distance had no code, which is 0 in the tables.
  let lacks: u32 = 0;
  let outcome = GOES_ON;
  store<u32>(fromEnd, SENTINEL);
  for (;;) {
    let word: u32 = load<u16>(from);
    if (word < LENGTHS) {
      let code = load<u32>(wordTable + (word << 2));
      held |= <u64>(code >> 5) << bits;
      bits += code & 31;
      lacks |= code - 1;
      from += 2;
      word = load<u16>(from);
      if (word < LENGTHS) {
        code = load<u32>(wordTable + (word << 2));
        held |= <u64>(code >> 5) << bits;
        bits += code & 31;
        lacks |= code - 1;
        from += 2;
        word = load<u16>(from);
        if (word < LENGTHS) {
          code = load<u32>(wordTable + (word << 2));
          held |= <u64>(code >> 5) << bits;
          bits += code & 31;
          lacks |= code - 1;
          from += 2;
          word = 0;
        }
      }
      store<u64>(to, held);
      to += <usize>(bits >> 3);
      held >>= bits & 56;
      bits &= 7;
      if (word < LENGTHS) continue;
    }
    const distance: u32 = load<u16>(from + 2);
    if (word >= END_OF_BLOCK || distance > LAST_DISTANCE) {
      if (word == END_OF_BLOCK) outcome = ENDED;
      else if (fromEnd - from > 2) outcome = REFUSED;
      break;
    }
    const code = load<u32>(wordTable + (word << 2));
    held |= <u64>(code >> 5) << bits;
    bits += code & 31;
    lacks |= code - 1;
    const entry = load<u64>(distanceEntries + (<usize>symbolOfDistance(distance) << 3));
    const extra = distance - (<u32>(entry >> 32) & 0xffff);
    held |= ((entry >> 48) | (<u64>extra << ((entry >> 8) & 15))) << bits;
    bits += entry & 0xff;
    lacks |= <u32>entry - 1;
    from += 4;
    store<u64>(to, held);
    to += <usize>(bits >> 3);
    held >>= bits & 56;
    bits &= 7;
  }
  if (outcome == ENDED) {
    const code = load<u32>(wordTable + (END_OF_BLOCK << 2));
    held |= <u64>(code >> 5) << bits;
    bits += code & 31;
    lacks |= code - 1;
    from += 2;
    store<u64>(to, held);
    to += <usize>(bits >> 3);
    held >>= bits & 56;
    bits &= 7;
  }
  nextGiven = <u32>((from - given) >> 1);
  nextMade = <u32>(to - made);
  rest = <u32>held;
  restBits = <u32>bits;
  return <i32>lacks < 0 ? REFUSED : outcome;
}

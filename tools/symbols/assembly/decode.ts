// Takes the codes of one block off: bits in, words out.
import { END_OF_BLOCK } from './alphabets';
import {
  DISTANCE_BITS,
  distanceTable,
  EXCEPTION,
  LITERAL,
  LITERAL_BITS,
  literalTable,
  LONG_DISTANCE_BITS,
  LONG_LITERAL_BITS,
  SECOND_TABLE,
} from './decoding-tables';
import { ENDED, GOES_ON, REFUSED } from './outcome';

/** What the caller reads at a time, what it may leave of that, and what is read ahead. */
export const inputBytes: i32 = 1024 * 1024 + 72 * 1024;
export const outputWords: i32 = 128 * 1024;
export const input: usize = memory.data(inputBytes);
export const output: usize = memory.data(2 * outputWords);
/** No round makes more: three literals and a length with its distance. */
const MOST_ROUND_BYTES: i32 = 2 * 5;

/** The next bit of the input and the next word of the output, after the last call. */
export let nextBit: u32 = 0;
export let nextWord: u32 = 0;

const LITERAL_MASK: usize = (1 << LITERAL_BITS) - 1;
const DISTANCE_MASK: usize = (1 << DISTANCE_BITS) - 1;
const LONG_LITERAL_MASK: u32 = (1 << LONG_LITERAL_BITS) - 1;
const LONG_DISTANCE_MASK: u32 = (1 << LONG_DISTANCE_BITS) - 1;

/**
 * From the bit `at` until the block ends, the output is full, or about the byte `last` of the input is reached: at most 24
 * bytes behind it are taken, and eight more are looked at.
 */
export function decode(at: u32, last: u32, word: u32): u32 {
  let from: usize = input + (at >> 3) + 7;
  // The lowest bits are the next ones. At least `left` of them are there, and above them nothing but what follows.
  let held: u64 = load<u64>(from - 7) >> (at & 7);
  let left: u32 = 56 - (at & 7);
  let to: usize = output + (word << 1);
  const fromEnd: usize = input + last + 7;
  const toEnd: usize = output + 2 * outputWords - MOST_ROUND_BYTES;
  let outcome = GOES_ON;
  while (from <= fromEnd && to <= toEnd) {
    // 56 bits or more: enough for three literals by short codes and a length.
    held |= load<u64>(from) << left;
    from += 7 - ((left >> 3) & 7);
    left |= 56;
    let entry = load<u32>(literalTable + ((<usize>held & LITERAL_MASK) << 2));
    if (entry & LITERAL) {
      store<u16>(to, entry >> 16);
      to += 2;
      held >>= entry;
      left -= entry & 0xff;
      entry = load<u32>(literalTable + ((<usize>held & LITERAL_MASK) << 2));
      if (entry & LITERAL) {
        store<u16>(to, entry >> 16);
        to += 2;
        held >>= entry;
        left -= entry & 0xff;
        entry = load<u32>(literalTable + ((<usize>held & LITERAL_MASK) << 2));
        if (entry & LITERAL) {
          store<u16>(to, entry >> 16);
          to += 2;
          held >>= entry;
          left -= entry & 0xff;
          continue;
        }
      }
    }
    if (entry & EXCEPTION) {
      if (entry & SECOND_TABLE) {
        const index = (entry >> 16) + (<u32>(held >> LITERAL_BITS) & LONG_LITERAL_MASK);
        entry = load<u32>(literalTable + (index << 2));
      }
      if (entry & (LITERAL | EXCEPTION)) {
        const isEnd = entry >> 16 == END_OF_BLOCK;
        if (entry & EXCEPTION && !isEnd) {
          outcome = REFUSED;
          break;
        }
        store<u16>(to, entry >> 16);
        to += 2;
        held >>= entry;
        left -= entry & 0xff;
        if (!isEnd) continue;
        outcome = ENDED;
        break;
      }
    }
    let pair = (entry >> 16) + ((<u32>held & ((1 << entry) - 1)) >> ((entry >> 8) & 15));
    held >>= entry;
    left -= entry & 0xff;
    held |= load<u64>(from) << left;
    from += 7 - ((left >> 3) & 7);
    left |= 56;
    entry = load<u32>(distanceTable + ((<usize>held & DISTANCE_MASK) << 2));
    if (entry & SECOND_TABLE) {
      const index = (entry >> 16) + (<u32>(held >> DISTANCE_BITS) & LONG_DISTANCE_MASK);
      entry = load<u32>(distanceTable + (index << 2));
    }
    if (entry & EXCEPTION) {
      outcome = REFUSED;
      break;
    }
    pair |= ((entry >> 16) + ((<u32>held & ((1 << entry) - 1)) >> ((entry >> 8) & 15))) << 16;
    store<u32>(to, pair);
    to += 4;
    held >>= entry;
    left -= entry & 0xff;
  }
  nextBit = <u32>((from - input) << 3) - left;
  nextWord = <u32>((to - output) >> 1);
  return outcome;
}

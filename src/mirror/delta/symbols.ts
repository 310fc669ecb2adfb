// A gzip file without its Huffman codes: a word of 16 bits for each literal, length and distance, and all else (headers,
// the lengths of codes, checksums) as it is. Two layers of nearly the same files have nearly the same symbols, although
// hardly a bit of them agrees. Nothing is searched on the way there and back, so both take a fraction of compressing.

/** Literals are below; from here on lengths, less three, each with its distance, less one, in the next word. */
export const LENGTHS = 256;
/** The longest length by its own code; by that of the next shorter ones, which no program writes, it is the word before. */
export const LONGEST = 512;
export const END_OF_BLOCK = 513;
/** Bytes outside of blocks: how many, then one in each word. */
export const RAW = 514;
/** A block begins; its first three bits are added. */
export const BLOCK = 1024;
/** What follows the beginning: how many bytes and they themselves; nothing; how many bits and the code lengths in them. */
export const [STORED, FIXED, DYNAMIC] = [0, 1, 2];
/** Bytes of the longest description of a block's codes. */
export const MOST_CODE_BYTES = 640;

/** Its bytes. */
export const WORD = 2;

export const bytesOf = (words: Uint16Array): Buffer =>
  Buffer.from(words.buffer, words.byteOffset, words.byteLength);

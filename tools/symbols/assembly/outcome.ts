/** More input or room is needed. */
export const GOES_ON: u32 = 0;
/** The block is over. */
export const ENDED: u32 = 1;
/** A code means nothing, or a word is no symbol. */
export const REFUSED: u32 = 2;

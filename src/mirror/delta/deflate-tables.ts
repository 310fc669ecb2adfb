// The numbers of RFC 1951.

export const LITERALS = 286;
export const DISTANCES = 30;
export const LENGTH_CODES = 19;
export const END = 256;
/** The order in which the lengths of length codes are written. */
export const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
export const EXTRA_LENGTH = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
export const EXTRA_DISTANCE = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];

/** Lengths are counted from three here, distances from one. */
export const BASE_LENGTH = new Uint16Array(29);
export const CODE_OF_LENGTH = new Uint8Array(256);
export const BASE_DISTANCE = new Uint16Array(DISTANCES);
export const CODE_OF_DISTANCE = new Uint8Array(32768);
{
  let next = 0;
  for (let code = 0; code < 28; code += 1) {
    BASE_LENGTH[code] = next;
    const end = next + 2 ** (EXTRA_LENGTH[code] as number);
    CODE_OF_LENGTH.fill(code, next, end);
    next = end;
  }
  BASE_LENGTH[28] = 255;
  CODE_OF_LENGTH[255] = 28;
  next = 0;
  for (let code = 0; code < DISTANCES; code += 1) {
    BASE_DISTANCE[code] = next;
    const end = next + 2 ** (EXTRA_DISTANCE[code] as number);
    CODE_OF_DISTANCE.fill(code, next, end);
    next = end;
  }
}

export const FIXED_LENGTH = new Uint16Array(288)
  .fill(8, 0, 144)
  .fill(9, 144, 256)
  .fill(7, 256, 280)
  .fill(8, 280);
export const FIXED_DISTANCE_LENGTH = new Uint16Array(DISTANCES).fill(5);

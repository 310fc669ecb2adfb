import type { Recompression } from './methods.ts';

/** Bytes of tar a second that each program compresses again, on an ordinary processor. */
const BYTES_PER_SECOND: Readonly<Record<Recompression['program'], number>> = {
  none: 400e6,
  go: 14e6,
  pgzip: 30e6,
  klauspost: 30e6,
  zlib: 14e6,
  gzip: 14e6,
};
/** Bytes of tar a second that are compared and packed. */
const DIFF_BYTES_PER_SECOND = 20e6;
/** What a delta is expected to take of its layer, before it is made. */
const EXPECTED_PART = 0.15;

/**
 * Whether carrying the layer whole takes longer than making and applying a delta. By fixed figures, not by
 * the clock: the same input gives the same bundle.
 */
export function pays(
  { size, tarSize }: { readonly size: number; readonly tarSize: number },
  program: Recompression['program'],
  linkBytesPerSecond: number | undefined,
): boolean {
  if (linkBytesPerSecond === undefined) return true;
  // Once to verify it here, once inside.
  const work = (2 * tarSize) / BYTES_PER_SECOND[program] + tarSize / DIFF_BYTES_PER_SECOND;
  return (size * (1 - EXPECTED_PART)) / linkBytesPerSecond > work;
}

/** Above this part of the layer a delta is not worth its trouble. */
export const MOST_PART = 0.5;

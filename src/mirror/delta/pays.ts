import type { LayerDelta } from './layer-delta.ts';
import type { Recompression } from './methods.ts';

/** Bytes of tar a second that each program compresses again, on an ordinary processor. */
const BYTES_PER_SECOND: Readonly<Record<Recompression['program'], number>> = {
  none: 400e6,
  symbols: 150e6,
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

/** Symbols that take no more of their layer are taken without a look at the tars. */
const FEW_SYMBOLS = 0.2;
/** What a delta of the tars takes at least, before it is made. */
const LEAST_PART = 0.02;

/**
 * Whether the delta of the symbols is better than that of the tars, which is smaller, but whose layer has to be compressed:
 * unless a slow link makes up for that, it is.
 */
export function prefersSymbols(
  { size, tarSize, delta }: Pick<LayerDelta, 'size' | 'tarSize' | 'delta'>,
  linkBytesPerSecond: number | undefined,
): boolean {
  if (linkBytesPerSecond === undefined) return delta.size <= size * FEW_SYMBOLS;
  const seconds = (bytes: number, program: Recompression['program']) =>
    bytes / linkBytesPerSecond + (2 * tarSize) / BYTES_PER_SECOND[program];
  return seconds(delta.size, 'symbols') <= seconds(size * LEAST_PART, 'pgzip');
}

/** Above this part of the layer a delta is not worth its trouble. */
export const MOST_PART = 0.5;

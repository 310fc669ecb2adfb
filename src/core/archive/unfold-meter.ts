import { ArchiveError } from './archive-error.ts';

/** How far compressed bytes may unfold. */
export interface UnfoldLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** Output per byte of input; only asked once `ratioFloorBytes` have come out. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
}

export interface UnfoldMeter {
  input(bytes: number): void;
  output(bytes: number): void;
}

/** Stops a bomb by its total and by how much it unfolds. */
export function createUnfoldMeter(limits: UnfoldLimits | undefined): UnfoldMeter {
  let bytesIn = 0;
  let bytesOut = 0;
  const refuse = (found: string) => {
    throw new ArchiveError('refused', `it unfolds ${found}, as a compression bomb does`);
  };
  return {
    input: (bytes) => {
      bytesIn += bytes;
    },
    output: (bytes) => {
      bytesOut += bytes;
      if (!limits) return;
      if (bytesOut > limits.maxBytes) refuse(`to more than ${limits.maxBytes} bytes`);
      if (bytesOut > limits.ratioFloorBytes && bytesOut > bytesIn * limits.maxRatio)
        refuse(`more than ${limits.maxRatio} times`);
    },
  };
}

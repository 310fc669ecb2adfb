/** A sample of times in milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Nearest rank: a value that really was measured. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const rank = Math.max(1, Math.ceil(share * sorted.length));
    return Math.round((sorted[rank - 1] ?? 0) * 10) / 10;
  };
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

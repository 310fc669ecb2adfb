/** Compares by code unit, so that an order never depends on the locale of a machine. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A copy with its keys in order. */
export function sortedRecord<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => byText(a, b)));
}

/** Each value once, in order. */
export function sortedUnique(values: Iterable<string>): string[] {
  return [...new Set(values)].toSorted(byText);
}

/** By code units, the same on every machine; never by the words of a locale. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sorts entries of a map or an object by their keys. */
export function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return byText(a, b);
}

/** Sorts by one text of each. */
export function by<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => byText(textOf(a), textOf(b));
}

/** A copy with its keys in order. */
export function sortedRecord<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(byFirst));
}

/** Each value once, in order. */
export function sortedUnique(values: Iterable<string>): string[] {
  return [...new Set(values)].toSorted(byText);
}

/** By code units, the same on every machine; never by the words of a locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sorts entries of a map or an object by their keys. */
export function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b);
}

/** Sorts by one text of each. */
export function by<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => compareText(textOf(a), textOf(b));
}

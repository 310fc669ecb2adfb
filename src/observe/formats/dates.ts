/** The moment that a text names, in any form that JavaScript reads; undefined where it names none. */
export function dateOf(value: unknown): Date | undefined {
  const at = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** The year that puts a date without one at most a day after the reference. */
export function newestBefore(reference: Date, timeIn: (year: number) => number): Date | undefined {
  const year = reference.getUTCFullYear();
  const thisYear = timeIn(year);
  if (Number.isNaN(thisYear)) return undefined;
  return new Date(thisYear <= reference.getTime() + 86_400_000 ? thisYear : timeIn(year - 1));
}

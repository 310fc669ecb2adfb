/** The moment that a text names, in any form that JavaScript reads; undefined where it names none. */
export function dateOf(value: unknown): Date | undefined {
  const at = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

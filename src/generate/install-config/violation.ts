/** One thing that is wrong with an install-config, where, and what to do about it. */
export interface Violation {
  /** Such as `networking.clusterNetwork[0].hostPrefix`. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** The installer refuses errors, or the install fails later because of them; warnings may be meant. */
  readonly severity: 'error' | 'warning';
}

export const error = (path: string, message: string, fix: string): Violation => ({
  path,
  message,
  fix,
  severity: 'error',
});

export const warning = (path: string, message: string, fix: string): Violation => ({
  path,
  message,
  fix,
  severity: 'warning',
});

/** The violation when the condition holds, as a list. */
export function when(condition: boolean, violation: () => Violation): Violation[] {
  return condition ? [violation()] : [];
}

/** A value that is set must be one of these. */
export function oneOf(
  path: string,
  value: string | undefined,
  allowed: readonly string[],
): Violation[] {
  const fix = allowed.length > 0 ? `Write ${allowed.map((one) => `"${one}"`).join(' or ')}` : '';
  return when(!!value && !allowed.includes(value), () =>
    error(path, `"${value}" is not possible here`, fix || 'Remove it'),
  );
}

/** Fields that must be there and not be empty. */
export function missing(path: string, object: object, fields: readonly string[]): Violation[] {
  const values: Readonly<Record<string, unknown>> = { ...object };
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return fields
    .filter((field) => isEmpty(values[field]))
    .map((field) => error(`${path}.${field}`, 'it is missing', 'Name it'));
}

/** Values that stand in a list a second time, with their places. */
export function repeated<T>(values: readonly T[]): { readonly value: T; readonly index: number }[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [{ value, index }] : [],
  );
}

/** Numbers that are below zero. */
export function negative(path: string, object: object | undefined): Violation[] {
  return Object.entries({ ...object })
    .filter(([, value]) => typeof value === 'number' && value < 0)
    .map(([field]) => error(`${path}.${field}`, 'it is negative', 'Use 0 or more'));
}

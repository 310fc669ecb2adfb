/**
 * Checks of JSON that is read for every image or at every start. Our schemas of files (zod) say more
 * about a mistake, but making them takes tens of milliseconds, and so does their first use: a run
 * that finds nothing to do takes only ten times as long.
 */

/** What is wrong, as `layers.0.size: not a whole number`; undefined when nothing is. */
export type Shape = (value: unknown, path?: string) => string | undefined;

export type PlainObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is PlainObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value, or undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function check(test: (value: unknown) => boolean, expected: string): Shape {
  return (value, path = '') => (test(value) ? undefined : wrong(path, `not ${expected}`));
}

export const text = check((value) => typeof value === 'string', 'a text');
export const flag = check((value) => typeof value === 'boolean', 'true or false');
export const wholeNumber = check(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number',
);

/** Absent, or as the shape says. */
export function optional(shape: Shape): Shape {
  return (value, path) => (value === undefined ? undefined : shape(value, path));
}

/** Absent, null, or as the shape says. */
export function nullish(shape: Shape): Shape {
  return (value, path) => (value === undefined || value === null ? undefined : shape(value, path));
}

export function listOf(shape: Shape): Shape {
  return (value, path = '') => {
    if (!Array.isArray(value)) return wrong(path, 'not a list');
    return firstOf(value, (each, index) => shape(each, below(path, index)));
  };
}

/** An object with any keys. */
export function tableOf(shape: Shape): Shape {
  return (value, path = '') => {
    if (!isObject(value)) return wrong(path, 'not an object');
    return firstOf(Object.entries(value), ([key, each]) => shape(each, below(path, key)));
  };
}

/** An object with these fields and any others. */
export function objectOf(fields: Readonly<Record<string, Shape>>): Shape {
  const shapes = Object.entries(fields);
  return (value, path = '') => {
    if (!isObject(value)) return wrong(path, 'not an object');
    return firstOf(shapes, ([key, shape]) => {
      const missing = value[key] === undefined && shape(undefined) !== undefined;
      return missing ? wrong(below(path, key), 'missing') : shape(value[key], below(path, key));
    });
  };
}

function firstOf<T>(
  values: readonly T[],
  problemOf: (value: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const problem = problemOf(value, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function below(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

function wrong(path: string, what: string): string {
  return `${path === '' ? 'the document' : path}: ${what}`;
}

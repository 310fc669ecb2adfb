import { isObject } from '../../../core/shape.ts';

/**
 * Documents of others are read by hand, not by a schema: keys match in any case, as the tools that write
 * them allow, and a field of the wrong type costs that field, never the catalog.
 */
export function fieldOf(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, key)) return value[key] ?? undefined;
  const lower = key.toLowerCase();
  const found = Object.keys(value).find((candidate) => candidate.toLowerCase() === lower);
  return found === undefined ? undefined : (value[found] ?? undefined);
}

/** Undefined unless it is a text; empty ones are undefined, too. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = fieldOf(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Empty unless it is a list. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = fieldOf(value, key);
  return Array.isArray(found) ? found : [];
}

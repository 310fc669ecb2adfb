import { isObject } from '../../core/shape.ts';

/** To the installer, a field without a value is not there. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(present.map(([key, one]) => [key, withoutNulls(one)]));
}

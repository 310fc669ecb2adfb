import type { ApiObject } from '../formats/objects.ts';
import type { ObjectTest, RuleData } from './schema.ts';

/** Whether an object is what a rule describes, at the time the evidence ends. */
export function objectMatches(
  wanted: NonNullable<RuleData['object']>,
  object: ApiObject,
  now: Date,
): boolean {
  if (object.kind !== wanted.kind) return false;
  if (wanted.name !== undefined && object.metadata?.name !== wanted.name) return false;
  return wanted.all.every((test) => passes(test, valueAt(object, test.path), now));
}

function passes(test: ObjectTest, value: unknown, now: Date): boolean {
  const text = value === undefined || value === null ? undefined : String(value);
  if (test.absent) return text === undefined;
  if (test.not) return text === undefined || !test.not.includes(text);
  if (text === undefined) return false;
  if (test.is) return test.is.includes(text);
  if (test.matches !== undefined) return new RegExp(test.matches).test(text);
  return now.getTime() - new Date(text).getTime() > (test.olderMinutes ?? 0) * 60_000;
}

/** `a.b`, and `list[key=value].c` for the first of a list that has this key. */
export function valueAt(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const part of path.split(/\.(?![^[]*\])/)) {
    const [, name = part, key, wanted] = /^([^[]+)\[([^=]+)=([^\]]+)\]$/.exec(part) ?? [];
    value = (value as Record<string, unknown> | null | undefined)?.[name];
    if (key === undefined) continue;
    value = Array.isArray(value) ? value.find((item) => item?.[key] === wanted) : undefined;
  }
  return value;
}

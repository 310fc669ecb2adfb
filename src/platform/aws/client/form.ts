/** Parameters of a call: texts, lists, and fields with names. Undefined ones are left out. */
export type FormValue =
  | string
  | number
  | boolean
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue };

export type FormFields = { readonly [name: string]: FormValue };

/** Names of members as the services want them: EC2 numbers them, the others put a word before. */
export type ListStyle = 'numbered' | 'member';

export function formBody(fields: FormFields, style: ListStyle): string {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => flat(name, value, style)),
  ).toString();
}

function flat(name: string, value: FormValue, style: ListStyle): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  const inside = (key: string, each: FormValue) => flat(`${name}.${key}`, each, style);
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, each]) => inside(key, each));
  const word = style === 'member' ? 'member.' : '';
  return value.flatMap((each: FormValue, index) => inside(`${word}${index + 1}`, each));
}

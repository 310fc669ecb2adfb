import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { nearest } from '../../core/nearest.ts';
import { describe, keyNode, type Reading } from './document.ts';

/** Turns a node into a value, or notes what is wrong with it and answers undefined. */
export type Reader<T> = (node: Node, reading: Reading) => T | undefined;

export const text: Reader<string> = (node, reading) => {
  if (isScalar(node) && typeof node.value === 'string') {
    if (node.value.trim() !== '') return node.value;
    reading.mistake(node, 'expected text, found an empty one');
    return undefined;
  }
  const quotable = isScalar(node) && node.value !== null;
  const hint = quotable ? `write "${node.source ?? node.value}", in quotes` : undefined;
  reading.mistake(node, `expected text, found ${describe(node)}`, hint);
  return undefined;
};

export const flag: Reader<boolean> = (node, reading) => {
  if (isScalar(node) && typeof node.value === 'boolean') return node.value;
  reading.mistake(node, `expected true or false, found ${describe(node)}`);
  return undefined;
};

export const wholeNumber: Reader<number> = (node, reading) => {
  if (isScalar(node) && Number.isSafeInteger(node.value) && Number(node.value) >= 0) {
    return Number(node.value);
  }
  reading.mistake(node, `expected a whole number, found ${describe(node)}`);
  return undefined;
};

/** Text that passes a test; the test answers what is wrong, or undefined. */
export function textThat(
  wrong: (value: string) => string | { message: string; hint: string } | undefined,
): Reader<string> {
  return (node, reading) => {
    const value = text(node, reading);
    const found = value === undefined ? undefined : wrong(value);
    if (found === undefined) return value;
    if (typeof found === 'string') reading.mistake(node, found);
    else reading.mistake(node, found.message, found.hint);
    return undefined;
  };
}

/** One of a few words; `meant` are other spellings people use. */
export function oneOf<const T extends string>(
  choices: readonly T[],
  meant: Readonly<Record<string, T>> = {},
): Reader<T> {
  return (node, reading) => {
    const value = text(node, reading);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found) return found;
    const near = meant[value] ?? nearest(value, choices);
    reading.mistake(
      node,
      `"${value}" is none of ${choices.join(', ')}`,
      near ? `did you mean "${near}"?` : undefined,
    );
    return undefined;
  };
}

export function list<T>(item: Reader<T>, same?: SameItem<T>): Reader<readonly T[]> {
  return (node, reading) => {
    if (!isSeq(node)) {
      reading.mistake(node, `expected a list, found ${describe(node)}`);
      return undefined;
    }
    const values: T[] = [];
    const firstLines = new Map<string, number>();
    for (const raw of node.items) {
      const child = reading.follow(raw);
      const value = child === null ? emptyItem(node, reading) : item(child, reading);
      if (value === undefined || child === null) continue;
      values.push(value);
      if (same) noteRepeat(child, value, same, firstLines, reading);
    }
    return values;
  };
}

/** What makes two items of a list the same, which none may be. */
export interface SameItem<T> {
  readonly key: (item: T) => string | undefined;
  readonly describe: (item: T) => string;
}

function noteRepeat<T>(
  node: Node,
  value: T,
  same: SameItem<T>,
  firstLines: Map<string, number>,
  reading: Reading,
): void {
  const key = same.key(value);
  if (key === undefined) return;
  const first = firstLines.get(key);
  if (first === undefined) firstLines.set(key, reading.lineOf(node));
  else reading.mistake(node, `${same.describe(value)} is listed twice, first on line ${first}`);
}

function emptyItem(node: Node, reading: Reading): undefined {
  reading.mistake(node, 'an item of this list is empty');
}

export type Fields = Readonly<Record<string, Reader<unknown>>>;

/** What was read of each field; undefined where it is absent or wrong. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Reader<infer T> ? T | undefined : never;
};

/** Notes mistakes and warnings at a field, or at the whole where no field is named. */
export interface Report<F extends Fields> {
  mistake(field: keyof F & string, message: string, hint?: string): void;
  warn(field: keyof F & string, message: string, hint?: string): void;
}

export interface MappingRules<F extends Fields> {
  readonly required?: readonly (keyof F & string)[];
  /** Why a field people know from elsewhere is not one here. */
  readonly explain?: Readonly<Record<string, string>>;
  /** What the fields must be together. */
  readonly check?: (values: Values<F>, report: Report<F>) => void;
}

export function mapping<const F extends Fields>(
  fields: F,
  rules: MappingRules<F> = {},
): Reader<Values<F>> {
  return (node, reading) => {
    if (!isMap(node)) {
      reading.mistake(node, `expected a mapping, found ${describe(node)}`);
      return undefined;
    }
    const values: Record<string, unknown> = {};
    for (const pair of node.items) readPair(pair, fields, rules.explain ?? {}, values, reading);
    for (const field of rules.required ?? []) {
      if (!node.has(field)) reading.mistake(node, `"${field}" is missing`);
    }
    rules.check?.(values as Values<F>, reportAt(node, reading));
    return values as Values<F>;
  };
}

function readPair(
  { key, value }: Pair,
  fields: Fields,
  explain: Readonly<Record<string, string>>,
  values: Record<string, unknown>,
  reading: Reading,
): void {
  const keyAt = reading.follow(key);
  const name = isScalar(keyAt) ? String(keyAt.value) : '';
  const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!read) {
    reading.mistake(keyAt, `unknown field "${name}"`, hintFor(name, fields, explain));
    return;
  }
  const node = reading.follow(value);
  // As in Kubernetes, a key without a value is as good as no key.
  if (node === null || (isScalar(node) && node.value === null)) return;
  values[name] = read(node, reading);
}

function hintFor(
  name: string,
  fields: Fields,
  explain: Readonly<Record<string, string>>,
): string | undefined {
  if (Object.hasOwn(explain, name)) return explain[name];
  const near = nearest(name, Object.keys(fields));
  return near ? `did you mean "${near}"?` : `known are ${Object.keys(fields).join(', ')}`;
}

function reportAt<F extends Fields>(node: Node, reading: Reading): Report<F> {
  const at = (field: string) => keyNode(node, field) ?? node;
  return {
    mistake: (field, message, hint) => reading.mistake(at(field), message, hint),
    warn: (field, message, hint) => reading.warn(at(field), message, hint),
  };
}

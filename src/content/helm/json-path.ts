import { AtollError } from '../../core/errors.ts';
import { isObject } from '../../core/shape.ts';

/** One step of a path. */
type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'every' }
  /** Negative ones count from the end. */
  | { readonly kind: 'slice'; readonly start: number | undefined; readonly end: number | undefined }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly value: unknown }
  /** Everything below, at any depth, itself included. */
  | { readonly kind: 'descend' };

/** Finds the values a path leads to. */
export type JsonPath = (root: unknown) => readonly unknown[];

const TOKEN =
  /^(?:(?<descend>\.\.)|\.?\[(?<inner>\?\(.*?\)|'[^']*'|"[^"]*"|[^\]]*)\]|\.(?<every>\*)|\.?(?<name>[A-Za-z_$][\w$/-]*(?:\\.[\w$/-]*)*))/;
const FILTER = /^\?\(\s*@(?<path>[^=!<>]*?)\s*(?:==\s*(?<value>"[^"]*"|'[^']*'|[\w.-]+))?\s*\)$/;
const SLICE = /^(?<start>-?\d+)?:(?<end>-?\d+)?$/;

/** Reads a path as `kubectl` writes it: `{.spec.template.spec.containers[*].image}`, `$..image`. */
export function parseJsonPath(text: string): JsonPath {
  const bare = text
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .trim()
    .replace(/^[$@]/, '');
  const steps = parseSteps(bare, text);
  return (root) => follow([root], steps);
}

function parseSteps(path: string, whole: string): Step[] {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== '' && rest !== '.') {
    const found = TOKEN.exec(rest);
    if (!found?.groups) throw invalid(whole, rest);
    steps.push(stepOf(found.groups, whole));
    rest = rest.slice(found[0].length);
    // `..image` descends, and then takes a field without a dot of its own.
    if (found.groups.descend && rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`;
  }
  return steps;
}

function stepOf(groups: Record<string, string | undefined>, whole: string): Step {
  if (groups.descend) return { kind: 'descend' };
  if (groups.every) return { kind: 'every' };
  if (groups.name !== undefined) return { kind: 'field', name: groups.name.replaceAll('\\.', '.') };
  return bracketStep((groups.inner ?? '').trim(), whole);
}

function bracketStep(inner: string, whole: string): Step {
  if (inner === '*') return { kind: 'every' };
  if (/^-?\d+$/.test(inner)) return { kind: 'index', at: Number(inner) };
  const quoted = /^(['"])(?<name>.*)\1$/.exec(inner)?.groups?.name;
  if (quoted !== undefined) return { kind: 'field', name: quoted };
  const slice = SLICE.exec(inner)?.groups;
  if (slice) return { kind: 'slice', start: numberOf(slice.start), end: numberOf(slice.end) };
  const filter = FILTER.exec(inner)?.groups;
  if (!filter) throw invalid(whole, `[${inner}]`);
  return {
    kind: 'filter',
    path: parseSteps(filter.path ?? '', whole),
    value: filter.value === undefined ? undefined : literalOf(filter.value),
  };
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

function literalOf(text: string): unknown {
  const quoted = /^(['"])(?<body>.*)\1$/.exec(text)?.groups?.body;
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function invalid(whole: string, at: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read the path "${whole}" at "${at}"`, {
    hint: 'Write it as kubectl does: "{.spec.template.spec.containers[*].image}"',
  });
}

function follow(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>(
    (found, step) => found.flatMap((value) => [...take(value, step)]),
    values,
  );
}

function* take(value: unknown, step: Step): Generator<unknown> {
  if (step.kind === 'descend') yield* descend(value);
  else if (step.kind === 'field') {
    const found = isObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
    if (found !== undefined) yield found;
  } else if (step.kind === 'every') yield* membersOf(value);
  else if (Array.isArray(value)) yield* fromList(value, step);
}

function* fromList(list: readonly unknown[], step: Step): Generator<unknown> {
  if (step.kind === 'index') {
    if (list.at(step.at) !== undefined) yield list.at(step.at);
  } else if (step.kind === 'slice') yield* list.slice(step.start, step.end);
  else if (step.kind === 'filter') {
    yield* list.filter((item) => {
      const found = follow([item], step.path);
      return step.value === undefined ? found.length > 0 : found.includes(step.value);
    });
  }
}

function* descend(value: unknown): Generator<unknown> {
  yield value;
  for (const member of membersOf(value)) yield* descend(member);
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

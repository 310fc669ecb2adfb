import { type Document, isMap, isPair, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ZodType, z } from 'zod';
import { AtollError } from './errors.ts';
import { nearest } from './nearest.ts';

/** One mistake in a file, where it is and what to do. Lines and columns count from 1. */
export interface InputProblem {
  /** `cluster.networking.machineNetwork.0`; empty for the whole document. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

export type YamlInput<T> =
  | { readonly value: T; readonly problems: readonly []; readonly locate: Locate }
  | {
      readonly value: undefined;
      readonly problems: readonly InputProblem[];
      readonly locate: Locate;
    };

/** Turns a path inside the document into a place in the file, for checks after parsing. */
export type Locate = (
  path: readonly PropertyKey[],
) => Pick<InputProblem, 'path' | 'line' | 'column'>;

/** Parses YAML against a schema. Every mistake is found in one go, with its place in the file. */
export function parseYamlInput<S extends ZodType>(schema: S, text: string): YamlInput<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const locate: Locate = (path) => ({ path: path.join('.'), ...placeOf(document, lines, path) });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return { path: '', line, column: col, message: error.message };
    });
    return { value: undefined, problems, locate };
  }
  const parsed = schema.safeParse(document.toJS() ?? {}, { reportInput: true });
  if (parsed.success) return { value: parsed.data, problems: [], locate };
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, locate, schema));
  return { value: undefined, problems, locate };
}

/** The error that lists all mistakes of one file. */
export function inputError(file: string, problems: readonly InputProblem[]): AtollError {
  const shown = problems.map(({ line, column, path, message, hint }) => {
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    return `${place}: ${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`;
  });
  const count = problems.length === 1 ? 'one mistake' : `${problems.length} mistakes`;
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use "${file}": found ${count}\n  ${shown.join('\n  ')}`,
    {
      hint: `Correct ${problems.length === 1 ? 'it' : 'them'} and run the command again`,
      details: { file, problems: problems.length },
    },
  );
}

type Issue = z.core.$ZodIssue;

function problemsOf(issue: Issue, locate: Locate, schema: ZodType): InputProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => {
      const close = nearest(key, known);
      return {
        ...locate([...issue.path, key]),
        message: 'unknown field',
        hint: close
          ? `did you mean "${close}"?`
          : known.length > 0
            ? `known: ${known.join(', ')}`
            : undefined,
      };
    });
  }
  return [{ ...locate(issue.path), message: wordsOf(issue) }];
}

function wordsOf(issue: Issue): string {
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((v) => JSON.stringify(v)).join(', ')}`;
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return missing ? `is missing (${issue.expected})` : issue.message.replace(/^Invalid input: /, '');
}

interface Shaped {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly unwrap?: () => unknown;
}

/** The fields a schema knows at a path: what a misspelled one could have meant. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let here = schema;
  for (const part of path) here = stepInto(bare(here), part);
  return Object.keys((bare(here) as Shaped | undefined)?.shape ?? {});
}

function stepInto(schema: unknown, part: PropertyKey): unknown {
  const shaped = schema as Shaped | undefined;
  return typeof part === 'number' ? shaped?.element : shaped?.shape?.[String(part)];
}

/** Without optional, default and the like around it. */
function bare(schema: unknown): unknown {
  let here = schema as Shaped | undefined;
  while (here && !here.shape && !here.element && typeof here.unwrap === 'function') {
    here = here.unwrap() as Shaped | undefined;
  }
  return here;
}

function placeOf(
  document: Document.Parsed,
  lines: LineCounter,
  path: readonly PropertyKey[],
): Pick<InputProblem, 'line' | 'column'> {
  const offset = offsetOf(document.contents as Node | null, path);
  if (offset === undefined) return { line: undefined, column: undefined };
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** Where the key of a path stands; for what is missing, where its nearest parent does. */
function offsetOf(root: Node | null, path: readonly PropertyKey[]): number | undefined {
  let node: Node | null | undefined = root;
  let offset = root?.range?.[0];
  for (const part of path) {
    const found = childOf(node, part);
    if (!found) return offset;
    offset = found.offset ?? offset;
    node = found.value;
  }
  return offset;
}

interface Child {
  readonly offset: number | undefined;
  readonly value: Node | null;
}

function childOf(node: Node | null | undefined, part: PropertyKey): Child | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)] as Node | undefined;
    return item && { offset: item.range?.[0], value: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => isPair(item) && String(item.key) === String(part));
  return pair && { offset: (pair.key as Node).range?.[0], value: pair.value as Node | null };
}

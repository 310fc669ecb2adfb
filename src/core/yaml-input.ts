import { isScalar } from 'yaml';
import type { ZodType, z } from 'zod';
import { AtollError } from './errors.ts';
import { nearest } from './nearest.ts';
import type { YamlDialect } from './yaml.ts';
import { describeNode, type FilePlace, YamlFile } from './yaml-file.ts';

/** One mistake in a file, where it is and what to do. */
export interface InputProblem extends FilePlace {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The message says what it is about: no path is shown before it. */
  readonly complete?: boolean | undefined;
}

/** What a check of a schema may say besides its message, as `params` of its issue. */
export interface IssueNotes {
  readonly hint?: string | undefined;
  /** Where it is shown: at the key unless it says otherwise. */
  readonly at?: 'value' | undefined;
  /** The message says what it is about: no path is shown before it. */
  readonly complete?: boolean | undefined;
  /** The item of the same list that was there before. */
  readonly sameAs?: number | undefined;
}

export type YamlInput<S extends ZodType> =
  | {
      readonly value: z.output<S>;
      /** The document as it was accepted, before defaults and translations. */
      readonly input: z.input<S>;
      readonly problems: readonly [];
      readonly locate: Locate;
    }
  | {
      readonly value: undefined;
      readonly problems: readonly InputProblem[];
      readonly locate: Locate;
    };

/** Turns a path inside the document into a place in the file, for checks after parsing. */
export type Locate = (path: readonly PropertyKey[]) => FilePlace;

export interface YamlInputOptions {
  /** As in Kubernetes, a key without a value is as good as no key. */
  readonly nullIsAbsent?: boolean;
  readonly dialect?: YamlDialect;
  /** The schema is for this one document: making code for it takes longer than reading without. */
  readonly once?: boolean;
}

/**
 * Parses YAML against a schema, or the one that the document itself asks for. Every mistake is found
 * in one go, with its place in the file.
 */
export function parseYamlInput<S extends ZodType>(
  schema: S | ((document: unknown) => S),
  text: string,
  options: YamlInputOptions = {},
): YamlInput<S> {
  const file = new YamlFile(text, options.dialect);
  const locate: Locate = (path) => file.locate(path);
  const read = file.read();
  if ('problems' in read) return { value: undefined, problems: read.problems, locate };
  const input = (options.nullIsAbsent ? withoutNulls(read.value) : read.value) ?? {};
  const chosen = typeof schema === 'function' ? schema(input) : schema;
  const parsed = chosen.safeParse(input, {
    reportInput: true,
    jitless: options.once === true,
    error: (issue) => wordsOf(issue, file),
  });
  const wrong = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => problemsOf(issue, file, chosen));
  const problems = [...file.repeats(), ...wrong];
  if (!parsed.success || problems.length > 0) return { value: undefined, problems, locate };
  return { value: parsed.data, input: input as z.input<S>, problems: [], locate };
}

/** A mistake in words, without its place. */
export function problemText({ path, message, hint, complete }: InputProblem): string {
  const field = path && !complete ? `${path}: ` : '';
  return `${field}${message}${hint ? ` (${hint})` : ''}`;
}

/** The error that lists all mistakes of one file. */
export function inputError(file: string, problems: readonly InputProblem[]): AtollError {
  const sorted = problems.toSorted(byPlace);
  const shown = sorted.slice(0, MAX_SHOWN).map((problem) => {
    const { line, column } = problem;
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    return `${place}: ${problemText(problem)}`;
  });
  if (sorted.length > shown.length) shown.push(`and ${sorted.length - shown.length} more`);
  const count = problems.length === 1 ? 'one mistake' : `${problems.length} mistakes`;
  const { line, column } = sorted[0] ?? {};
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use "${file}": found ${count}\n  ${shown.join('\n  ')}`,
    {
      hint: `Correct ${problems.length === 1 ? 'it' : 'them'} and run the command again`,
      details: {
        file,
        problems: problems.length,
        ...(line === undefined || column === undefined ? {} : { line, column }),
      },
    },
  );
}

function byPlace(a: InputProblem, b: InputProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** Every key stays, so that an unknown one is seen. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null) return undefined;
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutNulls(each)]));
}

type Issue = z.core.$ZodIssue;

/** A file with more unknown fields is another file; each costs a search for its place and for its like. */
const MAX_UNKNOWN = 100;
/** More mistakes than this are counted, not shown. */
const MAX_SHOWN = 100;

function problemsOf(issue: Issue, file: YamlFile, schema: ZodType): InputProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_UNKNOWN)
      .map((key) => unknownField(file, issue.path, key, hintFor(key, issue, schema)));
  }
  if (issue.code === 'invalid_type' && issue.expected === 'never') {
    return [unknownField(file, issue.path.slice(0, -1), issue.path.at(-1), issue.message)];
  }
  if (issue.code === 'custom') return [ownProblem(issue, file)];
  const isMissing = issue.input === undefined;
  const isChoice = issue.code === 'invalid_value';
  const isValue = !isMissing && (isChoice || issue.code === 'invalid_type');
  const place = isValue ? file.locateValue(issue.path) : file.locate(issue.path);
  const complete = isMissing || isChoice;
  return [{ ...place, message: issue.message, hint: meantBy(issue, file), complete }];
}

/** An issue of a check of ours. */
function ownProblem(issue: Extract<Issue, { code: 'custom' }>, file: YamlFile): InputProblem {
  const { hint, at, complete, sameAs }: IssueNotes = issue.params ?? {};
  const first =
    sameAs === undefined ? undefined : file.locate([...issue.path.slice(0, -1), sameAs]);
  const message = first ? `${issue.message}, first on line ${first.line}` : issue.message;
  const place = at === 'value' ? file.locateValue(issue.path) : file.locate(issue.path);
  return { ...place, message, hint, complete };
}

function unknownField(
  file: YamlFile,
  path: readonly PropertyKey[],
  key: PropertyKey | undefined,
  hint: string | undefined,
): InputProblem {
  const name = String(key);
  return {
    ...file.locate([...path, name]),
    message: `unknown field "${name}"`,
    hint,
    complete: true,
  };
}

function hintFor(key: string, { path }: Issue, schema: ZodType): string | undefined {
  const known = keysAt(schema, path);
  const close = nearest(key, known);
  if (close) return `did you mean "${close}"?`;
  return known.length > 0 ? `known are ${known.join(', ')}` : undefined;
}

function meantBy(issue: Issue, file: YamlFile): string | undefined {
  if (issue.code === 'invalid_value' && typeof issue.input === 'string') {
    const close = nearest(issue.input, issue.values.map(String));
    return close && `did you mean "${close}"?`;
  }
  const node = file.nodeAt(issue.path);
  const isText = issue.code === 'invalid_type' && issue.expected === 'string';
  const isHidden = isSecret(issue.path) || looksSecret(issue.input);
  const isQuotable = isText && isScalar(node) && node.value !== null && !isHidden;
  return isQuotable ? `write "${node.source ?? node.value}", in quotes` : undefined;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** What is said of the mistakes that every schema can find; undefined leaves it to zod. */
function wordsOf(issue: z.core.$ZodRawIssue, file: YamlFile): string | undefined {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return undefined;
  if (issue.input === undefined) {
    const field = issue.path?.at(-1);
    return typeof field === 'number'
      ? 'an item of this list is empty'
      : `"${String(field ?? '')}" is missing`;
  }
  const isHidden = isSecret(issue.path) || looksSecret(issue.input);
  const found = describeNode(file.nodeAt(issue.path ?? []), isHidden);
  if (issue.code === 'invalid_type') {
    return `expected ${EXPECTED[issue.expected] ?? issue.expected}, found ${found}`;
  }
  const isWord = typeof issue.input === 'string' && !isHidden;
  return `${isWord ? `"${issue.input}"` : found} is none of ${issue.values.join(', ')}`;
}

const SECRET = /pass|secret|token|auth|key/i;

/** Whether a value must not be repeated in a message. */
function isSecret(path: readonly PropertyKey[] = []): boolean {
  return SECRET.test(String(path.findLast((part) => typeof part === 'string') ?? ''));
}

/** Longer than any word that is asked for, or of several lines: a secret in the wrong place. */
const looksSecret = (value: unknown): boolean =>
  // Of a mapping or a list only that it is one is said; and its fields may have the names of methods.
  typeof value !== 'object' && /^.{33}|[\n{}]/s.test(String(value));

interface Shaped {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly in?: unknown;
  readonly unwrap?: () => unknown;
  readonly type?: string;
}

/** The fields a schema knows at a path: what a misspelled one could have meant. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let here = schema;
  for (const part of path) here = stepInto(bare(here), part);
  return Object.entries(bare(here)?.shape ?? {})
    .filter(([, field]) => bare(field)?.type !== 'never')
    .map(([key]) => key);
}

function stepInto(schema: Shaped | undefined, part: PropertyKey): unknown {
  return typeof part === 'number' ? schema?.element : schema?.shape?.[String(part)];
}

/** Without optional, default, a transformation and the like around it. */
function bare(schema: unknown): Shaped | undefined {
  let here = schema as Shaped | undefined;
  while (here && !here.shape && !here.element) {
    const inner = here.in ?? here.unwrap?.();
    if (inner === undefined) return here;
    here = inner as Shaped;
  }
  return here;
}

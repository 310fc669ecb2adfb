import {
  type CreateNodeOptions,
  Document,
  type DocumentOptions,
  LineCounter,
  type Node,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
  type Tags,
  type ToJSOptions,
  type ToStringOptions,
  visit,
  YAMLParseError,
} from 'yaml';
import { AtollError, messageOf } from './errors.ts';
import { isTooDeep, repeatedKeys, TOO_DEEP } from './yaml-tree.ts';

type DialectOptions = ParseOptions & DocumentOptions & SchemaOptions & ToJSOptions;

/** Which values a plain word stands for, and what else differs between readers of YAML. */
export const YAML_DIALECTS = {
  /** Files of ours and objects of Kubernetes: YAML 1.2, and a key that is there twice is a mistake. */
  strict: {},
  /** What catalogs and charts are read with: merge keys count, and of a key that is there twice the last one. */
  lenient: { merge: true, uniqueKeys: false },
  /** YAML 1.1, where `yes` is true and 010 is eight, but times and dates are text: what the CI reads. */
  'yaml-1.1': {
    version: '1.1',
    merge: true,
    customTags: (tags: Tags) => tags.filter((tag) => !isTime(tag)),
  },
} as const satisfies Record<string, DialectOptions>;

export type YamlDialect = keyof typeof YAML_DIALECTS;

function isTime(tag: Tags[number]): boolean {
  return typeof tag !== 'string' && (tag.format === 'TIME' || tag.tag.endsWith(':timestamp'));
}

export interface YamlDocument {
  /** Why it is not what it should be. It may have a value all the same. */
  readonly error: YamlError | undefined;
  value(): unknown;
  /** As it is written, comments included, without what stands before the document. */
  text(): string;
}

/** What is wrong with a text: `code` says what, in few words. */
export interface YamlError extends Error {
  readonly code: string;
  readonly linePos?: readonly [{ readonly line: number; readonly col: number }, ...unknown[]];
}

/** Every document of a text. One that would unfold without end has an error instead of a value. */
export function yamlDocuments(text: string, dialect: YamlDialect): YamlDocument[] {
  if (isTooDeep(text)) return [broken(new YAMLParseError([0, 1], 'RESOURCE_EXHAUSTION', TOO_DEEP))];
  const lines = new LineCounter();
  const options = { ...YAML_DIALECTS[dialect], uniqueKeys: false, lineCounter: lines };
  const checksKeys = !('uniqueKeys' in YAML_DIALECTS[dialect]);
  return [...parseAllDocuments(text, { ...options, logLevel: 'error' })].map((document) => {
    const [repeated] = checksKeys ? repeatedKeys(document) : [];
    const error =
      document.errors[0] ?? (repeated && repeatError(repeated, lines)) ?? bomb(document);
    if (error && document.errors.length === 0 && !repeated) return broken(error);
    return {
      error,
      value: () => document.toJS(),
      text: () => document.toString({ directives: false }),
    };
  });
}

function broken(error: YamlError): YamlDocument {
  return { error, value: () => undefined, text: () => '' };
}

function repeatError(key: Node, lines: LineCounter): YamlError {
  const [start = 0] = key.range ?? [];
  const error = new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', 'Map keys must be unique');
  error.linePos = [lines.linePos(start)];
  return error;
}

/** Aliases that lead to far more than is written, or nowhere. */
function bomb(document: Document.Parsed): YamlError | undefined {
  if (!hasAliases(document)) return undefined;
  try {
    document.toJS();
    return undefined;
  } catch (error) {
    return new YAMLParseError([0, 1], 'BAD_ALIAS', messageOf(error));
  }
}

function hasAliases(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** The value of a text of one document; undefined when it is empty. Throws what is wrong with it. */
export function parseYaml(text: string, dialect: YamlDialect): unknown {
  const [first, second] = yamlDocuments(text, dialect);
  if (first?.error) throw first.error;
  if (second) throw new Error('a second document follows the first');
  return first?.value() ?? undefined;
}

/** Every document of a YAML or JSON text; `subject` names it in errors. Empty documents are left out. */
export function readYaml(text: string, subject: string): unknown[] {
  return yamlDocuments(text, 'strict').flatMap((document) => {
    const { error } = document;
    if (error) {
      const at = error.linePos?.[0];
      const where = at ? ` line ${at.line}, column ${at.col}` : '';
      throw new AtollError(
        'INPUT_INVALID',
        `Cannot read ${subject}:${where} ${error.code.toLowerCase().replaceAll('_', ' ')}`,
        { hint: 'Correct the YAML at that place', cause: error },
      );
    }
    const value = document.value();
    return value === null || value === undefined ? [] : [value];
  });
}

/** What some readers take for the end of a line, for nothing, or for no YAML at all. */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\ufeff]/g;
/** `oc` and the installer refuse a block that starts with a tab. */
const TAB_FIRST = /^\n*\t/;

/**
 * One or more YAML documents. Keys keep the order of the objects; strings that YAML 1.1 readers
 * (`oc` is one) would take for something else are quoted; long lines are never folded.
 */
export function toYaml(...documents: readonly unknown[]): string {
  // A folded block would join lines that a certificate needs apart.
  return documents.map((value) => format(value, { blockQuote: 'literal' })).join('---\n');
}

/** The same, with every text on one line. */
export function toYamlLines(value: unknown): string {
  return format(value, { blockQuote: false });
}

function format(value: unknown, options: ToStringOptions): string {
  const document = new Document(value, WRITTEN);
  visit(document, {
    Scalar(_key, node) {
      const text = typeof node.value === 'string' ? node.value : '';
      if (text.search(UNSEEN) >= 0 || TAB_FIRST.test(text)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ lineWidth: 0, ...options });
  return text.replaceAll(UNSEEN, (char) => `\\u${hex(char)}`);
}

const WRITTEN = {
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
} as const satisfies DialectOptions & CreateNodeOptions;

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');

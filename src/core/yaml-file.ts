import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  parseDocument,
} from 'yaml';
import { messageOf } from './errors.ts';
import { lowerFirst } from './format.ts';
import { YAML_DIALECTS, type YamlDialect } from './yaml.ts';
import { isTooDeep, repeatedKeys, TOO_DEEP } from './yaml-tree.ts';

/** A place in a file. Lines and columns count from 1. */
export interface FilePlace {
  /** `cluster.networking.machineNetwork.0`; empty for the whole document. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

interface FileProblem extends FilePlace {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A text as a tree whose nodes know where they are. */
export class YamlFile {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  readonly #second: Document.Parsed | undefined;
  readonly #refusal: string | undefined;

  constructor(text: string, dialect: YamlDialect = 'strict') {
    this.#refusal = refusalOf(text);
    const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false };
    const [first, second] = parseAllDocuments(this.#refusal ? '' : text, {
      ...YAML_DIALECTS[dialect],
      ...options,
    });
    this.#document = first ?? parseDocument('');
    this.#second = second;
  }

  /** The whole as a value; what is there twice does not hide the mistakes in the rest. */
  read(): { readonly value: unknown } | { readonly problems: FileProblem[] } {
    if (this.#refusal) return { problems: [this.#problem(0, this.#refusal)] };
    const broken = this.#document.errors;
    if (broken.length > 0) {
      return {
        problems: broken.map((error) => this.#problem(error.pos[0], lowerFirst(error.message))),
      };
    }
    try {
      const value: unknown = this.#document.toJS();
      if (!holdsItself(value)) return { value };
      return { problems: [this.#problem(0, 'an alias stands inside what it stands for')] };
    } catch (error) {
      // Aliases that lead nowhere, or to far more than is written.
      return { problems: [this.#problem(0, lowerFirst(messageOf(error)))] };
    }
  }

  repeats(): FileProblem[] {
    const keys = repeatedKeys(this.#document).map(({ range }) =>
      this.#problem(range?.[0] ?? 0, 'this key is here twice'),
    );
    if (!this.#second) return keys;
    const start = this.#second.contents?.range?.[0] ?? this.#second.range[0];
    const hint = 'Put it in a file of its own';
    return [...keys, { ...this.#problem(start, 'a second document starts here'), hint }];
  }

  /** Where the key of a path stands; for what is missing, where its nearest parent does. */
  locate(path: readonly PropertyKey[]): FilePlace {
    return this.#at(path, ({ key, value }) => key ?? value);
  }

  locateValue(path: readonly PropertyKey[]): FilePlace {
    return this.#at(path, ({ key, value }) => value ?? key);
  }

  nodeAt(path: readonly PropertyKey[]): Node | null | undefined {
    const steps = this.#steps(path);
    return steps.length === path.length + 1 ? steps.at(-1)?.value : undefined;
  }

  #at(path: readonly PropertyKey[], choose: (step: Step) => Node | null | undefined): FilePlace {
    const offset = this.#steps(path)
      .flatMap((step) => choose(step)?.range?.[0] ?? [])
      .at(-1);
    return { path: path.join('.'), ...(offset === undefined ? NOWHERE : this.#place(offset)) };
  }

  /** The way down to a path, as far as it goes. */
  #steps(path: readonly PropertyKey[]): Step[] {
    const steps: Step[] = [{ value: this.#document.contents as Node | null }];
    for (const part of path) {
      const next = childOf(steps.at(-1)?.value, part);
      if (!next) break;
      const { value } = next;
      steps.push({
        ...next,
        value: isAlias(value) ? (value.resolve(this.#document) ?? null) : value,
      });
    }
    return steps;
  }

  #place(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #problem(offset: number, message: string): FileProblem {
    return { path: '', ...this.#place(offset), message };
  }
}

/** A person's file is far smaller; reading this much with its places takes many seconds. */
const MAX_LENGTH = 2 * 1024 * 1024;

export const isTooLong = (text: string): boolean => text.length > MAX_LENGTH;

function refusalOf(text: string): string | undefined {
  if (isTooLong(text)) {
    return `it has ${text.length} characters, more than the ${MAX_LENGTH} that such a file may have`;
  }
  return isTooDeep(text) ? TOO_DEEP : undefined;
}

function holdsItself(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above.includes(value)) return true;
  const here = [...above, value];
  return Object.values(value).some((each) => holdsItself(each, here));
}

const NOWHERE = { line: undefined, column: undefined };

interface Step {
  readonly key?: Node | undefined;
  readonly value: Node | null;
}

function childOf(node: Node | null | undefined, part: PropertyKey): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)] as Node | undefined;
    return item && { value: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => isPair(item) && String(item.key) === String(part));
  return pair && { key: pair.key as Node, value: pair.value as Node | null };
}

/** What a value is, in words: `a list`, `the number 4.18`. */
export function describeNode(node: Node | null | undefined, isSecret: boolean): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  const { value } = node;
  const kind = typeof value === 'string' ? 'text' : 'number';
  if (isSecret) return `a ${kind}`;
  if (typeof value === 'boolean') return String(value);
  return `the ${kind} ${kind === 'text' ? `"${value}"` : (node.source ?? value)}`;
}

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLMap,
  type Document as YamlDocument,
} from 'yaml';
import { AtollError } from '../../core/errors.ts';

/** Something wrong, or worth knowing, at a place in a file. */
export interface Remark {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** A YAML file being read: every mistake is noted, and thrown together at the end. */
export class Reading {
  readonly file: string;
  readonly mistakes: Remark[] = [];
  readonly warnings: Remark[] = [];
  readonly #document: YamlDocument;
  readonly #lines = new LineCounter();

  constructor(text: string, file: string) {
    this.file = file;
    const documents = parseAllDocuments(text, { lineCounter: this.#lines, prettyErrors: false });
    const [first, second] = 'empty' in documents ? [] : documents;
    this.#document = (first ?? parseAllDocuments('{}')[0]) as YamlDocument;
    for (const { code, message, pos } of this.#document.errors) {
      const said = code === 'DUPLICATE_KEY' ? 'this key is here twice' : lowerFirst(message);
      this.mistakes.push({ message: said, ...this.#position(pos[0]) });
    }
    if (second) this.mistake(second.contents, 'a second document starts here', ONE_DOCUMENT);
  }

  get root(): Node | null {
    return this.#document.contents;
  }

  mistake(node: Node | null | undefined, message: string, hint?: string): void {
    this.mistakes.push({ message, hint, ...this.#position(node?.range?.[0] ?? 0) });
  }

  warn(node: Node | null | undefined, message: string, hint?: string): void {
    this.warnings.push({ message, hint, ...this.#position(node?.range?.[0] ?? 0) });
  }

  lineOf(node: Node | null | undefined): number {
    return this.#position(node?.range?.[0] ?? 0).line;
  }

  /** The node itself, or what an alias stands for. */
  follow(node: unknown): Node | null {
    if (isAlias(node)) return node.resolve(this.#document) ?? null;
    return (node as Node | null | undefined) ?? null;
  }

  /** Throws when anything was wrong, with every mistake and where it is. */
  throwMistakes(): void {
    const sorted = this.mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const [first] = sorted;
    if (!first) return;
    const count = sorted.length === 1 ? '1 mistake' : `${sorted.length} mistakes`;
    const lines = sorted.map((mistake) => `  ${this.file}:${formatRemark(mistake)}`);
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot use "${this.file}": ${count}\n${lines.join('\n')}`,
      {
        hint: sorted.length === 1 ? first.hint : undefined,
        details: { file: this.file, line: first.line, column: first.column, count: sorted.length },
      },
    );
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

const ONE_DOCUMENT = 'Put each image set in a file of its own';

export function formatRemark({ message, hint, line, column }: Remark): string {
  return `${line}:${column}: ${message}${hint ? ` (${hint})` : ''}`;
}

/** The node of a key, for messages about the key itself. */
export function keyNode(map: Node | null, key: string): Node | undefined {
  if (!isMap(map)) return undefined;
  const pair = (map as YAMLMap).items.find((item) => isScalar(item.key) && item.key.value === key);
  return pair?.key as Node | undefined;
}

/** What a value is, in words: `a list`, `the number 4.18`. */
export function describe(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  const { value } = node;
  if (typeof value === 'string') return `the text "${value}"`;
  if (typeof value === 'number' || typeof value === 'bigint') {
    return `the number ${node.source ?? value}`;
  }
  return `${value}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

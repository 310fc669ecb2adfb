import { parse } from 'yaml';
import { messageOf } from '../../../core/errors.ts';
import { JsonSplitter } from './json-splitter.ts';
import { YamlSplitter } from './yaml-splitter.ts';

/** One document of a catalog: what it says, and the bytes it says it with. */
export interface CatalogDocument {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: Buffer;
  readonly format: 'json' | 'yaml';
}

/**
 * The documents of one file, as a stream: JSON objects one after the other, or YAML documents. Only one
 * document is in memory at a time. Throws a plain `Error` that says what is wrong, without the file's name.
 */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<CatalogDocument> {
  let splitter: Splitter | undefined;
  let count = 0;
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    splitter ??= splitterFor(chunk);
    for (const document of splitter?.push(chunk) ?? []) {
      count += 1;
      yield* documentOf(document, count);
    }
  }
  for (const document of splitter?.end() ?? []) yield* documentOf(document, count + 1);
}

const OPEN_BRACE = 0x7b;

interface Splitter {
  push(chunk: Buffer): (Buffer | string)[];
  end(): string[];
}

/** By what the file starts with, not by its name; undefined while there was only white space. */
function splitterFor(chunk: Buffer): Splitter | undefined {
  const first = chunk.find((byte) => byte > 0x20);
  if (first === undefined) return undefined;
  if (first !== OPEN_BRACE) return new YamlSplitter();
  const json = new JsonSplitter();
  return {
    push: (next) => json.push(next),
    end: () => {
      json.end();
      return [];
    },
  };
}

function* documentOf(raw: Buffer | string, count: number): Generator<CatalogDocument> {
  const text = typeof raw === 'string' ? Buffer.from(raw) : raw;
  const { value, format } = parseText(text.toString('utf8'), count);
  if (value === null || value === undefined) return;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`document ${count} is not an object`);
  }
  yield { value: value as Record<string, unknown>, text, format };
}

function parseText(
  text: string,
  count: number,
): { value: unknown; format: CatalogDocument['format'] } {
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text), format: 'json' };
    } catch {
      // YAML's flow style looks like JSON and is not.
    }
  }
  try {
    return { value: parse(text, { merge: true, logLevel: 'silent' }), format: 'yaml' };
  } catch (error) {
    const [first = ''] = messageOf(error).split('\n');
    throw new Error(`document ${count} cannot be read: ${first.replace(/:$/, '')}`);
  }
}

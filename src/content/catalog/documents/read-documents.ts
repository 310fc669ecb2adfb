import { messageOf } from '../../../core/errors.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { JsonSplitter, MAX_DOCUMENT_BYTES } from './json-splitter.ts';

/** One document of a catalog: what it says, and the bytes it says it with. */
export interface CatalogDocument {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: Buffer;
  readonly format: 'json' | 'yaml';
}

/**
 * Turns the bytes of one file into its documents: JSON objects one after the other, or YAML documents.
 * Only one document is in memory at a time. Throws a plain `Error` that says what is wrong, without the
 * file's name; after that it is of no more use.
 */
export class DocumentReader {
  #splitter: Splitter | undefined;
  #count = 0;

  push(bytes: Uint8Array): CatalogDocument[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#splitter ??= splitterFor(chunk);
    return (this.#splitter?.push(chunk) ?? []).flatMap((raw) => this.#documents(raw));
  }

  end(): CatalogDocument[] {
    return (this.#splitter?.end() ?? []).flatMap((raw) => this.#documents(raw));
  }

  #documents(raw: Buffer | string): CatalogDocument[] {
    this.#count += 1;
    const text = typeof raw === 'string' ? Buffer.from(raw) : raw;
    const { value, format } = parseText(text.toString('utf8'), this.#count);
    if (value === null || value === undefined) return [];
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw new Error(`document ${this.#count} is not an object`);
    }
    return [{ value: value as Record<string, unknown>, text, format }];
  }
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
    return { value: parseYaml(text, 'lenient'), format: 'yaml' };
  } catch (error) {
    const [first = ''] = messageOf(error).split('\n');
    throw new Error(`document ${count} cannot be read: ${first.replace(/:$/, '')}`);
  }
}

const SEPARATOR = /^---(?=\s|$)/;
const END = /^\.\.\.(?=\s|$)/;

/** Cuts a stream of YAML into its documents; a line that starts with `---` always separates them. */
class YamlSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines: string[] = [];
  #length = 0;

  push(chunk: Buffer): string[] {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    this.#refuseLong(this.#rest.length);
    return lines.flatMap((line) => this.#line(line));
  }

  end(): string[] {
    const last = this.#line(this.#rest + this.#decoder.decode());
    this.#rest = '';
    return [...last, ...this.#take()];
  }

  #line(line: string): string[] {
    if (END.test(line)) return this.#take();
    if (!SEPARATOR.test(line)) {
      this.#add(line);
      return [];
    }
    const done = this.#take();
    // `--- {schema: …}`: what follows on the line belongs to the next document.
    const content = line.slice(3).trim();
    if (content !== '') this.#add(content);
    return done;
  }

  #add(line: string): void {
    this.#length += line.length + 1;
    this.#refuseLong(0);
    this.#lines.push(line);
  }

  #take(): string[] {
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#length = 0;
    return text.trim() === '' ? [] : [text];
  }

  #refuseLong(more: number): void {
    if (this.#length + more > MAX_DOCUMENT_BYTES) {
      throw new Error(`a document is longer than ${MAX_DOCUMENT_BYTES} characters`);
    }
  }
}

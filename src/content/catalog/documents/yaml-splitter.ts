import { MAX_DOCUMENT_BYTES } from './json-splitter.ts';

const SEPARATOR = /^---(?=\s|$)/;
const END = /^\.\.\.(?=\s|$)/;

/** Cuts a stream of YAML into its documents; a line that starts with `---` always separates them. */
export class YamlSplitter {
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

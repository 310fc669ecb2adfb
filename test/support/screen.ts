/** A terminal small enough to be obviously right: text, line ends, cursor up, clear below, wrapping. */
export class FakeScreen {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  /** Everything written, one entry a write. */
  readonly writes: string[] = [];
  #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns = 80, rows = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  readonly write = (text: string): boolean => {
    this.writes.push(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this reads.
    for (const token of text.match(/\x1b\[[0-9;?]*[a-zA-Z]|[\s\S]/gu) ?? []) this.#apply(token);
    return true;
  };

  /** The lines as a person sees them, without empty ones at the end. */
  get text(): string[] {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
      .split('\n');
  }

  #apply(token: string): void {
    if (token === '\r') this.#column = 0;
    else if (token === '\n') this.#newLine();
    else if (token.startsWith('\x1b[')) this.#escape(token);
    else this.#put(token);
  }

  #escape(token: string): void {
    const count = Number.parseInt(token.slice(2), 10) || 1;
    if (token.endsWith('A')) this.#row = Math.max(0, this.#row - count);
    if (token.endsWith('J')) {
      this.#lines = this.#lines.slice(0, this.#row + 1);
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    }
  }

  #put(character: string): void {
    if (this.#column >= this.columns) this.#newLine();
    const line = this.#lines[this.#row] ?? '';
    const before = line.slice(0, this.#column).padEnd(this.#column);
    this.#lines[this.#row] = before + character + line.slice(this.#column + character.length);
    this.#column += character.length;
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= '';
  }
}

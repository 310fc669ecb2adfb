const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const DASH = 0x2d;

/** Longer than any honest document of a catalog; real bundles have a few megabytes. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Cuts a stream of concatenated JSON objects into its objects without parsing them. It looks only at
 * strings and brackets, so what it returns is balanced, not necessarily valid.
 */
export class JsonSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #offset = 0;

  /** The objects that end in this chunk. Throws a plain `Error` that says what is wrong, and where. */
  push(chunk: Buffer): Buffer[] {
    const done: Buffer[] = [];
    let start = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#inString) this.#string(byte);
      else if (this.#depth === 0) {
        if (this.#opens(byte, this.#offset + at)) start = at;
      } else if (this.#inside(byte)) {
        done.push(this.#take(chunk.subarray(start, at + 1)));
        start = -1;
      }
    }
    if (start >= 0) this.#keep(chunk.subarray(start));
    this.#offset += chunk.length;
    return done;
  }

  /** To be called when there is no more: an object that is still open is an error. */
  end(): void {
    if (this.#depth > 0) throw new Error('the last object is not closed');
  }

  #string(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  /** Between objects: white space, and the `---` that YAML puts there. */
  #opens(byte: number, offset: number): boolean {
    if (byte === OPEN_BRACE) {
      this.#depth = 1;
      return true;
    }
    if (byte <= 0x20 || byte === DASH) return false;
    throw new Error(`found "${String.fromCharCode(byte)}" at byte ${offset} instead of an object`);
  }

  /** Whether this byte closes the object. */
  #inside(byte: number): boolean {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #keep(part: Buffer): void {
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > MAX_DOCUMENT_BYTES) {
      throw new Error(`an object is longer than ${MAX_DOCUMENT_BYTES} bytes`);
    }
    this.#pending.push(part);
  }

  #take(last: Buffer): Buffer {
    // Always a copy: a slice would hold on to the whole chunk it came in.
    const whole = Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }
}

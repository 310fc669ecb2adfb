import { ProtocolError, type ResponseHead } from './response-head.ts';

/** Takes the framing off a body. `pieces` share the memory of what was pushed. */
export interface BodyDecoder {
  /** Bytes still to come where the head said how many. */
  readonly left: number | undefined;
  push(bytes: Buffer): Decoded;
  /** Whether the body is whole if the peer closes now. */
  closed(): boolean;
}

export interface Decoded {
  readonly pieces: readonly Buffer[];
  readonly done: boolean;
  /** Bytes after the end of the body, which no honest peer sends. */
  readonly excess: boolean;
}

const LENGTH = /^\d{1,15}$/;
const MAX_LINE = 4096;
const MAX_TRAILERS = 64 * 1024;

/** The decoder a head asks for (RFC 9112, section 6.3). */
export function decoderFor(head: ResponseHead, method: string): BodyDecoder {
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return new LengthDecoder(0);
  const encoding = head.headers['transfer-encoding'];
  if (encoding !== undefined) return byTransferEncoding(encoding);
  const length = head.headers['content-length'];
  return length === undefined ? untilClose() : new LengthDecoder(parseLength(length));
}

function byTransferEncoding(encoding: string): BodyDecoder {
  if (encoding.toLowerCase() === 'chunked') return new ChunkedDecoder();
  throw new ProtocolError(`the transfer encoding "${encoding}" is not known`);
}

/** Repeated headers were joined: equal values are one value, others are an attack. */
function parseLength(text: string): number {
  if (LENGTH.test(text)) return Number(text);
  const values = new Set(text.split(',').map((value) => value.trim()));
  const [value = ''] = values;
  if (values.size !== 1 || !LENGTH.test(value)) {
    throw new ProtocolError('the Content-Length of the answer is malformed');
  }
  return Number(value);
}

class LengthDecoder implements BodyDecoder {
  left: number;

  constructor(length: number) {
    this.left = length;
  }

  push(bytes: Buffer): Decoded {
    const piece = bytes.length > this.left ? bytes.subarray(0, this.left) : bytes;
    this.left -= piece.length;
    return {
      pieces: piece.length > 0 ? [piece] : [],
      done: this.left === 0,
      excess: bytes.length > piece.length,
    };
  }

  closed(): boolean {
    return this.left === 0;
  }
}

function untilClose(): BodyDecoder {
  return {
    left: undefined,
    push: (bytes) => ({ pieces: bytes.length > 0 ? [bytes] : [], done: false, excess: false }),
    closed: () => true,
  };
}

type State = 'size' | 'data' | 'data-end' | 'trailers' | 'done';

class ChunkedDecoder implements BodyDecoder {
  readonly left = undefined;
  #state: State = 'size';
  #chunkLeft = 0;
  #line = '';
  #trailers = 0;

  push(bytes: Buffer): Decoded {
    const pieces: Buffer[] = [];
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      at = this.#state === 'data' ? this.#takeData(bytes, at, pieces) : this.#takeLine(bytes, at);
    }
    return { pieces, done: this.#state === 'done', excess: at < bytes.length };
  }

  closed(): boolean {
    return this.#state === 'done';
  }

  #takeData(bytes: Buffer, at: number, pieces: Buffer[]): number {
    const end = Math.min(bytes.length, at + this.#chunkLeft);
    pieces.push(bytes.subarray(at, end));
    this.#chunkLeft -= end - at;
    if (this.#chunkLeft === 0) this.#state = 'data-end';
    return end;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline < 0 ? bytes.length : newline;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > MAX_LINE) throw new ProtocolError('a chunk of the answer is malformed');
    if (newline < 0) return end;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    this.#finishLine(line);
    return end + 1;
  }

  #finishLine(line: string): void {
    if (this.#state === 'size') this.#startChunk(line);
    else if (this.#state === 'data-end') this.#endChunk(line);
    else this.#endTrailer(line);
  }

  #startChunk(line: string): void {
    const size = line.split(';')[0]?.trim() ?? '';
    if (!/^[0-9a-f]{1,12}$/i.test(size)) {
      throw new ProtocolError('a chunk of the answer is malformed');
    }
    this.#chunkLeft = Number.parseInt(size, 16);
    this.#state = this.#chunkLeft === 0 ? 'trailers' : 'data';
  }

  #endChunk(line: string): void {
    if (line !== '') throw new ProtocolError('a chunk of the answer is longer than it said');
    this.#state = 'size';
  }

  #endTrailer(line: string): void {
    this.#trailers += line.length;
    if (this.#trailers > MAX_TRAILERS) throw new ProtocolError('the trailers are too long');
    if (line === '') this.#state = 'done';
  }
}

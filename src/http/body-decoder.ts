import { addHeader, ProtocolError, type ResponseHead } from './response-head.ts';

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
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
const CHUNK_SIZE = new RegExp(`^([0-9a-fA-F]{1,12})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const MAX_LINE = 4096;
const MAX_TRAILERS = 64 * 1024;
/** What frames a body belongs into the head. */
const FRAMING = ['content-length', 'transfer-encoding'];

/** The decoder a head asks for (RFC 9112, section 6.3). What could be read in two ways is refused. */
export function decoderFor({ headers, status }: ResponseHead, method: string): BodyDecoder {
  const encoding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (length !== undefined && !LENGTH.test(length)) {
    throw new ProtocolError('the Content-Length of the answer is malformed');
  }
  if (length !== undefined && encoding !== undefined) {
    throw new ProtocolError('the answer has a Content-Length and a transfer encoding');
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    throw new ProtocolError(`the transfer encoding "${encoding}" is not known`);
  }
  if (method === 'HEAD' || status === 204 || status === 304) return new LengthDecoder(0);
  if (encoding !== undefined) return new ChunkedDecoder();
  return length === undefined ? untilClose() : new LengthDecoder(Number(length));
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
    if (!this.#line.endsWith('\r')) throw new ProtocolError('a chunk of the answer is malformed');
    const line = this.#line.slice(0, -1);
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
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new ProtocolError('a chunk of the answer is malformed');
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
    else checkTrailer(line);
  }
}

/** Trailers are read to be sure where they end, and for nothing else. */
function checkTrailer(line: string): void {
  const trailer: Record<string, string> = Object.create(null);
  addHeader(trailer, line);
  if (FRAMING.some((name) => name in trailer)) {
    throw new ProtocolError('a trailer of the answer is malformed');
  }
}

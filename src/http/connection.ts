import type { Socket } from 'node:net';
import { type BodyDecoder, type Decoded, decoderFor } from './body-decoder.ts';
import type { Landing } from './landing.ts';
import { endOfHead, ProtocolError, parseHead, type ResponseHead } from './response-head.ts';
import { StallError, Watchdog, type WatchdogTimes } from './watchdog.ts';

/** Who takes the answer of the request that is under way. */
export interface Receiver {
  /** Whether nothing more should be read until it asks to go on. */
  readonly full: boolean;
  head(head: ResponseHead): void;
  /** `release` gives the memory back to the reader. */
  chunk(bytes: Uint8Array, release: () => void): void;
  /** The answer is whole; `reusable` says whether the connection can take another request. */
  end(reusable: boolean): void;
  fail(error: unknown): void;
}

/** The peer closed before its answer was whole. */
export class CutError extends Error {
  override readonly name = 'CutError';
  /** Whether any byte of the answer had come. */
  readonly answered: boolean;

  constructor(answered: boolean) {
    super(
      answered ? 'the connection was cut in the middle of the answer' : 'the connection was cut',
    );
    this.answered = answered;
  }
}

const EMPTY = Buffer.alloc(0);
const NOTHING: Decoded = { pieces: [], done: false, excess: false };

/** One keep-alive connection: HTTP/1.1, one request at a time, read into buffers that go round. */
export class Connection {
  readonly #landing: Landing;
  readonly #watchdog: Watchdog;
  readonly #stallTimeoutMs: number;
  #socket: Socket | undefined;
  #receiver: Receiver | undefined;
  #decoder: BodyDecoder | undefined;
  #head = EMPTY;
  #answered = false;
  #method = '';
  /** Bytes of the request's body that were not handed over yet. */
  #bodyLeft = 0;
  #finished = true;
  #writing = 0;
  /** Whether the socket's own timeout is armed. */
  #isTimed = false;
  #paused = false;
  #gathering: NodeJS.Immediate | undefined;
  #closing = false;
  #error: unknown;
  /** Requests this connection has taken. */
  uses = 0;
  /** Milliseconds the server said it keeps an unused connection. */
  serverKeepAliveMs: number | undefined;

  constructor(landing: Landing, times: WatchdogTimes) {
    this.#landing = landing;
    this.#stallTimeoutMs = times.stallTimeoutMs;
    this.#watchdog = new Watchdog(times, (error) => this.destroy(error));
  }

  /** For `net.connect` and `tls.connect`: reads land in our buffers, without a stream between. */
  get onread() {
    return {
      buffer: () => this.#landing.next(this.#expected()),
      callback: (length: number) => {
        this.#landing.landed(length);
        if (this.#gathers()) this.#gathering ??= setImmediate(() => this.#deliver());
        else this.#deliver();
        return !this.#paused;
      },
    };
  }

  /** Takes over a connected socket; with `onread` its data comes there, else as events. */
  attach(socket: Socket, usesOnread: boolean): void {
    this.#socket = socket;
    if (!usesOnread) socket.on('data', (bytes: Buffer) => this.#feed(bytes, () => undefined));
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('timeout', () => this.#timedOut());
    socket.on('end', () => this.#ended());
    socket.on('close', () => this.#ended());
  }

  get usable(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed && !this.#closing;
  }

  /** Sends the head of a request; the body follows with `write`, then `finish`. */
  begin(method: string, head: string, bodyBytes: number, receiver: Receiver): void {
    this.uses += 1;
    this.#method = method;
    this.#receiver = receiver;
    this.#decoder = undefined;
    this.#head = EMPTY;
    this.#answered = false;
    this.#bodyLeft = bodyBytes;
    this.#finished = false;
    this.#watchdog.expect('nothing');
    this.#socket?.ref();
    this.#socket?.write(head, 'latin1');
    // It may have died between being opened and being used.
    if (!this.usable) queueMicrotask(() => this.#ended());
  }

  /** Calls back when the memory of the chunk is free again. */
  write(chunk: Uint8Array, done: (error?: unknown) => void): void {
    this.#writing += 1;
    this.#bodyLeft -= chunk.length;
    this.#watchdog.expect(this.#owed());
    this.#timeWriting();
    const written = (error?: Error | null) => {
      this.#writing -= 1;
      this.#watchdog.expect(this.#owed());
      done(error ? (this.#error ?? error) : undefined);
    };
    if (this.#socket) this.#socket.write(chunk, written);
    else written(new CutError(false));
  }

  /** The request is complete: from now on the peer owes an answer. */
  finish(): void {
    this.#finished = true;
    this.#watchdog.expect(this.#owed());
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#watchdog.expect(this.#owed());
    this.#socket?.resume();
  }

  /** Parks the connection: it no longer keeps the process alive and closes by itself. */
  rest(ms: number): void {
    this.#socket?.unref();
    this.#watchdog.rest(ms);
  }

  destroy(error?: unknown): void {
    this.#error ??= error;
    this.#closing = true;
    this.#socket?.destroy();
    this.#ended();
  }

  #owed() {
    if (!this.#receiver || this.#paused) return 'nothing';
    if (this.#decoder) return 'bytes';
    return this.#finished && this.#writing === 0 ? 'answer' : 'nothing';
  }

  /** The socket itself sees how much of a chunk the peer has taken: a slow one is not a silent one. */
  #timeWriting(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#socket?.setTimeout(this.#stallTimeoutMs);
  }

  #timedOut(): void {
    this.#isTimed = false;
    if (this.#writing > 0) this.destroy(new StallError(`no data for ${this.#stallTimeoutMs} ms`));
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#watchdog.expect('nothing');
    this.#socket?.pause();
  }

  /** Bytes that are known to come; a body of unknown length may be a long one. */
  #expected(): number {
    return this.#decoder ? (this.#decoder.left ?? Number.POSITIVE_INFINITY) : 0;
  }

  /** In a long body many small reads go on as one, at the latest when this turn of the loop is over. */
  #gathers(): boolean {
    const left = this.#decoder?.left ?? 0;
    return this.#landing.hasRoom && this.#landing.pending < left;
  }

  #deliver(): void {
    clearImmediate(this.#gathering);
    this.#gathering = undefined;
    if (this.#landing.pending === 0) return;
    const { bytes, release } = this.#landing.collect();
    this.#feed(bytes, release);
  }

  #feed(bytes: Buffer, release: () => void): void {
    if (!this.#receiver) {
      // Bytes without a request: the connection cannot be trusted any more.
      release();
      this.destroy();
      return;
    }
    this.#answered = true;
    this.#watchdog.moved(bytes.length);
    try {
      if (this.#decoder) this.#body(bytes, release);
      else this.#headBytes(bytes, release);
    } catch (error) {
      this.destroy(error);
    }
    if (this.#receiver?.full) this.#pause();
  }

  #headBytes(bytes: Buffer, release: () => void): void {
    const all = this.#head.length > 0 ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = endOfHead(all);
    if (end < 0) {
      this.#head = Buffer.from(all);
      release();
      return;
    }
    this.#head = EMPTY;
    const head = parseHead(all.subarray(0, end));
    if (head.status === 101) throw new ProtocolError('the server switched protocols unasked');
    if (head.status < 200) {
      this.#headBytes(all.subarray(end), release);
      return;
    }
    this.#startBody(head);
    this.#body(all.subarray(end), release);
  }

  #startBody(head: ResponseHead): void {
    this.#decoder = decoderFor(head, this.#method);
    if (!keepsAlive(head)) this.#closing = true;
    this.serverKeepAliveMs = keepAliveMsOf(head);
    this.#receiver?.head(head);
    this.#watchdog.expect(this.#owed());
  }

  #body(bytes: Buffer, release: () => void): void {
    const decoded = this.#decoder?.push(bytes) ?? NOTHING;
    let held = decoded.pieces.length;
    const releaseOne = () => {
      held -= 1;
      if (held === 0) release();
    };
    if (held === 0) release();
    for (const piece of decoded.pieces) this.#receiver?.chunk(piece, releaseOne);
    if (decoded.excess) this.#closing = true;
    if (decoded.done) this.#complete();
  }

  #complete(): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    this.#decoder = undefined;
    this.#watchdog.expect('nothing');
    // After an early answer the rest of the request's body would still have to be sent.
    if (this.#bodyLeft !== 0 || this.#writing > 0) this.#closing = true;
    if (this.#paused) {
      this.#paused = false;
      this.#socket?.resume();
    }
    if (this.#closing) this.#socket?.destroy();
    receiver?.end(this.usable);
  }

  #ended(): void {
    // After an error nobody wants what was gathered; it is asked for again.
    if (this.#error === undefined) this.#deliver();
    this.#closing = true;
    this.#watchdog.stop();
    const receiver = this.#receiver;
    if (!receiver) return;
    if (this.#decoder?.closed() && !this.#error) this.#complete();
    else this.#fail(receiver);
  }

  #fail(receiver: Receiver): void {
    this.#receiver = undefined;
    this.#socket?.destroy();
    receiver.fail(this.#error ?? new CutError(this.#answered));
  }
}

function keepsAlive(head: ResponseHead): boolean {
  const connection = head.headers.connection?.toLowerCase() ?? '';
  return head.http10 ? connection.includes('keep-alive') : !connection.includes('close');
}

function keepAliveMsOf(head: ResponseHead): number | undefined {
  const seconds = /timeout=(\d{1,6})/i.exec(head.headers['keep-alive'] ?? '')?.[1];
  // A little less than promised, so that no request meets a connection that is being closed.
  return seconds === undefined ? undefined : Math.max(1, Number(seconds) * 1000 - 1000);
}

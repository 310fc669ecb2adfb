import type { ChunkSink } from '../core/chunk-sink.ts';
import type { HttpExchange } from './exchange.ts';
import type { ResponseHead } from './response-head.ts';

/** More than this of an unwanted body is not worth a kept connection. */
const DISCARD_BYTES = 64 * 1024;

/** An answer whose body is still to come. Consume it, discard it or cancel it: one of them. */
export class Response {
  readonly url: URL;
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #exchange: HttpExchange;

  constructor(url: URL, head: ResponseHead, exchange: HttpExchange) {
    this.url = url;
    this.status = head.status;
    this.reason = head.reason;
    this.headers = head.headers;
    this.#exchange = exchange;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Whether a sink ended the body with an error of its own. */
  get refused(): boolean {
    return this.#exchange.refused;
  }

  /** Feeds the body to the sink. An error of the sink ends it and comes out unchanged. */
  pump(sink: ChunkSink, window = 1): Promise<void> {
    return this.#exchange.pump(sink, window);
  }

  /** The whole body, or undefined when it is longer than `limit`: then it was cut there. */
  async bytes(limit: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let size = 0;
    const tooLong = new Error('the body is too long');
    try {
      await this.pump((chunk) => {
        size += chunk.length;
        if (size > limit) throw tooLong;
        chunks.push(Buffer.from(chunk));
      });
    } catch (error) {
      if (error === tooLong) return undefined;
      throw error;
    }
    return Buffer.concat(chunks);
  }

  /** Reads a short rest so that the connection can be used again; gives up on a long one. */
  async discard(): Promise<void> {
    if (!this.#exchange.consumed) await this.bytes(DISCARD_BYTES).catch(() => undefined);
  }

  cancel(): void {
    this.#exchange.cancel();
  }
}

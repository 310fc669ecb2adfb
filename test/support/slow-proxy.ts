import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE_BYTES = 16 * 1024;
const BLOB = /^\/v2\/.+\/blobs\/(sha256:[0-9a-f]{64})/;

export interface SlowProxy {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Bytes of blobs that went down and up so far. */
  readonly down: () => number;
  readonly up: () => number;
  /** Bytes of blobs that went down more than once. */
  readonly downTwice: () => number;
  /** Calls back, once, when so many more bytes of blobs have passed in either direction. */
  readonly after: (bytes: number, then: () => void) => void;
  /** Cuts every connection: what the kernel still held for a killed client is lost. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

/** A slow line to a registry on loopback, that counts what passes. */
export async function startSlowProxy(target: string, bytesPerSecond: number): Promise<SlowProxy> {
  const line = new Line(bytesPerSecond);
  const server = createServer((incoming, response) => {
    pass(incoming, response, target, line).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    down: () => line.down,
    up: () => line.up,
    downTwice: () => line.downTwice,
    after: (bytes, then) => line.watch(bytes, then),
    cut: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Line {
  down = 0;
  up = 0;
  downTwice = 0;
  readonly #bytesPerSecond: number;
  /** How far each blob has come down in one piece from its beginning. */
  readonly #reached = new Map<string, number>();
  #free = performance.now();
  #alarm: { at: number; then: () => void } | undefined;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  watch(bytes: number, then: () => void): void {
    this.#alarm = { at: this.down + this.up + bytes, then };
  }

  /** All connections share the line. */
  async take(bytes: number): Promise<void> {
    const now = performance.now();
    this.#free = Math.max(this.#free, now) + (bytes / this.#bytesPerSecond) * 1000;
    if (this.#free - now > 2) await sleep(this.#free - now);
  }

  countDown(digest: string, offset: number, bytes: number): void {
    const reached = this.#reached.get(digest) ?? 0;
    this.downTwice += Math.max(0, Math.min(reached, offset + bytes) - offset);
    this.#reached.set(digest, Math.max(reached, offset + bytes));
    this.down += bytes;
    this.#check();
  }

  countUp(bytes: number): void {
    this.up += bytes;
    this.#check();
  }

  #check(): void {
    const alarm = this.#alarm;
    if (!alarm || this.down + this.up < alarm.at) return;
    this.#alarm = undefined;
    alarm.then();
  }
}

async function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  target: string,
  line: Line,
): Promise<void> {
  const outgoing = request(`${target}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: incoming.headers,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  answered.catch(() => undefined);
  const isUpload = incoming.url?.includes('/blobs/uploads/') ?? false;
  try {
    for await (const chunk of incoming) {
      for (const piece of piecesOf(chunk as Buffer)) {
        if (isUpload) await line.take(piece.length);
        if (isUpload) line.countUp(piece.length);
        await new Promise((resolve) => outgoing.write(piece, resolve));
      }
    }
  } catch (error) {
    // What came before the cut has been passed on; then the other side sees the cut as well.
    outgoing.destroy();
    throw error;
  }
  outgoing.end();
  await answer(incoming, response, await answered, line);
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  from: IncomingMessage,
  line: Line,
): Promise<void> {
  const digest = incoming.method === 'GET' ? BLOB.exec(incoming.url ?? '')?.[1] : undefined;
  response.writeHead(from.statusCode ?? 502, from.headers);
  let offset = Number(/^bytes (\d+)-/.exec(from.headers['content-range'] ?? '')?.[1] ?? 0);
  const count = async (bytes: number) => {
    if (digest === undefined) return;
    await line.take(bytes);
    if (!response.destroyed) line.countDown(digest, offset, bytes);
  };
  for await (const chunk of from) {
    for (const piece of piecesOf(chunk as Buffer)) {
      await count(piece.length);
      if (response.destroyed) return;
      offset += piece.length;
      await written(response, piece);
    }
  }
  response.end();
}

/** Resolves when the other side can take more, or is gone. */
function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve());
  });
}

function* piecesOf(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { MemoryRegistry, type Reply, type SeenRequest } from './memory-registry.ts';

export { error, MemoryRegistry, type Reply, type SeenRequest } from './memory-registry.ts';

/** What a script can do to a request besides answering it. */
export type Mischief =
  | Reply
  /** Hangs up at once, without a byte. */
  | { readonly cut: 'at once' }
  /** Takes this much of the request's body, then hangs up. */
  | { readonly cut: 'body'; readonly after: number }
  /** Sends the head and this much of the body, then hangs up. */
  | (Reply & { readonly cut: 'answer'; readonly after: number })
  /** Sends this much of the body and then nothing, for ever. */
  | (Reply & { readonly stall: number })
  /** Bytes straight to the socket, which is then closed. */
  | { readonly raw: string | Buffer }
  /** Answers before the body of the request was read. */
  | (Reply & { readonly early: true });

/** Decides about the n-th request (from 1); undefined lets the memory registry answer. */
export type Script = (
  request: SeenRequest,
  count: number,
) => Mischief | undefined | Promise<Mischief | undefined>;

export interface ScriptedRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly memory: MemoryRegistry;
  /** Every request in order, as `METHOD /path?query`. */
  readonly seen: readonly SeenRequest[];
  readonly lines: () => string[];
}

/** A registry that misbehaves as told; goes away with the test. */
export async function startScriptedRegistry(
  script: Script = () => undefined,
): Promise<ScriptedRegistry> {
  const memory = new MemoryRegistry();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const one = seenOf(request);
    seen.push(one);
    handle(script, memory, one, seen.length, request, response).catch(() => request.destroy());
  });
  server.on('clientError', (_error, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, memory, seen, lines: () => seen.map((one) => `${one.method} ${one.url}`) };
}

function seenOf(request: IncomingMessage): SeenRequest {
  const url = request.url ?? '/';
  const { pathname, searchParams } = new URL(url, 'http://registry');
  const headers = request.headers as Record<string, string | undefined>;
  return { method: request.method ?? '', url, path: pathname, query: searchParams, headers };
}

async function handle(
  script: Script,
  memory: MemoryRegistry,
  seen: SeenRequest,
  count: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { socket } = request;
  const told = await script(seen, count);
  if (told && 'raw' in told) {
    socket.end(told.raw);
    return;
  }
  if (told && 'cut' in told && told.cut !== 'answer') {
    await readBody(request, memory.sink(seen), told.cut === 'body' ? told.after : 0);
    socket.destroy();
    return;
  }
  if (told && 'early' in told) {
    send(seen, told, response);
    return;
  }
  const body = await readBody(request, told ? undefined : memory.sink(seen));
  send(seen, told ?? memory.answer(seen, body), response);
}

async function readBody(
  request: IncomingMessage,
  sink: ((chunk: Buffer) => void) | undefined,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  if (limit === 0) return Buffer.alloc(0);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const piece = chunk.subarray(0, limit - read);
    read += piece.length;
    if (sink) sink(piece);
    else chunks.push(piece);
    if (read >= limit) break;
  }
  return Buffer.concat(chunks);
}

function send(
  seen: SeenRequest,
  reply: Exclude<Mischief, { raw: unknown }>,
  response: ServerResponse,
): void {
  if (!('status' in reply)) return;
  const body = Buffer.from(reply.body ?? '');
  const length =
    seen.method === 'HEAD' || reply.status !== 204 ? { 'content-length': String(body.length) } : {};
  response.writeHead(reply.status, { ...length, ...reply.headers });
  if ('stall' in reply) {
    response.write(body.subarray(0, reply.stall));
    return;
  }
  if ('cut' in reply && reply.cut === 'answer') {
    response.write(body.subarray(0, reply.after), () => response.socket?.destroy());
    if (reply.after === 0) response.flushHeaders();
    return;
  }
  response.end(seen.method === 'HEAD' ? undefined : body);
}

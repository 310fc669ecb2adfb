import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { collect } from '../../src/core/bytes.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Says what the client gets instead of the truth; undefined is the truth. `ask` fetches it. */
export type Lie = (
  request: { readonly method: string; readonly url: string; readonly body: Buffer },
  ask: () => Promise<Answer>,
) => Promise<(Answer & { readonly cutAfter?: number }) | undefined>;

/** An HTTP server before another one; tells lies when it is given some. Gone when the test ends. */
export async function startLyingProxy(upstream: string) {
  let lie: Lie = async () => undefined;
  const server = createServer(async (incoming, response) => {
    const body = await collect(incoming);
    const { method = '', url = '' } = incoming;
    const ask = () => forward(upstream, incoming, body);
    const told = (await lie({ method, url, body }, ask)) ?? (await ask());
    send(response, told);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tell: (next: Lie) => {
      lie = next;
    },
  };
}

function send(response: ServerResponse, told: Answer & { readonly cutAfter?: number }): void {
  response.writeHead(told.status, told.headers);
  if (told.cutAfter === undefined) response.end(told.body);
  else response.write(told.body.subarray(0, told.cutAfter), () => response.destroy());
}

function forward(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { 'transfer-encoding': _, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const { method, url } = incoming;
    const options = { method, headers: { ...headers, 'content-length': body.length } };
    const asked = request(new URL(url ?? '', upstream), options, async (answer) => {
      const { 'transfer-encoding': _chunked, ...kept } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, headers: kept, body: await collect(answer) });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

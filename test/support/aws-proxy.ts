import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collect } from '../../src/core/bytes.ts';

/** One call as it came over the wire. */
export interface SeenCall {
  /** As signatures name it: `ec2`, `cloudformation`. */
  readonly service: string;
  readonly action: string;
  readonly body: string;
}

/** What happens to a call: it passes, its connection is cut before or after it took effect, or others answer. */
export type Fate =
  | 'pass'
  | 'cut-before'
  | 'cut-after'
  | { readonly status: number; readonly body: string }
  | { readonly rewrite: (answer: string) => string };

export interface AwsProxy {
  readonly url: string;
  /** Every call that came, in order, as `service:Action`. */
  readonly calls: string[];
  /** Why calls got no answer that nobody decided so. */
  readonly troubles: unknown[];
  /** Decides about the next calls; at first all pass. */
  decide: (call: SeenCall) => Fate;
  stop(): Promise<void>;
}

/** What the server does otherwise than AWS, made good. */
export interface Mending {
  /** Answers instead of the server. */
  readonly before?: (call: SeenCall) => Promise<Fate | undefined>;
  /** Is done once a call took effect, before it is answered. */
  readonly after?: (call: SeenCall) => Promise<void>;
}

/** Stands between a client and a server that answers as AWS does, and makes calls fail as it is told. */
export async function startAwsProxy(upstream: string, mend: Mending = {}): Promise<AwsProxy> {
  const calls: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const work = collect(incoming).then(async (body) => {
      const call = callOf(incoming, body.toString());
      calls.push(`${call.service}:${call.action}`);
      const fate = proxy.decide(call);
      const reaches = fate === 'pass' || fate === 'cut-after';
      const instead = reaches ? await mend.before?.(call) : undefined;
      const mended = instead && fate === 'pass' ? instead : fate;
      const after = () => mend.after?.(call);
      return answer({ incoming, outgoing, body, upstream, after }, mended);
    });
    // The server is stopped at the end of a test, whatever is under way.
    work.catch((error: unknown) => {
      proxy.troubles.push(error);
      outgoing.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: AwsProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    troubles: [],
    decide: () => 'pass',
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

function callOf({ headers, method, url = '' }: IncomingMessage, body: string): SeenCall {
  const [, service = '?'] =
    /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  const target = String(headers['x-amz-target'] ?? '').split('.')[1];
  const action =
    target ?? new URLSearchParams(body).get('Action') ?? `${method} ${url.split('?')[0]}`;
  return { service, action, body };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly upstream: string;
  readonly after: () => Promise<void> | undefined;
}

async function answer(exchange: Exchange, fate: Fate): Promise<void> {
  const { outgoing } = exchange;
  if (fate === 'cut-before') return void outgoing.destroy();
  if (typeof fate === 'object' && 'status' in fate) {
    return void outgoing.writeHead(fate.status, { 'content-type': 'text/xml' }).end(fate.body);
  }
  const { status, headers, text } = await forward(exchange);
  if (status < 300) await exchange.after();
  if (fate === 'cut-after') return void outgoing.destroy();
  const words = typeof fate === 'object' ? fate.rewrite(text) : text;
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...rest } = headers;
  outgoing.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(words) }).end(words);
}

async function forward({ incoming, body, upstream }: Exchange) {
  const { method, headers, url } = incoming;
  const sent = request(new URL(url ?? '/', upstream), { method, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await collect(response)).toString();
  return { status: response.statusCode ?? 500, headers: response.headers, text };
}

/** The answer of a service that refuses a call, as XML. */
export const refusal = (code: string, message: string, status = 400): Fate => ({
  status,
  body: `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});

import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSimpleReader, type SimpleRequest } from './simple-request.ts';

const read = (text: string): SimpleRequest | undefined =>
  createSimpleReader()(Buffer.from(text, 'latin1'));

const request = (...fields: string[]) =>
  ['GET /v2/a/manifests/v1 HTTP/1.1', ...fields, '', ''].join('\r\n');

test('createSimpleReader reads what clients send', () => {
  const fields = ['Host: a', 'User-Agent: x/1', 'Accept: b', 'accept: c', 'Authorization: Basic d'];

  expect(read(request(...fields))).toEqual({
    method: 'GET',
    path: '/v2/a/manifests/v1',
    fields: { agent: 'x/1', authorization: 'Basic d', isPlain: true },
  });
  expect(read('HEAD / HTTP/1.1\r\nhost:\r\n\r\n')).toMatchObject({ method: 'HEAD', path: '/' });
});

test.each(['if-none-match: "b"', 'range: bytes=0-1', 'x-anything: c'])(
  'createSimpleReader tells that %s may change the answer',
  (field) => {
    expect(read(request('host: a', field))?.fields.isPlain).toBe(false);
  },
);

test('createSimpleReader keeps no field from one request to the next', () => {
  const reader = createSimpleReader();
  const [known, other] = [request('host: a', 'authorization: b'), request('host: a')];

  for (const text of [known, other, known]) {
    expect(reader(Buffer.from(text))?.fields.authorization).toBe(text === known ? 'b' : undefined);
  }
});

test.each([
  ['half a request', 'GET /v2/ HTTP/1.1\r\nhost: a\r\n'],
  ['half a line', 'GET /v2/a'],
  ['two requests', request('host: a').repeat(2)],
  ['a body', request('host: a', 'content-length: 1')],
  ['a body in pieces', request('host: a', 'transfer-encoding: chunked')],
  ['bytes after it', `${request('host: a')}x`],
  ['an expectation', request('host: a', 'expect: 100-continue')],
  ['a last request', request('host: a', 'connection: close')],
  ['no host', request('accept: a')],
  ['two hosts', request('host: a', 'host: b')],
  ['two logins', request('host: a', 'authorization: a', 'Authorization: b')],
  ['no fields', 'GET /v2/ HTTP/1.1\r\n\r\n'],
  ['a folded field', request('host: a', 'accept: b', ' c')],
  ['a space before the colon', request('host : a')],
  ['a control character', request('host: a', 'accept: b\u0000')],
  ['a lone line feed', request('host: a\naccept: b')],
  ['another method', request('host: a').replace('GET', 'PUT')],
  ['a method that only begins like one', request('host: a').replace('GET', 'HEADS')],
  ['an older version', request('host: a').replace('1.1', '1.0')],
  ['very much', request('host: a', `accept: ${'b'.repeat(5000)}`)],
])('createSimpleReader leaves %s to others', (_, text) => {
  expect(read(text)).toBeUndefined();
});

/** What Node's own reader makes of a request; undefined when it refuses it. */
async function readByNode(text: string): Promise<IncomingMessage | undefined> {
  const server = createServer();
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const read = new Promise<IncomingMessage | undefined>((resolve) => {
    server.once('request', resolve);
    server.once('clientError', () => resolve(undefined));
    socket.once('finish', () => resolve(undefined));
  });
  server.emit('connection', socket);
  socket.push(Buffer.from(text, 'latin1'));
  socket.push(null);
  return await read;
}

test('createSimpleReader reads nothing otherwise than Node does', async () => {
  const piece = fc.constantFrom(
    ...['GET', 'HEAD', ' ', '/v2/a', '%', '?', ' HTTP/1.1', '\r\n', '\r', '\n', ':', 'host: a\r\n'],
    ...['accept:\tb\r\n', 'authorization: c\r\n', 'Host:\r\n', 'x: y\r\n', '\u0000', '\u00e9'],
  );
  const mutated = fc.tuple(fc.nat(60), fc.nat(3), piece).map(([at, taken, put]) => {
    const text = request('host: a', 'user-agent: b', 'accept: c');
    return text.slice(0, at) + put + text.slice(at + taken);
  });
  const text = fc.oneof(
    mutated,
    fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
  );

  await fc.assert(
    fc.asyncProperty(text, async (sent) => {
      const found = read(sent);
      if (!found) return;
      const theirs = await readByNode(sent);
      const { path, fields } = found;
      // A path that no route has is not answered; Node refuses some of them.
      if (!/^\/[\w/.:-]*$/.test(path)) return;
      expect(theirs?.method).toBe(found.method);
      expect(theirs?.url).toBe(path);
      expect(theirs?.headers['user-agent']).toBe(fields.agent);
      expect(theirs?.headers.authorization).toBe(fields.authorization);
      expect(theirs?.headers).not.toHaveProperty('content-length');
    }),
    { numRuns: 500 },
  );
});

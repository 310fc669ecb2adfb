import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClientGone, receiveBody } from './receive-body.ts';

/** A request as a server got it, and how to hang up on it. */
async function requestOf(body: string): Promise<{ request: IncomingMessage; hangUp: () => void }> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write(`PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  return { request, hangUp: () => client.resetAndDestroy() };
}

test('receiveBody gives what was sent', async () => {
  const { request } = await requestOf('abcdef');

  const chunks: Uint8Array[] = [];
  for await (const chunk of receiveBody(request)) chunks.push(chunk);

  expect(Buffer.concat(chunks).toString()).toBe('abcdef');
});

test('receiveBody ends though the client sent everything and was gone before anybody looked', async () => {
  const { request, hangUp } = await requestOf('abcdef');
  const closed = new Promise((resolve) => request.socket.once('close', resolve));
  hangUp();
  await closed;
  expect(request.complete).toBe(true);

  const reading = receiveBody(request)[Symbol.asyncIterator]().next();

  await expect(reading).rejects.toBeInstanceOf(ClientGone);
});

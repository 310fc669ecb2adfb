import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { clockOffsetMs } from './time-server.ts';

const NOW = new Date('2026-01-01T10:00:00Z');

test('clockOffsetMs says how far a time server is ahead', async () => {
  const socket = createSocket('udp4');
  onTestFinished(() => {
    socket.close();
  });
  socket.on('message', (_question, from) => {
    const answer = Buffer.alloc(48);
    answer.writeUInt32BE(NOW.getTime() / 1000 + 2_208_988_800 + 90, 40);
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  const offset = await clockOffsetMs({ now: () => NOW }, '127.0.0.1', socket.address().port);

  expect(offset).toBe(90_000);
});

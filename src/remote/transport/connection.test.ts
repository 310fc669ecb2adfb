import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connection, type Receiver } from './connection.ts';
import { plainLanding } from './landings.ts';
import { StallError } from './watchdog.ts';

const STALL_MS = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A socket whose peer takes nothing until it is told to. */
function slowSocket() {
  const waiting: (() => void)[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, taken) => waiting.push(() => taken()),
  });
  const timeouts: number[] = [];
  const extra = {
    ref: () => socket,
    unref: () => socket,
    setTimeout: (ms: number) => timeouts.push(ms),
  };
  return {
    socket: Object.assign(socket, extra) as unknown as Socket,
    timeouts,
    take: () => waiting.shift()?.(),
  };
}

function connect() {
  const failures: unknown[] = [];
  const receiver: Receiver = {
    full: false,
    head: () => undefined,
    chunk: () => undefined,
    end: () => undefined,
    fail: (error) => failures.push(error),
  };
  const line = slowSocket();
  const times = { stallTimeoutMs: STALL_MS, answerTimeoutMs: STALL_MS };
  const connection = new Connection(plainLanding(), times);
  connection.attach(line.socket, true);
  connection.begin('PUT', 'PUT / HTTP/1.1\r\n\r\n', 10, receiver);
  line.take();
  return { ...line, connection, failures };
}

test('Connection leaves it to the socket whether the peer takes anything of a chunk', () => {
  const { connection, failures, timeouts, socket } = connect();

  connection.write(Buffer.alloc(10), () => undefined);
  connection.finish();
  vi.advanceTimersByTime(10 * STALL_MS);

  expect(failures).toEqual([]);
  expect(timeouts.at(-1)).toBe(STALL_MS);
  socket.emit('timeout');
  expect(failures[0]).toBeInstanceOf(StallError);
});

test('Connection waits for the answer once the peer has taken everything', () => {
  const { connection, failures, timeouts, take } = connect();
  connection.write(Buffer.alloc(10), () => undefined);
  connection.finish();

  take();
  expect(timeouts.at(-1)).toBe(0);
  vi.advanceTimersByTime(STALL_MS);

  expect(failures[0]).toBeInstanceOf(StallError);
});

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connection, type Receiver } from './connection.ts';
import { plainLanding } from './landing.ts';
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
  const { onread } = connection;
  const receive = (text: string) => onread.callback(onread.buffer().write(text, 'latin1'));
  return { ...line, connection, receiver, receive, failures };
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
  const { connection, failures, socket, take } = connect();
  connection.write(Buffer.alloc(10), () => undefined);
  connection.finish();

  take();
  socket.emit('timeout');
  expect(failures).toEqual([]);
  vi.advanceTimersByTime(STALL_MS);

  expect(failures[0]).toBeInstanceOf(StallError);
});

test('Connection lets the socket look again when writing goes on after a pause', () => {
  const { connection, failures, timeouts, socket, take } = connect();
  connection.write(Buffer.alloc(5), () => undefined);
  take();
  socket.emit('timeout');

  connection.write(Buffer.alloc(5), () => undefined);
  socket.emit('timeout');

  expect(timeouts).toEqual([STALL_MS, STALL_MS]);
  expect(failures[0]).toBeInstanceOf(StallError);
});

test('Connection closes by itself when it has rested for long enough', () => {
  const { connection, receive, socket, take } = connect();
  connection.write(Buffer.alloc(10), () => undefined);
  take();
  connection.finish();
  receive('HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n');

  connection.rest(3 * STALL_MS);
  vi.advanceTimersByTime(2 * STALL_MS);
  expect(connection.usable).toBe(true);
  vi.advanceTimersByTime(STALL_MS);

  expect(connection.usable).toBe(false);
  expect(socket.destroyed).toBe(true);
});

test('Connection that is used again is not closed for having rested', () => {
  const { connection, receive, receiver, failures, take } = connect();
  connection.write(Buffer.alloc(10), () => undefined);
  take();
  connection.finish();
  receive('HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n');
  connection.rest(STALL_MS);

  connection.begin('PUT', 'PUT / HTTP/1.1\r\n\r\n', 10, receiver);
  vi.advanceTimersByTime(10 * STALL_MS);

  expect(connection.usable).toBe(true);
  expect(failures).toEqual([]);
});

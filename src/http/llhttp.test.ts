import { request } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { type Answer, AnswerWriter } from '../../test/support/http-answers.ts';
import { Connection } from './connection.ts';
import { plainLanding } from './landing.ts';
import { MAX_HEAD_BYTES, type ResponseHead } from './response-head.ts';

const ANSWERS = 20_000;
const AT_ONCE = 200;
const SEED = 20_241_107;
const TIMES = { stallTimeoutMs: 60_000, answerTimeoutMs: 60_000 };

/** What a reader made of a whole answer; undefined when it refused it or it was cut. */
interface Reading {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const quiet = () =>
  new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });

/** One answer through our connection, its pieces as they come. */
function readWithOurs({ method, pieces }: Answer): Reading | undefined {
  const socket = Object.assign(quiet(), { ref: () => undefined, unref: () => undefined });
  const connection = new Connection(plainLanding(), TIMES);
  connection.attach(socket as unknown as Socket, false);
  let head: ResponseHead | undefined;
  let whole = false;
  const chunks: Buffer[] = [];
  connection.begin(method, '', 0, {
    full: false,
    head: (read) => {
      head = read;
    },
    chunk: (bytes, release) => {
      chunks.push(Buffer.from(bytes));
      release();
    },
    end: () => {
      whole = true;
    },
    fail: () => undefined,
  });
  connection.finish();
  for (const piece of pieces) if (!socket.destroyed) socket.emit('data', piece);
  if (!socket.destroyed) socket.emit('end');
  connection.destroy();
  if (!whole || !head) return undefined;
  const { status, reason, headers } = head;
  return {
    status,
    reason,
    headers: { ...headers },
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

/** The same answer through Node's client, whose parser is llhttp. */
function readWithNode({ method, pieces }: Answer): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    const socket = quiet();
    let reading: Reading | undefined;
    let hasBegun = false;
    const asking = request({
      method,
      createConnection: () => socket,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    asking.on('response', (response) => {
      hasBegun = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => resolve(reading));
      response.on('end', () => {
        if (!response.complete) return;
        reading = {
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          headers: joined(response.rawHeaders),
          body: Buffer.concat(chunks).toString('latin1'),
        };
      });
    });
    asking.on('upgrade', () => socket.destroy());
    asking.on('error', () => undefined);
    asking.on('close', () => hasBegun || resolve(undefined));
    asking.end();
    for (const piece of pieces) socket.push(piece);
    socket.push(null);
  });
}

/** Names in lower case, repeated ones joined: as our heads have them. */
function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const value = raw[at + 1] ?? '';
    const earlier = Object.getOwnPropertyDescriptor(headers, name)?.value;
    Object.defineProperty(headers, name, {
      value: earlier === undefined ? value : `${earlier}, ${value}`,
      enumerable: true,
      configurable: true,
    });
  }
  return headers;
}

const shown = (value: unknown) => JSON.stringify(value) ?? 'refused';

test(`Connection reads ${ANSWERS} answers as llhttp does, or refuses them`, async () => {
  const writer = new AnswerWriter(SEED);
  const counts = { wellFormed: 0, oddAndTaken: 0, refused: 0 };
  for (let done = 0; done < ANSWERS; done += AT_ONCE) {
    const answers = Array.from({ length: AT_ONCE }, () => writer.next());
    const theirs = await Promise.all(answers.map(readWithNode));
    for (const [index, answer] of answers.entries()) {
      const ours = readWithOurs(answer);
      const sent = shown(Buffer.concat(answer.pieces).toString('latin1'));
      // Refusing is always right, but not where there is nothing wrong with the answer.
      if (ours || answer.wellFormed) expect(shown(ours), sent).toBe(shown(theirs[index]));
      if (answer.wellFormed) counts.wellFormed += 1;
      else counts[ours ? 'oddAndTaken' : 'refused'] += 1;
    }
  }

  // Answers of each kind were among them, so that the comparison means something.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(ANSWERS / 50);
  expect(counts.wellFormed).toBeGreaterThan(ANSWERS / 3);
}, 60_000);

import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordingContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { createDice, type Dice } from './support/dice.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { registryHttp } from './support/registry-http.ts';

const REQUESTS = 10_000;
const PER_CONNECTION = 10;
const CONNECTIONS = 16;

const ctx = recordingContext();
let registry: EmbeddedRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry({ ctx });
});
afterAll(() => registry.stop());

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const WORDS = [
  'a',
  'fuzz/a',
  'UPPER',
  '..',
  '.',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  'é',
  'a'.repeat(300),
  '_tags',
  'manifests',
  'blobs',
  'uploads',
  'tags',
  'list',
  'referrers',
  '_catalog',
  '',
  ' ',
  'v1',
  'sha256:',
  `sha256:${'f'.repeat(64)}`,
  `sha512:${'0'.repeat(128)}`,
  `sha256:${'F'.repeat(64)}`,
  'sha256:../../../../etc/passwd',
  'md5:00',
  '/etc/passwd',
  '?',
  '#',
  '&',
  '\\..\\..',
  '\t',
  ';',
];
const QUERIES = [
  '',
  '?n=0',
  '?n=-1',
  '?n=99999999999999',
  '?last=%00',
  '?last=%ff',
  '?digest=',
  '?digest=sha256:x',
  `?digest=${digestOf('x')}`,
  `?mount=${digestOf('x')}&from=../..`,
  '?mount=..',
  '?artifactType=%',
  `?tag=${'t'.repeat(200)}`,
  '?tag=a&tag=b',
  `?${'q=1&'.repeat(200)}`,
  '?digest-algorithm=sha512',
];
const HEADERS = [
  'range: bytes=',
  'range: bytes=9-1',
  'range: bytes=-0',
  `range: bytes=0-${'9'.repeat(40)}`,
  'content-range: 5-1',
  'content-range: x',
  'content-range: 0-99999999999999999999',
  'authorization: Basic',
  'authorization: Basic !!!',
  'authorization: Bearer x',
  'accept: */*',
  'content-type: application/vnd.oci.image.manifest.v1+json',
  'content-type: ;;;',
  'host: \\',
  'if-none-match: *',
  'expect: 100-continue',
  'te: trailers',
  `x-long: ${'x'.repeat(2000)}`,
  'x-\u0001: y',
  'x: \u0000',
];
const BODIES = [
  '',
  '{',
  '{}',
  '[]',
  'null',
  '{"schemaVersion":2}',
  '{"schemaVersion":2,"layers":1}',
  '\u0000\u0001',
];

function fuzzedPath(dice: Dice): string {
  const parts = Array.from({ length: 1 + dice.below(5) }, () => dice.pick(WORDS));
  const kind = dice.pick(['manifests', 'blobs', 'blobs/uploads', 'tags/list', 'referrers', '']);
  const path = `${dice.pick(['/v2/', '/v2/', '/v2', '/', '//'])}${parts.join('/')}/${kind}/${dice.pick(WORDS)}`;
  return (path + dice.pick(QUERIES)).replaceAll(' ', dice.pick(['%20', '+', ' ']));
}

function fuzzedRequest(dice: Dice): string {
  const body = dice.pick(BODIES);
  const length =
    dice.below(20) === 0 ? dice.pick(['-1', 'x', '99']) : String(Buffer.byteLength(body));
  const headers = Array.from({ length: dice.below(3) }, () => dice.pick(HEADERS));
  const lines = [
    `${dice.pick(METHODS)} ${fuzzedPath(dice)} HTTP/1.1`,
    'host: registry',
    ...headers,
    `content-length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends requests one after the other without waiting, and returns the status of every answer. */
function converse(requests: readonly string[]): Promise<number[]> {
  const { port } = new URL(registry.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.setTimeout(20_000, () => {
      socket.destroy();
      reject(new Error(`The registry hangs after ${JSON.stringify(requests.at(-1))}`));
    });
    socket.on('error', () => undefined);
    socket.on('close', () =>
      resolve([...text.matchAll(/^HTTP\/1\.1 ([2-5]\d\d) /gm)].map(([, status]) => Number(status))),
    );
    socket.end(requests.join(''), 'latin1');
  });
}

/** What is really held: the rest is collected first. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test(`${REQUESTS} malformed requests get no 5xx, no hang, and leave nothing behind`, async () => {
  const http = registryHttp(registry.url);
  await http.pushImage('fuzz/a', 'v1');
  const before = heapBytes();

  const statuses: number[] = [];
  const seeds = Array.from({ length: REQUESTS / PER_CONNECTION }, (_, seed) => seed + 1).values();
  const work = async () => {
    for (const seed of seeds) {
      const dice = createDice(seed);
      let rest = Array.from({ length: PER_CONNECTION }, () => fuzzedRequest(dice));
      // One that cannot be parsed ends its connection; those after it get another.
      while (rest.length > 0) {
        const answers = await converse(rest);
        statuses.push(...answers);
        rest = rest.slice(Math.max(1, answers.length));
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  registry.access.length = 0;

  expect(statuses.length).toBeGreaterThan(REQUESTS * 0.9);
  expect(heapBytes() - before).toBeLessThan(16 * 1024 * 1024);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  expect(ctx.events.filter(({ type }) => type === 'warning.raised')).toEqual([]);
  expect((await http.send('GET', '/v2/fuzz/a/manifests/v1')).status).toBe(200);
  const { uploads_active: uploads, ...snapshot } = registry.running.snapshot();
  expect(uploads).toBe(0);
  expect(Object.keys(snapshot).length).toBeLessThan(1000);
  expect((await readdir(registry.root)).toSorted()).toEqual([
    'blobs',
    'index.json',
    'ingest',
    'oci-layout',
    'records',
  ]);
  expect(await readdir(join(registry.root, 'records'))).toEqual(['repos']);
}, 120_000);

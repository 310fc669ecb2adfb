import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import type { Registries } from '../src/remote/registries.ts';
import { describeBytes, makeBlob, openRegistries } from './support/remote.ts';
import {
  type Mischief,
  type ScriptedRegistry,
  startScriptedRegistry,
} from './support/scripted-registry.ts';

const ctx = silentContext();
const CONFIG = describeBytes(Buffer.from('{}'), MEDIA_TYPES.ociEmpty);
const TUNING = { stallTimeoutMs: 250, answerTimeoutMs: 250, partBytes: 100_000 };

/** An image with one layer, from one registry to another: every kind of request there is. */
async function copyImage(registries: Registries, source: string, target: string) {
  const from = registries.repository(source, 'team/app');
  const to = registries.repository(target, 'copy/app');
  const descriptor = await from.resolve(ctx, 'v1');
  if (!descriptor) throw new Error('The fixture has no v1');
  const manifest = await from.manifest(ctx, descriptor);
  for (const child of manifest.children) await to.putBlobFrom(ctx, child, from);
  await to.putManifest(ctx, manifest, 'v1');
}

function fill(registry: ScriptedRegistry, bytes: Buffer): void {
  registry.memory.addBlob('team/app', bytes);
  registry.memory.addBlob('team/app', Buffer.from('{}'));
  const layer = describeBytes(bytes, MEDIA_TYPES.ociLayer);
  const content = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    config: CONFIG,
    layers: [layer],
  };
  const text = JSON.stringify(content);
  registry.memory.addManifest('team/app', 'v1', MEDIA_TYPES.ociManifest, text);
}

const KINDS: Readonly<Record<string, Mischief>> = {
  'cut before a word': { cut: 'at once' },
  'cut inside the body of the request': { cut: 'body', after: 70_000 },
  'cut inside the head': { raw: 'HTTP/1.1 200 O' },
  'cut after the head': { raw: 'HTTP/1.1 500 Oops\r\ncontent-length: 5\r\n\r\n' },
  'cut inside the body of the answer': {
    status: 503,
    body: 'x'.repeat(50),
    cut: 'answer',
    after: 7,
  },
  'an answer that stalls': { status: 500, body: 'x'.repeat(50), stall: 7 },
  'an answer that is no HTTP': { raw: 'SSH-2.0-OpenSSH_9.2\r\n' },
  'an answer with two lengths': {
    raw: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
  },
};

describe.each(Object.entries(KINDS))('%s', (_name, mischief) => {
  test.each(['source', 'target'])(
    'at any one request to the %s is survived, and nothing is corrupted',
    async (side) => {
      for (let at = 1; at <= 6; at += 1) {
        const { bytes, blob } = makeBlob(250_000);
        const spoil = (where: string) =>
          startScriptedRegistry((_request, count) =>
            where === side && count === at ? mischief : undefined,
          );
        const [source, target] = [await spoil('source'), await spoil('target')];
        fill(source, bytes);

        await copyImage(openRegistries({ tuning: TUNING }), source.host, target.host);

        expect(target.memory.manifests.has('copy/app:v1')).toBe(true);
        expect(target.memory.blobs.has(`copy/app@${blob.digest}`)).toBe(true);
        for (const [name, stored] of target.memory.blobs) {
          expect(name).toBe(`copy/app@${digestOf(stored)}`);
        }
      }
    },
  );
});

test('a body that drips is ended instead of followed for ever', async () => {
  const { bytes, blob } = makeBlob(50_000);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      if (head.toString().startsWith('GET /v2/ ')) {
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
        return;
      }
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      const drip = setInterval(() => socket.write(bytes.subarray(0, 1)), 10);
      socket.on('close', () => clearInterval(drip));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const tuning = { stallTimeoutMs: 120, retry: { attempts: 2 } };
  const repository = openRegistries({ tuning }).repository(`127.0.0.1:${port}`, 'team/app');

  const reading = repository
    .openBlob(ctx, blob)
    .then((download) => download.pump(ctx, () => undefined));

  await expect(reading).rejects.toMatchObject({
    code: 'REGISTRY_UNAVAILABLE',
    message: expect.stringContaining('no data for 120 ms'),
  });
});

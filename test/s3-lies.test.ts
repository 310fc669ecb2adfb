import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { startRegistry } from '../src/registry/serving/start.ts';
import { openS3Store, type S3Store } from '../src/store/s3/s3-store.ts';
import { uploadIdOf } from '../src/store/store.ts';
import { chunksOf, collect, describeBytes, noise } from './support/bytes.ts';
import { type Answer, type Lie, startLyingProxy } from './support/lying-proxy.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { describeWithPeers } from './support/peers.ts';
import { registryHttp } from './support/registry-http.ts';

const ctx = silentContext();
const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
const MIB = 1024 * 1024;
const bytes = Buffer.from(noise(11 * MIB));

const xml = (text: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(text),
});
const FAILED = xml('<Error><Code>InternalError</Code><Message>try again</Message></Error>');
const TAG = '"00000000000000000000000000000000"';
const taken: Answer = { status: 200, headers: { etag: TAG }, body: Buffer.alloc(0) };

const isBlob = (url: string) => url.includes('/blobs/sha256/');
const isPart = (url: string) => /\/ingest\/[^/]+\/\d/.test(url);
type Applies = (request: Parameters<Lie>[0]) => boolean;

const once = (applies: Applies): Applies => {
  let isTold = false;
  return (request) => {
    if (isTold || !applies(request)) return false;
    isTold = true;
    return true;
  };
};

/** A lie about writing, told once, at the first request that it fits. */
const WRITES: Readonly<Record<string, [Applies, Answer]>> = {
  'says yes to the last request of an upload, with an error inside': [
    ({ method, url }) => method === 'POST' && isBlob(url) && url.includes('uploadId='),
    FAILED,
  ],
  'says yes to a copy, with an error inside': [
    ({ method, url }) => method === 'PUT' && isBlob(url) && url.includes('partNumber='),
    FAILED,
  ],
  'acknowledges a part of an upload and loses it': [
    ({ method, url }) => method === 'PUT' && isPart(url),
    taken,
  ],
  'acknowledges a part of a blob and loses it': [
    ({ method, url }) => method === 'PUT' && isBlob(url) && url.includes('partNumber='),
    taken,
  ],
  'acknowledges a whole blob and loses it': [
    ({ method, url }) => method === 'POST' && isBlob(url) && url.includes('uploadId='),
    xml(`<CompleteMultipartUploadResult><ETag>${TAG}</ETag></CompleteMultipartUploadResult>`),
  ],
  'acknowledges a small blob and loses it': [
    ({ method, url }) => method === 'PUT' && isBlob(url) && !url.includes('partNumber='),
    taken,
  ],
};

describeWithPeers(['moto_server'], 'a bucket that lies', () => {
  let moto: Moto;
  let places = 0;
  beforeAll(async () => {
    moto = await startMoto();
    const endpoint = { endpoint: moto.url, region: 'us-east-1', forcePathStyle: true, credentials };
    const client = new S3Client(endpoint);
    await client.send(new CreateBucketCommand({ Bucket: 'mirror' }));
    client.destroy();
  });
  afterAll(() => moto?.stop());

  async function open() {
    const proxy = await startLyingProxy(moto.url);
    places += 1;
    const place = { bucket: 'mirror', prefix: `lies-${places}`, credentials };
    const store = openS3Store({ ...place, endpoint: proxy.url, partBytes: 5 * MIB });
    onTestFinished(() => store.close());
    return { proxy, store };
  }

  /** As a client does it: from where the upload is, or from the beginning. */
  async function upload(store: S3Store, content: Buffer): Promise<void> {
    const { digest } = describeBytes(content);
    const id = uploadIdOf(digest);
    const offset = (await store.uploads.offset(ctx, id)) ?? 0;
    await store.uploads.begin(ctx, id);
    await store.uploads.append(ctx, id, chunksOf(content.subarray(offset)));
    await store.uploads.commit(ctx, id, digest);
  }

  const WAYS = {
    'in an upload': upload,
    'in one go': (store: S3Store, content: Buffer) =>
      store.blobs.write(ctx, describeBytes(content), chunksOf(content)),
  };

  test.each(
    Object.entries(WRITES).flatMap(([name, [applies, answer]]) =>
      Object.entries(WAYS).map(([way, write]) => [name, way, applies, answer, write] as const),
    ),
  )('that %s, %s, is not believed, and the next try is whole', async (...row) => {
    const [name, , applies, answer, write] = row;
    const content = name.includes('small') ? bytes.subarray(0, 1000) : bytes;
    const { digest, size } = describeBytes(content);
    const { proxy, store } = await open();
    const lies = once(applies);
    proxy.tell(async (request) => (lies(request) ? answer : undefined));

    const outcome = await write(store, content).catch((error) => error);
    const there = await store.blobs.stat(ctx, digest);

    if (outcome !== undefined) expect(outcome).toBeInstanceOf(AtollError);
    expect(outcome === undefined).toBe(there?.size === size);
    await write(store, content).catch(() => write(store, content));
    expect((await collect(store.blobs.read(ctx, digest))).equals(content)).toBe(true);
  });

  const READS: Readonly<Record<string, (truth: Answer) => Answer & { cutAfter?: number }>> = {
    'cuts what it sends': (truth) => ({ ...truth, cutAfter: truth.body.length / 2 }),
    'sends less, and says so': (truth) => ({
      ...truth,
      headers: { ...truth.headers, 'content-length': '1000' },
      body: truth.body.subarray(0, 1000),
    }),
    'sends other bytes': (truth) => ({
      ...truth,
      body: Buffer.from(truth.body).fill('x', 5000, 5001),
    }),
    'sends words of an error as the blob': () => FAILED,
  };

  test.each(Object.entries(READS))('that %s is never passed on as good', async (_, spoil) => {
    const { proxy, store } = await open();
    const registry = await startRegistry(ctx, { store, listeners: [{ port: 0 }], redirect: false });
    onTestFinished(() => registry.close(0));
    const http = registryHttp(registry.url);
    const image = await http.pushImage('s3/app', 'v1', 6 * MIB);
    const path = `/v2/s3/app/blobs/${image.layer}`;
    proxy.tell(async ({ method, url }, ask) => {
      if (method !== 'GET' || !isBlob(url)) return undefined;
      const { 'x-amz-checksum-crc32': _crc, ...headers } = (await ask()).headers;
      return spoil({ ...(await ask()), headers });
    });

    const whole = await http.send('GET', path).catch(() => undefined);
    const manifest = await http.send('GET', '/v2/s3/app/manifests/v1').catch(() => undefined);

    expect(whole?.status).not.toBe(200);
    if (manifest?.status === 200) expect(manifest.bytes.toString()).toBe(image.manifest);
    proxy.tell(async () => undefined);
    expect((await http.send('GET', path)).bytes.equals(image.layerBytes)).toBe(true);
  });
});

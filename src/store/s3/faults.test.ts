import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { chunksOf, collect, describeBytes } from '../../../test/support/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { copySource } from './bucket.ts';
import { openS3Store, type S3Store } from './s3-store.ts';

const ctx = silentContext();
const blob = describeBytes('text');
const OLD = new Date('2020-01-01T00:00:00Z').toUTCString();

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A store whose endpoint answers as told; both go away with the test. */
async function storeAt(answer: Answer, silenceMs?: number): Promise<S3Store> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
  const endpoint = `http://127.0.0.1:${port}`;
  const store = openS3Store({ bucket: 'mirror', endpoint, credentials, silenceMs });
  onTestFinished(() => {
    store.close();
    server.closeAllConnections();
    server.close();
  });
  return store;
}

const refusal =
  (status: number, code: string): Answer =>
  ({ method }, response) => {
    const text = `<Error><Code>${code}</Code><Message>said so</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(method === 'HEAD' ? undefined : text);
  };

test.each([
  ['of a key that does not fit', 403, 'SignatureDoesNotMatch'],
  ['of a key nobody knows', 403, 'InvalidAccessKeyId'],
  ['in another region', 301, 'PermanentRedirect'],
])('a request %s is BUCKET_REFUSED, with what was said', async (_name, status, code) => {
  const store = await storeAt(refusal(status, code));

  await expect(store.records.put(ctx, 'a', 1)).rejects.toMatchObject({
    code: 'BUCKET_REFUSED',
    message: expect.stringContaining(`${code}: said so`),
  });
  // The answer to HEAD has no words.
  await expect(store.blobs.stat(ctx, blob.digest)).rejects.toMatchObject({
    code: 'BUCKET_REFUSED',
    message: expect.stringContaining(`HTTP status ${status}`),
  });
});

test('a bucket that is asked too much is BUCKET_UNAVAILABLE, which may be tried again', async () => {
  const store = await storeAt(refusal(503, 'SlowDown'));

  await expect(store.blobs.stat(ctx, blob.digest)).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
    message: expect.stringContaining('HTTP status 503'),
  });
});

test('an endpoint that never answers is BUCKET_UNAVAILABLE', async () => {
  const store = await storeAt(() => undefined, 50);

  await expect(store.blobs.stat(ctx, blob.digest)).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  });
});

test.each([
  ['falls silent', () => undefined],
  ['is gone', (response: ServerResponse) => response.destroy()],
])('an endpoint that %s in the middle of a blob is BUCKET_UNAVAILABLE', async (_name, end) => {
  const store = await storeAt((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('te', () => end(response));
  }, 50);

  await expect(collect(store.blobs.read(ctx, blob.digest))).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  });
});

test('a web server that says yes to all does not count as an object store', async () => {
  const store = await storeAt(({ method }, response) => {
    response.writeHead(method === 'HEAD' ? 404 : 200, { 'content-type': 'text/html' });
    response.end('<html>Log in</html>');
  });

  const writing = store.blobs.write(ctx, blob, chunksOf('text'));

  await expect(writing).rejects.toMatchObject({ code: 'BUCKET_REFUSED' });
});

test('remove tells when the bucket kept the object', async () => {
  const store = await storeAt(({ method }, response) => {
    if (method === 'HEAD') {
      response.writeHead(200, { 'content-length': '4', 'last-modified': OLD, etag: '"x"' });
      return response.end();
    }
    const { digest } = blob;
    const found = `<Key>${digest}</Key><Code>AccessDenied</Code><Message>locked</Message>`;
    response.writeHead(200, { 'content-type': 'application/xml' });
    return response.end(`<DeleteResult><Error>${found}</Error></DeleteResult>`);
  });

  await expect(store.blobs.remove(ctx, blob.digest)).rejects.toMatchObject({
    code: 'BUCKET_REFUSED',
    message: expect.stringContaining('AccessDenied: locked'),
  });
});

test('copySource names the very object that was listed', () => {
  const place = { bucket: 'mirror', prefix: 'a b/', client: {} as never };
  const object = { key: 'ingest/x/0', size: 1, etag: '"tag"', modifiedAt: new Date(0) };

  expect(copySource(place, object)).toEqual({
    CopySource: 'mirror/a%20b/ingest/x/0',
    CopySourceIfMatch: '"tag"',
  });
});

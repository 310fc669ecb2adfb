import { type Digest, digestOf, isDigest, splitDigest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';
import type { ByteRange, Presigning, Store } from '../../store/store.ts';
import { type Exchange, type Handler, reply } from '../serving/exchange.ts';
import { parseRange } from '../serving/range.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import type { BlobFile } from '../storage/blob-files.ts';

const OCTETS = 'application/octet-stream';
/** Up to this size a blob is served from memory: configs, small layers, signatures. */
const SMALL_BYTES = 64 * 1024;
const PRESIGN_SECONDS = 900;

type BlobHandler = Handler<RouteOf<'blob'>>;

export const getBlob: BlobHandler = async (exchange, { repository, digest: text }) => {
  const { service, request } = exchange;
  const digest = digestIn(text, exchange);
  const size = await sizeOf(exchange, repository, digest);
  if (request.method === 'HEAD') return await headBlob(exchange, digest, size);
  const range = parseRange(request.headers.range, size);
  if (range === 'unsatisfiable') throw unsatisfiable(size);

  const small = service.content.get(digest);
  if (small) return sendBytes(exchange, digest, small, range);
  if (service.redirect && canPresign(service.store)) {
    const location = await service.store.presign(service.ctx, digest, PRESIGN_SECONDS);
    return reply(exchange, 307, { location, 'docker-content-digest': digest });
  }
  await (service.files
    ? sendFile(exchange, digest, range)
    : sendStored(exchange, digest, size, range));
};

export const deleteBlob: BlobHandler = async (exchange, { repository, digest: text }) => {
  const { service } = exchange;
  const digest = digestIn(text, exchange);
  if (!(await service.links.blobs.remove(service.ctx, repository, digest))) throw unknown(digest);
  reply(exchange, 202);
};

function digestIn(text: string, exchange: Exchange): Digest {
  if (!isDigest(text)) throw new WireError('DIGEST_INVALID', 'This is not a digest');
  exchange.entry.digest = text;
  return text;
}

async function sizeOf({ service }: Exchange, repository: string, digest: Digest): Promise<number> {
  const link = await service.links.blobs.get(service.ctx, repository, digest);
  if (!link) throw unknown(digest);
  return link.size;
}

/** The client may rely on the answer and not send the blob: it must not be collected now. */
async function headBlob(exchange: Exchange, digest: Digest, size: number): Promise<void> {
  const { service, response } = exchange;
  const here = service.readOnly
    ? (await service.store.blobs.stat(service.ctx, digest)) !== undefined
    : await service.store.blobs.touch(service.ctx, digest);
  if (!here) throw unknown(digest);
  response.writeHead(200, headersOf(digest, size, undefined));
  response.end();
}

function sendBytes(
  { response }: Exchange,
  digest: Digest,
  bytes: Buffer,
  range: ByteRange | undefined,
): void {
  response.writeHead(range ? 206 : 200, headersOf(digest, bytes.length, range));
  response.end(range ? bytes.subarray(range.start, range.end + 1) : bytes);
}

async function sendFile(
  exchange: Exchange,
  digest: Digest,
  range: ByteRange | undefined,
): Promise<void> {
  const { files } = exchange.service;
  const file = await files?.open(digest);
  if (!files || !file) throw unknown(digest);
  try {
    if (file.size <= SMALL_BYTES) return await sendSmall(exchange, file, range);
    // A part says nothing about the whole, so the whole is looked at before the first byte goes.
    if (range && !(await files.verify(file))) throw unknown(digest);
    const { request, response, service } = exchange;
    request.socket.setTimeout(service.limits.idleMs);
    response.writeHead(range ? 206 : 200, headersOf(digest, file.size, range));
    await files.send(file, range ?? { start: 0, end: file.size - 1 }, response);
    response.end();
  } finally {
    await file.handle.close();
  }
}

async function sendSmall(
  exchange: Exchange,
  file: BlobFile,
  range: ByteRange | undefined,
): Promise<void> {
  const { files, content } = exchange.service;
  const bytes = Buffer.alloc(file.size);
  await file.handle.read(bytes, 0, bytes.length, 0);
  if (digestOf(bytes, splitDigest(file.digest).algorithm) !== file.digest) {
    // Hashes the file once more, and moves it aside if it is really damaged.
    await files?.verify(file);
    throw unknown(file.digest);
  }
  content.put(file.digest, bytes);
  sendBytes(exchange, file.digest, bytes, range);
}

/** From a store without files. All but a part is verified on the way, the last chunk held back. */
async function sendStored(
  exchange: Exchange,
  digest: Digest,
  size: number,
  range: ByteRange | undefined,
): Promise<void> {
  const { service, request, response } = exchange;
  const { ctx, store } = service;
  request.socket.setTimeout(service.limits.idleMs);
  if (!(await store.blobs.stat(ctx, digest))) throw unknown(digest);
  response.writeHead(range ? 206 : 200, headersOf(digest, size, range));
  const chunks = store.blobs.read(ctx, digest, range);
  const checked = range ? chunks : verified({ digest, size, mediaType: OCTETS }, chunks);
  let held: Uint8Array | undefined;
  for await (const chunk of checked) {
    if (held && !response.write(held)) await drained(exchange);
    held = chunk;
  }
  response.end(held);
}

function drained({ response }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = () => {
      response.off('close', onClose);
      resolve();
    };
    const onClose = () => {
      response.off('drain', onDrain);
      reject(new Error('The client closed the connection'));
    };
    response.once('drain', onDrain).once('close', onClose);
  });
}

function headersOf(digest: Digest, size: number, range: ByteRange | undefined): string[] {
  const length = range ? range.end - range.start + 1 : size;
  return [
    'content-type',
    OCTETS,
    'docker-content-digest',
    digest,
    'etag',
    `"${digest}"`,
    'accept-ranges',
    'bytes',
    'content-length',
    String(length),
    ...(range ? ['content-range', `bytes ${range.start}-${range.end}/${size}`] : []),
  ];
}

function unknown(digest: string): WireError {
  return new WireError('BLOB_UNKNOWN', 'The repository has no such blob', { detail: { digest } });
}

function unsatisfiable(size: number): WireError {
  return new WireError('SIZE_INVALID', `The range is outside of the blob's ${size} bytes`, {
    status: 416,
    headers: { 'content-range': `bytes */${size}` },
  });
}

const canPresign = (store: Store): store is Store & Presigning => 'presign' in store;

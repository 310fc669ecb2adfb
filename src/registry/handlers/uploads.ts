import { AtollError } from '../../core/errors.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isRepository } from '../../oci/reference.ts';
import type { StoredBlob } from '../../store/store.ts';
import { type Exchange, type Handler, reply } from '../serving/exchange.ts';
import { parseContentRange } from '../serving/range.ts';
import { receiveBody } from '../serving/receive-body.ts';
import type { RouteOf } from '../serving/routes.ts';
import { type HeaderFields, WireError, wireErrorOf } from '../serving/wire-error.ts';
import type { DiskSpace } from '../storage/disk-space.ts';
import { isUploadOf, newUploadId } from '../upload-id.ts';

type UploadHandler = Handler<RouteOf<'upload'>>;

/** POST: mounts, takes a whole blob in one request, or opens a session. */
export const startUpload: Handler<RouteOf<'uploads'>> = async (exchange, { repository }) => {
  const { query } = exchange;
  const mount = query.get('mount');
  if (mount !== null && (await mountBlob(exchange, repository, digestIn(mount)))) return;

  const digest = mount === null ? query.get('digest') : null;
  const wanted = digest === null ? undefined : digestIn(digest);
  await requireSpace(exchange, repository);
  const { ctx, store } = exchange.service;
  const id = await store.uploads.begin(ctx, newUploadId(repository));
  if (wanted === undefined) return reply(exchange, 202, progress(repository, id, 0));
  try {
    await receive(exchange, id);
    await finish(exchange, repository, id, wanted);
  } catch (error) {
    // The client never learned the id, so nobody can continue it.
    await store.uploads.cancel(ctx, id);
    throw error;
  }
};

/** GET: how far the upload is. */
export const uploadStatus: UploadHandler = async (exchange, { repository, id }) => {
  reply(exchange, 204, progress(repository, id, await offsetOf(exchange, repository, id)));
};

/** PATCH: one more chunk, or a stream without a range. */
export const continueUpload: UploadHandler = async (exchange, { repository, id }) => {
  await checkPosition(exchange, repository, id);
  await requireSpace(exchange, repository);
  const offset = await receive(exchange, id);
  reply(exchange, 202, progress(repository, id, offset));
};

/** PUT: the rest of the bytes, if any, and the digest of the whole. */
export const finishUpload: UploadHandler = async (exchange, { repository, id }) => {
  const digest = digestIn(exchange.query.get('digest') ?? '');
  await checkPosition(exchange, repository, id);
  await requireSpace(exchange, repository);
  await receive(exchange, id);
  await finish(exchange, repository, id, digest);
};

export const cancelUpload: UploadHandler = async (exchange, { repository, id }) => {
  await offsetOf(exchange, repository, id);
  await exchange.service.store.uploads.cancel(exchange.service.ctx, id);
  reply(exchange, 204);
};

/** True when the blob is now in the repository. A missing `from` means: wherever it is. */
async function mountBlob(exchange: Exchange, repository: string, digest: Digest): Promise<boolean> {
  const { ctx, store, links } = exchange.service;
  const from = exchange.query.get('from');
  if (from !== null && !(await mayMount(exchange, from, digest))) return false;
  // Without `from` only somebody who may read everything may learn that it exists.
  if (from === null && !exchange.allows('pull', '')) return false;
  if (!(await store.blobs.touch(ctx, digest))) return false;
  const blob = await store.blobs.stat(ctx, digest);
  if (!blob) return false;
  await links.blobs.set(ctx, repository, digest, { size: blob.size });
  if (!(await store.blobs.stat(ctx, digest))) return false;
  exchange.entry.digest = digest;
  reply(exchange, 201, created(repository, digest));
  return true;
}

async function mayMount(exchange: Exchange, from: string, digest: Digest): Promise<boolean> {
  const { ctx, links } = exchange.service;
  if (!isRepository(from) || !exchange.allows('pull', from)) return false;
  return (await links.blobs.get(ctx, from, digest)) !== undefined;
}

async function receive(exchange: Exchange, id: string): Promise<number> {
  const { service, request } = exchange;
  if (service.metrics.uploadsActive() >= service.limits.concurrentUploads) throw busy();
  service.metrics.uploadStarted();
  request.socket.setTimeout(service.limits.idleMs);
  try {
    return await service.store.uploads.append(service.ctx, id, bodyOf(exchange));
  } catch (error) {
    // What was received would only keep the disk full.
    if (wireErrorOf(error)?.status === 507) await service.store.uploads.cancel(service.ctx, id);
    throw missingUpload(error) ?? error;
  } finally {
    request.socket.setTimeout(0);
    service.metrics.uploadEnded();
  }
}

/** Whether a body fits in is known before it comes, unless it does not say how long it is. */
function bodyOf({ service, request }: Exchange): AsyncIterable<Uint8Array> {
  const body = receiveBody(request);
  return request.headers['content-length'] === undefined ? whileRoom(service.space, body) : body;
}

async function* whileRoom(
  space: DiskSpace,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await space.require(chunk.length);
    yield chunk;
  }
}

/** Commits and links. The order keeps a concurrent collection of garbage from winning. */
async function finish(
  exchange: Exchange,
  repository: string,
  id: string,
  digest: Digest,
): Promise<void> {
  const { ctx, store, links } = exchange.service;
  exchange.entry.digest = digest;
  const { size } = await commit(exchange, id, digest);
  const linked = await links.blobs.get(ctx, repository, digest);
  if (linked?.size !== size) await links.blobs.set(ctx, repository, digest, { size });
  if (!(await store.blobs.stat(ctx, digest))) {
    await links.blobs.remove(ctx, repository, digest);
    throw new WireError('BLOB_UPLOAD_INVALID', 'The blob was collected as garbage; send it again');
  }
  reply(exchange, 201, created(repository, digest));
}

async function commit({ service }: Exchange, id: string, digest: Digest): Promise<StoredBlob> {
  try {
    return await service.store.uploads.commit(service.ctx, id, digest);
  } catch (error) {
    if (error instanceof AtollError && error.code === 'CONTENT_MISMATCH') {
      throw new WireError('DIGEST_INVALID', `The bytes received are not ${digest}`);
    }
    throw missingUpload(error) ?? error;
  }
}

function missingUpload(error: unknown): WireError | undefined {
  const gone = error instanceof AtollError && error.code === 'CONTENT_MISSING';
  return gone ? unknownUpload() : undefined;
}

/** A chunk has to start where the last one ended, and be as long as it says. */
async function checkPosition(exchange: Exchange, repository: string, id: string): Promise<void> {
  const offset = await offsetOf(exchange, repository, id);
  const header = exchange.request.headers['content-range'];
  if (header === undefined) return;
  const range = parseContentRange(header);
  const headers = progress(repository, id, offset);
  if (!range || range.start !== offset || range.end < range.start) {
    const message = `The chunk has to start at byte ${offset}`;
    throw new WireError('BLOB_UPLOAD_INVALID', message, { status: 416, headers });
  }
  const length = exchange.request.headers['content-length'];
  if (length !== undefined && Number(length) !== range.end - range.start + 1) {
    throw new WireError('SIZE_INVALID', 'Content-Range and Content-Length contradict each other');
  }
}

async function offsetOf({ service }: Exchange, repository: string, id: string): Promise<number> {
  const offset = isUploadOf(repository, id)
    ? await service.store.uploads.offset(service.ctx, id)
    : undefined;
  if (offset === undefined) throw unknownUpload();
  return offset;
}

async function requireSpace({ service, request }: Exchange, repository: string): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? 0);
  await service.space.require(bytes);
  await service.quotas.requireRoom(repository, bytes);
}

function digestIn(text: string): Digest {
  if (isDigest(text)) return text;
  throw new WireError('DIGEST_INVALID', 'The digest is missing, malformed or of an unknown kind');
}

function progress(repository: string, id: string, offset: number): HeaderFields {
  return {
    location: `/v2/${repository}/blobs/uploads/${id}`,
    range: `0-${Math.max(0, offset - 1)}`,
    'docker-upload-uuid': id,
  };
}

function created(repository: string, digest: Digest): HeaderFields {
  return { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest };
}

function unknownUpload(): WireError {
  return new WireError('BLOB_UPLOAD_UNKNOWN', 'There is no such upload in this repository');
}

function busy(): WireError {
  return new WireError('TOOMANYREQUESTS', 'Too many uploads at once', {
    headers: { 'retry-after': '1' },
  });
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { once } from '../../core/bytes.ts';
import { AtollError } from '../../core/errors.ts';
import { sleep } from '../../core/retry.ts';
import { type Digest, digestOf, isDigest, splitDigest } from '../../oci/digest.ts';
import { isImage, parseManifest, type RawManifest } from '../../oci/manifest.ts';
import { isTag } from '../../oci/reference.ts';
import { referrerDescriptor } from '../../oci/referrers.ts';
import { type Handler, reply, type Service } from '../serving/exchange.ts';
import { receiveWhole } from '../serving/receive-body.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import type { ReferrerLink } from '../storage/links.ts';
import { requireModest } from './manifest-structure.ts';
import { requireMovable } from './protected-tags.ts';

export const putManifest: Handler<RouteOf<'manifest'>> = async (exchange, route) => {
  const { service, request, query, entry } = exchange;
  const { repository, reference } = route;
  entry.reference = reference;
  const tags = tagsOf(reference, query, service.limits.tagsPerManifest);
  await service.space.require(0);
  request.socket.setTimeout(service.limits.idleMs);
  const bytes = await receiveWhole(request, service.limits.manifestBytes);
  const digest = digestFor(reference, bytes);
  entry.digest = digest;
  const manifest = parse(bytes, digest, request.headers['content-type']);

  for (const tag of tags) await requireMovable(exchange, repository, tag, digest);
  await requireBlobs(service, repository, manifest);
  const pieces = [manifest.descriptor, ...(isImage(manifest) ? manifest.children : [])];
  await service.quotas.within(repository, pieces, () => store(service, repository, manifest));
  const { mediaType, size } = manifest.descriptor;
  const link = { digest, mediaType, size, at: service.ctx.now().toISOString() };
  for (const tag of tags) await service.links.tags.set(service.ctx, repository, tag, link);
  reply(exchange, 201, {
    location: `/v2/${repository}/manifests/${digest}`,
    'docker-content-digest': digest,
    ...(manifest.subject ? { 'oci-subject': manifest.subject.digest } : {}),
    ...(isDigest(reference) && tags.length > 0 ? { 'oci-tag': tags } : {}),
  });
};

/** The tags to set: the one in the path, or those asked for beside a digest. */
function tagsOf(reference: string, query: URLSearchParams, most: number): readonly string[] {
  const tags = isDigest(reference) ? [...new Set(query.getAll('tag'))] : [reference];
  if (tags.length > most) {
    throw new WireError('MANIFEST_INVALID', `More than ${most} tags at once`, { status: 414 });
  }
  const wrong = tags.find((tag) => !isTag(tag));
  if (wrong === undefined) return tags;
  if (wrong.includes(':')) throw new WireError('DIGEST_INVALID', 'This is not a digest');
  throw new WireError('MANIFEST_INVALID', 'This is not a tag', { detail: { tag: wrong } });
}

function digestFor(reference: string, bytes: Buffer): Digest {
  const wanted = isDigest(reference) ? reference : undefined;
  const found = digestOf(bytes, wanted ? splitDigest(wanted).algorithm : 'sha256');
  if (wanted === undefined || wanted === found) return found;
  throw new WireError('DIGEST_INVALID', `The bytes received are ${found}, not ${wanted}`);
}

function parse(bytes: Buffer, digest: Digest, header: string | undefined): RawManifest {
  requireModest(bytes);
  let manifest: RawManifest;
  try {
    manifest = parseManifest(bytes, header, digest);
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    throw new WireError('MANIFEST_INVALID', error.message);
  }
  const bare = header?.split(';')[0]?.trim();
  const named = manifest.content.mediaType;
  if (bare && named && bare !== named) {
    throw new WireError('MANIFEST_INVALID', `Content-Type is ${bare}, but mediaType is ${named}`);
  }
  return manifest;
}

/**
 * What an image is made of has to be here. The manifests of an index need not be: an index some of
 * whose platforms are absent is how a mirror holds a part of an image without changing its digest.
 */
async function requireBlobs(
  service: Service,
  repository: string,
  manifest: RawManifest,
): Promise<void> {
  if (!isImage(manifest)) return;
  for await (const { digest } of inTurns(manifest.children)) {
    if (!(await isHere(service, repository, digest))) throw blobUnknown(digest);
  }
}

const LOOKS_PER_TURN = 64;

/** Looking after a blob may need no waiting at all: after some of them, others have their turn. */
async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index % LOOKS_PER_TURN === LOOKS_PER_TURN - 1) await nextTurn();
    yield item;
  }
}

const LOOKS = 3;
const LOOK_MS = 50;

/** A collection of garbage that runs now may have a blob in its hands for a moment. */
async function isHere(
  { ctx, store, links }: Service,
  repository: string,
  digest: Digest,
): Promise<boolean> {
  for (let looks = 1; ; looks += 1) {
    const link = await links.blobs.get(ctx, repository, digest);
    // Touching keeps the collection away from it.
    if (link && (await store.blobs.touch(ctx, digest))) return true;
    if (looks >= LOOKS) return false;
    await sleep(ctx, LOOK_MS);
  }
}

async function store(service: Service, repository: string, manifest: RawManifest): Promise<void> {
  const { ctx, links } = service;
  const { digest, mediaType, size } = manifest.descriptor;
  await service.store.blobs.write(ctx, manifest.descriptor, once(manifest.bytes));
  await links.manifests.set(ctx, repository, digest, { mediaType, size });
  await requireStill(service, repository, manifest);
  service.content.put(digest, Buffer.from(manifest.bytes));
  if (!manifest.subject) return;
  await links
    .referrers(manifest.subject.digest)
    .set(ctx, repository, digest, referrerLink(manifest));
}

/** Lists are read often, and by type: what is long stays out of the record. */
const INLINE_BYTES = 4096;

function referrerLink(manifest: RawManifest): ReferrerLink {
  const { annotations, ...descriptor } = referrerDescriptor(manifest);
  if (!annotations) return descriptor;
  const isShort = JSON.stringify(annotations).length <= INLINE_BYTES;
  return isShort ? { ...descriptor, annotations } : { ...descriptor, annotated: true };
}

/** From here on the manifest protects its blobs; one that was collected just before is missed now. */
async function requireStill(
  { ctx, store, links }: Service,
  repository: string,
  manifest: RawManifest,
): Promise<void> {
  const needed = [manifest.descriptor, ...(isImage(manifest) ? manifest.children : [])];
  for await (const { digest } of inTurns(needed)) {
    if (await store.blobs.stat(ctx, digest)) continue;
    await links.manifests.remove(ctx, repository, manifest.descriptor.digest);
    throw blobUnknown(digest);
  }
}

function blobUnknown(digest: Digest): WireError {
  return new WireError('MANIFEST_BLOB_UNKNOWN', 'The manifest names a blob that is not here', {
    detail: { digest },
  });
}

import type { ServerResponse } from 'node:http';
import { isDigest } from '../../oci/digest.ts';
import { isImage, parseManifest, WHOLE_HEADER } from '../../oci/manifest.ts';
import { isTag } from '../../oci/reference.ts';
import { type Exchange, type Handler, reply } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import { findManifest, type StoredManifest } from '../storage/manifest-content.ts';
import { requireMovable } from './protected-tags.ts';

type ManifestHandler = Handler<RouteOf<'manifest'>>;

export const getManifest: ManifestHandler = async (exchange, { repository, reference }) => {
  const { service, request, response, entry } = exchange;
  entry.reference = reference;
  const found = await findManifest(service, repository, reference);
  if (!found) throw unknown(reference);
  entry.digest = found.digest;
  const etag = etagOf(found);
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag, 'docker-content-digest': found.digest });
    response.end();
    return;
  }
  const whole = await wholeness(exchange, repository, found);
  response.writeHead(200, [...whole, ...manifestFields(found)]);
  if (request.method === 'HEAD') response.end();
  else sendWhole(response, found.bytes);
};

const etagOf = ({ digest }: StoredManifest): string => `"${digest}"`;

/** Names and values in turn. */
export const manifestFields = (found: StoredManifest): readonly string[] => [
  'content-type',
  found.mediaType,
  'docker-content-digest',
  found.digest,
  'etag',
  etagOf(found),
  'content-length',
  String(found.bytes.length),
];

/**
 * Who pushes asks whether all of an image is here: a damaged blob was set aside, and then a manifest
 * alone is not the image. Nobody else pays for the look. What an index names is asked for by itself,
 * and a cache fetches what it lacks.
 */
async function wholeness(
  { service, request }: Exchange,
  repository: string,
  found: StoredManifest,
): Promise<readonly string[]> {
  if (request.headers[WHOLE_HEADER] === undefined || service.upstream) return [];
  const manifest = parseManifest(found.bytes, found.mediaType, found.digest);
  const needed = isImage(manifest) ? manifest.children : [];
  const here = await Promise.all([
    // Found by its tag it may still be missing by its digest.
    service.links.manifests.get(service.ctx, repository, found.digest),
    ...needed.map(async ({ digest, size }) => {
      const link = await service.links.blobs.get(service.ctx, repository, digest);
      return link && (await service.store.blobs.stat(service.ctx, digest))?.size === size;
    }),
  ]);
  return [WHOLE_HEADER, here.every(Boolean) ? 'yes' : 'no'];
}

/** Up to this size, copying bytes is cheaper than giving the kernel two buffers. */
export const JOINED_BYTES = 16 * 1024;

/** Latin 1 maps bytes to characters one to one, and text leaves in one write with the headers. */
function sendWhole(response: ServerResponse, bytes: Buffer): void {
  if (bytes.length > JOINED_BYTES) response.end(bytes);
  else response.end(bytes.toString('latin1'), 'latin1');
}

/** A tag alone, or a manifest with all its tags and its place among the referrers. */
export const deleteManifest: ManifestHandler = async (exchange, { repository, reference }) => {
  const { service, entry } = exchange;
  entry.reference = reference;
  if (isDigest(reference)) {
    const found = await findManifest(service, repository, reference);
    const link = found ?? (await service.links.manifests.get(service.ctx, repository, reference));
    if (!link) throw unknown(reference);
    await removeTagsOf(exchange, repository, reference);
    if (found) await removeReferrer(exchange, repository, found);
    await service.links.manifests.remove(service.ctx, repository, reference);
  } else if (!isTag(reference) || !(await removeTag(exchange, repository, reference))) {
    throw unknown(reference);
  }
  reply(exchange, 202);
};

async function removeTag(exchange: Exchange, repository: string, tag: string): Promise<boolean> {
  await requireMovable(exchange, repository, tag, undefined);
  return await exchange.service.links.tags.remove(exchange.service.ctx, repository, tag);
}

/** Tags go first: a crash in between must not leave a tag that names nothing. */
async function removeTagsOf(exchange: Exchange, repository: string, digest: string): Promise<void> {
  const { ctx, links } = exchange.service;
  const tags: string[] = [];
  for await (const tag of links.tags.list(ctx, repository)) {
    const link = await links.tags.get(ctx, repository, tag);
    if (link?.digest === digest) tags.push(tag);
  }
  // All or none: a refusal must not come after the first is gone.
  for (const tag of tags) await requireMovable(exchange, repository, tag, undefined);
  for (const tag of tags) await links.tags.remove(ctx, repository, tag);
}

async function removeReferrer(
  { service }: Exchange,
  repository: string,
  { bytes, mediaType, digest }: StoredManifest,
): Promise<void> {
  const { subject } = parseManifest(bytes, mediaType, digest);
  if (!subject) return;
  await service.links.referrers(subject.digest).remove(service.ctx, repository, digest);
}

function unknown(reference: string): WireError {
  return new WireError('MANIFEST_UNKNOWN', 'The repository has no such manifest', {
    detail: { reference },
  });
}

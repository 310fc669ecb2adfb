import { AtollError } from '../../core/errors.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isTag } from '../../oci/reference.ts';
import { verifyBytes } from '../../oci/verify.ts';
import type { Service } from '../serving/exchange.ts';
import type { ManifestLink, TagLink } from './links.ts';

export interface StoredManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The manifest a tag or digest names in a repository; undefined when there is none, or no good one. */
export async function findManifest(
  service: Service,
  repository: string,
  reference: string,
): Promise<StoredManifest | undefined> {
  const link = await linkOf(service, repository, reference);
  if (!link) return undefined;
  const { digest, mediaType } = link;
  const bytes = service.content.get(digest) ?? (await readManifest(service, digest, link));
  return bytes && { digest, mediaType, bytes };
}

/** The same at once, where all of it is in memory and still true. */
export function recallManifest(
  service: Service,
  repository: string,
  reference: string,
): StoredManifest | undefined {
  const link = recallLink(service, repository, reference);
  const bytes = link && service.content.get(link.digest);
  return bytes && { digest: link.digest, mediaType: link.mediaType, bytes };
}

function recallLink(
  { links }: Service,
  repository: string,
  reference: string,
): TagLink | undefined {
  if (isTag(reference)) return links.tags.recall(repository, reference);
  if (!isDigest(reference)) return undefined;
  const link = links.manifests.recall(repository, reference);
  return link && { digest: reference, mediaType: link.mediaType, size: link.size };
}

/** A tag is removed before its manifest and set after it, so it vouches for the manifest. */
async function linkOf(
  { ctx, links }: Service,
  repository: string,
  reference: string,
): Promise<TagLink | undefined> {
  if (isTag(reference)) return await links.tags.get(ctx, repository, reference);
  if (!isDigest(reference)) return undefined;
  const link = await links.manifests.get(ctx, repository, reference);
  return link && { ...link, digest: reference };
}

async function readManifest(
  service: Service,
  digest: Digest,
  { mediaType, size }: ManifestLink,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of service.store.blobs.read(service.ctx, digest)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    verifyBytes({ mediaType, digest, size }, bytes);
    service.content.put(digest, bytes);
    return bytes;
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    if (error.code === 'CONTENT_MISMATCH') await setAside(service, digest);
    else if (error.code !== 'CONTENT_MISSING') throw error;
    return undefined;
  }
}

async function setAside({ files }: Service, digest: Digest): Promise<void> {
  const file = await files?.open(digest);
  if (!files || !file) return;
  try {
    await files.verify(file);
  } finally {
    await file.handle.close();
  }
}

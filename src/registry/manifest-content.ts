import { AtollError } from '../core/errors.ts';
import { type Digest, isDigest } from '../oci/digest.ts';
import { isTag } from '../oci/reference.ts';
import { verifyBytes } from '../oci/verify.ts';
import type { Service } from './exchange.ts';
import type { ManifestLink } from './links.ts';

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
  const { ctx, links } = service;
  const digest = await digestFor(service, repository, reference);
  const link = digest && (await links.manifests.get(ctx, repository, digest));
  if (!digest || !link) return undefined;
  const bytes = service.content.get(digest) ?? (await readManifest(service, digest, link));
  return bytes && { digest, mediaType: link.mediaType, bytes };
}

async function digestFor(
  { ctx, links }: Service,
  repository: string,
  reference: string,
): Promise<Digest | undefined> {
  if (isDigest(reference)) return reference;
  if (!isTag(reference)) return undefined;
  return (await links.tags.get(ctx, repository, reference))?.digest;
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

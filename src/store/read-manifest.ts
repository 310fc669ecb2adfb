import { collect } from '../core/bytes.ts';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Descriptor } from '../oci/descriptor.ts';
import { type Digest, parseDigest } from '../oci/digest.ts';
import { MAX_MANIFEST_BYTES, parseManifest, type RawManifest } from '../oci/manifest.ts';
import { verifyBytes } from '../oci/verify.ts';
import type { Blobs } from './store.ts';

/** The manifest a store keeps under a descriptor, its bytes compared with it. */
export async function readManifest(
  ctx: Context,
  blobs: Blobs,
  descriptor: Descriptor,
): Promise<RawManifest> {
  const bytes = await readSmallBlob(ctx, blobs, descriptor.digest);
  verifyBytes(descriptor, bytes);
  return parseManifest(bytes, descriptor.mediaType, descriptor.digest);
}

/** The manifest under a digest, or undefined when nothing is there or it is no manifest. */
export async function findManifest(
  ctx: Context,
  blobs: Blobs,
  digest: Digest,
): Promise<RawManifest | undefined> {
  const blob = await blobs.stat(ctx, digest);
  if (!blob || blob.size > MAX_MANIFEST_BYTES) return undefined;
  const bytes = await readSmallBlob(ctx, blobs, digest);
  verifyBytes({ mediaType: '', digest, size: blob.size }, bytes);
  try {
    return parseManifest(bytes, undefined, digest);
  } catch {
    return undefined;
  }
}

/** The same, and undefined also when the bytes are damaged or cannot be read. */
export async function findSoundManifest(
  ctx: Context,
  blobs: Blobs,
  digest: Digest,
): Promise<RawManifest | undefined> {
  try {
    return await findManifest(ctx, blobs, digest);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Whether content is there and of no use. */
export function isDamage(error: unknown): boolean {
  return (
    error instanceof AtollError &&
    (error.code === 'CONTENT_MISMATCH' || error.code === 'FILE_UNREADABLE')
  );
}

const DIGESTS = /sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})(?![0-9a-f])/g;

/** Every digest that a small blob mentions: all it can need, should it be a manifest of an unknown kind. */
export async function digestsIn(ctx: Context, blobs: Blobs, digest: Digest): Promise<Digest[]> {
  const blob = await blobs.stat(ctx, digest);
  if (!blob || blob.size > MAX_MANIFEST_BYTES) return [];
  const text = (await readSmallBlob(ctx, blobs, digest)).toString('latin1');
  return [...text.matchAll(DIGESTS)].map(([found]) => parseDigest(found));
}

/** The bytes of a blob that has to be small, such as a manifest. */
function readSmallBlob(ctx: Context, blobs: Blobs, digest: Digest): Promise<Buffer> {
  return collect(blobs.read(ctx, digest), MAX_MANIFEST_BYTES, () => tooLarge(digest));
}

function tooLarge(digest: Digest): AtollError {
  return new AtollError(
    'MANIFEST_INVALID',
    `Cannot read ${digest}: it has more than ${MAX_MANIFEST_BYTES} bytes, too many for a manifest`,
    { details: { digest } },
  );
}

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';

// An OCI image layout, with directories of our own for writes in progress and for records:
//
//   <root>/
//   ├── oci-layout
//   ├── index.json                  names of images
//   ├── blobs/<algorithm>/<hex>     complete and verified, or absent
//   ├── ingest/<id>                 uploads, to be continued
//   ├── ingest/<uuid>.tmp           writes in progress; rubbish when nobody writes
//   └── records/<part>/…/<part>.json

export const ALGORITHMS = ['sha256', 'sha512'] as const;

/** No dots and no slashes: an id can never leave `ingest/` nor look like a temporary file. */
const UPLOAD_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,159}$/;

export const isUploadId = (id: string): boolean => UPLOAD_ID.test(id);

export function blobPath(root: string, digest: Digest): string {
  const { algorithm, hex } = splitDigest(digest);
  return join(root, 'blobs', algorithm, hex);
}

/** The id itself, if it can be one. */
export function requireUploadId(id: string): string {
  if (isUploadId(id)) return id;
  throw new AtollError('INPUT_INVALID', `Cannot use "${id}" as the id of an upload`, {
    hint: 'Use letters, digits, "-" and "_", at most 160 of them',
  });
}

export function uploadPath(root: string, id: string): string {
  return join(root, 'ingest', requireUploadId(id));
}

export function temporaryPath(root: string): string {
  return join(root, 'ingest', `${randomUUID()}.tmp`);
}

/** The lock for every change of `index.json`. */
export function indexLockPath(root: string): string {
  return join(root, 'ingest', 'index.json.lock');
}

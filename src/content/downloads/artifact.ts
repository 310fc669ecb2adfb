import { createReadStream } from 'node:fs';
import { once } from '../../core/bytes.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import { type Digest, digestOf } from '../../oci/digest.ts';
import { parseManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';

const FILES_TYPE = 'application/vnd.atoll.files.v1';
const EMPTY = { mediaType: 'application/vnd.oci.empty.v1+json', bytes: Buffer.from('{}') };
/** What ORAS and others name a file by. */
const TITLE = 'org.opencontainers.image.title';
const SOURCE = 'org.opencontainers.image.source';
/** How the bytes were known to be right. */
const TRUST = 'dev.atoll.verified-by';

/** A file on this machine that is carried under a path. */
export interface CarriedFile {
  /** In the artifact: relative, with slashes. */
  readonly path: string;
  readonly file: string;
  readonly digest: Digest;
  readonly size: number;
  readonly origin: string;
  readonly verifiedBy: string;
}

export interface FilesArtifact {
  readonly digest: Digest;
  readonly source: Source;
}

/** Registries limit manifests, ours to 50,000 values and 4 MiB: each file takes eight of the one and up to 500 bytes of the other. */
const MOST_FILES = 6000;

/** Said before anything is downloaded, rather than by the registry that refuses it. */
export function requireFewFiles(count: number): void {
  if (count <= MOST_FILES) return;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot carry ${count} files as one artifact: there is room for ${MOST_FILES}`,
    {
      hint: 'Name those that are needed ("packages" of a repository), or carry parts of it under several names',
    },
  );
}

/** Files as one OCI artifact: a layer for each, as it is, under its name. The same files give the same digest. */
export function filesArtifact(files: readonly CarriedFile[]): FilesArtifact {
  const byDigest = new Map(files.map((file) => [file.digest as string, file.file]));
  const config = { digest: digestOf(EMPTY.bytes), size: EMPTY.bytes.length };
  const content = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    artifactType: FILES_TYPE,
    config: { mediaType: EMPTY.mediaType, ...config },
    layers: files.map(({ path, digest, size, origin, verifiedBy }) => ({
      mediaType: 'application/octet-stream',
      digest,
      size,
      annotations: { [TITLE]: path, [SOURCE]: origin, [TRUST]: verifiedBy },
    })),
  };
  const bytes = Buffer.from(JSON.stringify(content));
  const manifest = parseManifest(bytes, MEDIA_TYPES.ociManifest);
  const { descriptor } = manifest;
  const source: Source = {
    resolve: async () => descriptor,
    manifest: async () => manifest,
    blob: (_ctx, { digest }, offset = 0) => {
      if (digest === config.digest) return once(EMPTY.bytes.subarray(offset));
      const file = byDigest.get(digest);
      if (file !== undefined)
        return createReadStream(file, { start: offset, highWaterMark: 1024 * 1024 });
      throw new AtollError('CONTENT_MISSING', `Cannot find ${digest} among the files`);
    },
    can: {},
  };
  return { digest: descriptor.digest, source };
}

import { createHash } from 'node:crypto';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { BuiltLayer, Family, LayerFile } from './build-image.ts';
import { type Digest, digestOf } from './digest.ts';
import { MEDIA_TYPES } from './media-types.ts';

/** A folder of a layer; it is written even when nothing is in it. */
export interface LayerFolder {
  /** Without leading and trailing slash. */
  readonly folder: string;
  readonly mode: number;
}

const EPOCH = new Date(0);
const OS_UNKNOWN = 255;
const OWNER = { mtime: EPOCH, uid: 0, gid: 0 };

/**
 * A gzip layer of exactly these entries, in this order, of which only the compressed bytes are ever in
 * memory as a whole. The same entries give the same bytes.
 */
export async function streamLayer(
  entries: Iterable<LayerFile | LayerFolder>,
  family: Family = 'oci',
): Promise<BuiltLayer> {
  const archive = pack();
  const compressed = compress(archive);
  for (const entry of entries) await write(archive, entry);
  archive.finalize();
  const { bytes, diffId } = await compressed;
  // zlib notes the machine's system here; the bytes must not depend on it.
  bytes[9] = OS_UNKNOWN;
  const mediaType = family === 'oci' ? MEDIA_TYPES.ociLayerGzip : MEDIA_TYPES.dockerLayerGzip;
  return {
    descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length },
    bytes,
    diffId,
  };
}

async function compress(archive: Pack): Promise<{ bytes: Buffer; diffId: Digest }> {
  const gzip = createGzip();
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  const collected = (async () => {
    for await (const chunk of gzip) chunks.push(chunk as Buffer);
  })();
  for await (const chunk of archive) {
    hash.update(chunk as Buffer);
    if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await collected;
  return { bytes: Buffer.concat(chunks), diffId: `sha256:${hash.digest('hex')}` as Digest };
}

/** Resolves when the archive has room again. */
function write(archive: Pack, entry: LayerFile | LayerFolder): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    if ('folder' in entry) {
      const { folder, mode } = entry;
      archive.entry({ ...OWNER, name: `${folder}/`, type: 'directory', mode }, done);
    } else {
      const content = Buffer.from(entry.content as Uint8Array);
      const header = {
        ...OWNER,
        name: entry.path,
        mode: entry.mode ?? 0o644,
        size: content.length,
      };
      archive.entry(header, content, done);
    }
  });
}

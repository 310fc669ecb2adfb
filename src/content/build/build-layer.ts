import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { type Digest, digestOf } from '../../oci/digest.ts';
import { normalPath } from '../layers/layer-path.ts';

/** A file of a layer to be built. A whiteout is an empty file called `.wh.NAME`. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode?: number | undefined;
}

/** A layer whose bytes depend on nothing but its files. */
export interface BuiltLayer {
  /** gzip. */
  readonly bytes: Uint8Array;
  readonly digest: Digest;
  /** Of the bytes before compression, as the config of an image lists them. */
  readonly diffId: Digest;
}

const EPOCH = new Date(0);
const OS_UNKNOWN = 255;

/** Packs files in order of their paths, with their folders, owned by root and without a time. */
export async function buildLayer(files: Iterable<NewFile>): Promise<BuiltLayer> {
  const tar = await tarOf(files);
  const bytes = gzipSync(tar, { level: 9 });
  // zlib writes the machine's system here; the bytes must not depend on it.
  bytes[9] = OS_UNKNOWN;
  return { bytes, digest: digestOf(bytes), diffId: digestOf(tar) };
}

async function tarOf(files: Iterable<NewFile>): Promise<Uint8Array> {
  const byPath = new Map<string, NewFile>();
  for (const file of files) {
    const path = normalPath(file.path);
    if (!path) throw new Error(`"${file.path}" is no path inside an image`);
    byPath.set(path, file);
  }
  const folders = new Set([...byPath.keys()].flatMap(parentsOf));
  const tar = pack();
  const owner = { uid: 0, gid: 0, mtime: EPOCH };
  for (const path of [...byPath.keys(), ...folders].toSorted()) {
    const file = byPath.get(path);
    if (file) tar.entry({ name: path, mode: file.mode ?? 0o644, ...owner }, file.bytes);
    else tar.entry({ name: `${path}/`, mode: 0o755, type: 'directory', ...owner });
  }
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

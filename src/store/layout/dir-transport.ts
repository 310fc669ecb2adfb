import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder, readBytes, readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import type { Source, Target, TargetAbilities } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest, splitDigest } from '../../oci/digest.ts';
import { MAX_MANIFEST_BYTES, parseManifest, type RawManifest } from '../../oci/manifest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { verified, verifyBytes } from '../../oci/verify.ts';
import { readBlobFile } from '../disk/blobs.ts';
import { missing } from '../missing.ts';

// One image in a folder, as the `dir:` transport of skopeo and podman has it:
//
//   <root>/
//   ├── version                 "Directory Transport Version: 1.1"
//   ├── manifest.json           the image or the index
//   ├── <hex>.manifest.json     the images of an index
//   └── <hex>                   configs and layers

const VERSION = 'Directory Transport Version: 1.1\n';
/** What a write that was killed leaves behind. */
const LEFTOVER = /^\.(?:version|[0-9a-f]+(?:\.manifest\.json)?)\.[0-9a-f-]{36}\.tmp$/;
/** A writer that is still at work has written since. */
const LEFTOVER_MS = 3_600_000;

/** The image in a folder. Its one name is the empty one; digests work as well. */
export function dirSource(directory: string): Source {
  const root = resolvePath(directory);
  return {
    async resolve(_ctx, tagOrDigest) {
      const found = isDigest(tagOrDigest)
        ? await findManifest(root, tagOrDigest)
        : await readManifestFile(join(root, 'manifest.json'));
      return found?.descriptor;
    },
    async manifest(_ctx, descriptor) {
      const found = await findManifest(root, descriptor.digest);
      if (!found) throw missing(descriptor.digest);
      verifyBytes(descriptor, found.bytes);
      return parseManifest(found.bytes, descriptor.mediaType, descriptor.digest);
    },
    blob: (ctx, descriptor, offset) => readBlob(ctx, root, descriptor, offset),
    can: {},
  };
}

export interface DirTarget extends Target {
  readonly can: Required<Pick<TargetAbilities, 'setRoot'>>;
}

/** Puts one image into a folder, which has to be new, empty, or of this kind already. */
export async function openDirTarget(directory: string): Promise<DirTarget> {
  const root = resolvePath(directory);
  await prepare(root);
  return {
    has: (_ctx, descriptor) => has(root, descriptor),
    async putBlob(_ctx, blob, chunks) {
      if (await has(root, blob)) return;
      await writeFileAtomic(blobFile(root, blob.digest), verified(blob, chunks));
    },
    async putManifest(_ctx, { descriptor, bytes }) {
      await writeFileAtomic(childFile(root, descriptor.digest), bytes);
    },
    can: {
      async setRoot(_ctx, { digest }) {
        const manifestFile = join(root, 'manifest.json');
        if ((await readManifestFile(manifestFile))?.descriptor.digest === digest) return;
        await rename(childFile(root, digest), manifestFile);
      },
    },
  };
}

const blobFile = (root: string, digest: Digest) => join(root, splitDigest(digest).hex);
const childFile = (root: string, digest: Digest) => `${blobFile(root, digest)}.manifest.json`;

async function prepare(root: string): Promise<void> {
  await makeFolder(root);
  const names = await readdir(root);
  const leftovers = names.filter((name) => LEFTOVER.test(name));
  if (names.length > leftovers.length && !(await isImageFolder(root))) {
    throw new AtollError('INPUT_INVALID', `Cannot write an image to "${root}": it holds files`, {
      hint: 'Name a new or an empty folder',
      details: { path: root },
    });
  }
  for (const name of leftovers) await removeIfOld(join(root, name));
  await writeFileAtomic(join(root, 'version'), VERSION);
}

async function removeIfOld(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined);
  if (status && Date.now() - status.mtimeMs > LEFTOVER_MS) await rm(path, { force: true });
}

/** A file named "version" alone is not enough: many folders have one. */
async function isImageFolder(root: string): Promise<boolean> {
  const version = await readTextIfPresent(join(root, 'version'));
  return version?.startsWith('Directory Transport Version: ') ?? false;
}

async function has(root: string, { digest, size, mediaType }: Descriptor): Promise<boolean> {
  if (isManifestType(mediaType)) return (await findManifest(root, digest)) !== undefined;
  return (await stat(blobFile(root, digest)).catch(() => undefined))?.size === size;
}

/** The manifest with this digest: a child, or the root itself. */
async function findManifest(root: string, digest: Digest): Promise<RawManifest | undefined> {
  const child = await readManifestFile(childFile(root, digest), digest);
  if (child) return child;
  const top = await readManifestFile(join(root, 'manifest.json'), digest).catch(otherDigest);
  return top;
}

function otherDigest(error: unknown): undefined {
  if (error instanceof AtollError && error.code === 'CONTENT_MISMATCH') return undefined;
  throw error;
}

async function readManifestFile(path: string, digest?: Digest): Promise<RawManifest | undefined> {
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined) return undefined;
  if (size > MAX_MANIFEST_BYTES) {
    throw new AtollError('MANIFEST_INVALID', `Cannot read "${path}": it has ${size} bytes`);
  }
  const bytes = await readBytes(path);
  if (digest) verifyBytes({ mediaType: '', digest, size: bytes.length }, bytes);
  return parseFile(path, bytes, digest);
}

function parseFile(path: string, bytes: Buffer, digest: Digest | undefined): RawManifest {
  try {
    return parseManifest(bytes, undefined, digest);
  } catch (error) {
    if (digest || !(error instanceof AtollError)) throw error;
    const found = error.message.replace(/^.*?: /, '');
    const { hint } = error;
    throw new AtollError(error.code, `Cannot read "${path}": ${found}`, { hint, cause: error });
  }
}

async function* readBlob(
  ctx: Context,
  root: string,
  { digest, size }: Descriptor,
  offset = 0,
): AsyncGenerator<Uint8Array> {
  const range = { start: offset, end: Math.max(size - 1, 0) };
  yield* readBlobFile(ctx, blobFile(root, digest), digest, range);
}

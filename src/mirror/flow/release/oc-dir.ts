import { link, open, readdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError, systemCodeOf } from '../../../core/errors.ts';
import { makeFolder, readBytes, unwritable, writeFileAtomic } from '../../../core/files.ts';
import type { Source, SourceAbilities, Target, TargetAbilities } from '../../../oci/content.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../../oci/digest.ts';
import { parseManifest, type RawManifest } from '../../../oci/manifest.ts';
import { isManifestType } from '../../../oci/media-types.ts';
import { isTag } from '../../../oci/reference.ts';
import { verifyBytes } from '../../../oci/verify.ts';
import { requireFreeSpace } from '../../../store/disk/free-space.ts';
import { readRange, sizeOfFile } from '../../bundle/chunk-files.ts';
import { hashedAppend } from './hashed-append.ts';

// One repository on disk, as `oc adm release mirror --to-dir` and `oc image mirror` keep it. It can be
// served as it is by any web server:
//
//   <dir>/v2/<repository>/blobs/sha256:<hex>        layers, configs and manifests
//   <dir>/v2/<repository>/manifests/sha256:<hex>    hard link to the blob
//   <dir>/v2/<repository>/manifests/<tag>           symbolic link to sha256:<hex>

/** A repository in a folder of `oc`, for reading and writing. */
export class OcDir implements Source, Target {
  readonly can: SourceAbilities & TargetAbilities = {
    tags: () => this.tags(),
    read: this,
    resume: this,
    prepare: (ctx, blobs) => this.prepare(ctx, blobs),
  };
  readonly #dir: string;
  readonly #root: string;

  constructor(dir: string, repository: string) {
    this.#dir = dir;
    this.#root = join(dir, 'v2', ...repository.split('/'));
  }

  async prepare(_ctx: Context, blobs: readonly Descriptor[]): Promise<void> {
    const sizes = new Map(blobs.map(({ digest, size }) => [digest, size]));
    await requireFreeSpace(
      this.#dir,
      [...sizes.values()].reduce((sum, size) => sum + size, 0),
    );
  }

  async resolve(_ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined> {
    if (!isDigest(tagOrDigest) && !isTag(tagOrDigest)) return undefined;
    const path = this.#manifest(tagOrDigest);
    const bytes = await readBytes(path).catch(absent);
    if (!bytes) return undefined;
    const digest = isDigest(tagOrDigest) ? tagOrDigest : undefined;
    if (digest) verifyBytes({ mediaType: '', digest, size: bytes.length }, bytes);
    return parseManifest(bytes, undefined, digest).descriptor;
  }

  async manifest(_ctx: Context, { digest, mediaType }: Descriptor): Promise<RawManifest> {
    const bytes = await readBytes(this.#manifest(digest));
    verifyBytes({ mediaType, digest, size: bytes.length }, bytes);
    return parseManifest(bytes, mediaType || undefined, digest);
  }

  async *blob(ctx: Context, { digest, size }: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    try {
      yield* readRange(ctx, this.#blob(digest), offset, size);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      throw new AtollError('CONTENT_MISSING', `Cannot find "${this.#blob(digest)}"`, {
        hint: 'Copy the folder again; or write it again with --to-dir, which adds only what is not there',
        cause: error,
      });
    }
  }

  async *tags(): AsyncGenerator<string> {
    const names = await readdir(join(this.#root, 'manifests')).catch(() => []);
    for (const name of names.toSorted()) if (!isDigest(name)) yield name;
  }

  /** A folder can lose files: an image is there when all of it is. */
  async has(ctx: Context, descriptor: Descriptor): Promise<boolean> {
    const { digest, size, mediaType } = descriptor;
    if (!isManifestType(mediaType)) return (await sizeOfFile(this.#blob(digest))) === size;
    if ((await sizeOfFile(this.#manifest(digest))) !== size) return false;
    const { children } = parseManifest(await readBytes(this.#manifest(digest)), mediaType, digest);
    for (const child of children) if (!(await this.has(ctx, child))) return false;
    return true;
  }

  /** What an interrupted run left; `oc` starts such a blob again, we go on. */
  async partial(_ctx: Context, { digest }: Descriptor): Promise<number> {
    return (await sizeOfFile(downloading(this.#blob(digest)))) ?? 0;
  }

  async putBlob(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await rm(downloading(this.#blob(blob.digest)), { force: true });
    await this.putRest(ctx, blob, 0, chunks);
  }

  async putRest(
    ctx: Context,
    blob: Descriptor,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const path = this.#blob(blob.digest);
    const partial = downloading(path);
    await makeFolder(dirname(path));
    const file = await open(partial, offset === 0 ? 'w+' : 'r+');
    try {
      await hashedAppend(ctx, file, blob, offset, chunks);
      await file.sync();
    } catch (error) {
      const isWrong = error instanceof AtollError && error.code === 'CONTENT_MISMATCH';
      if (isWrong) await rm(partial, { force: true });
      throw unwritable(path, error);
    } finally {
      await file.close();
    }
    await rename(partial, path);
  }

  async putManifest(_ctx: Context, manifest: RawManifest, tag?: string): Promise<void> {
    const { digest } = manifest.descriptor;
    await writeFileAtomic(this.#blob(digest), manifest.bytes);
    await makeFolder(join(this.#root, 'manifests'));
    await replaced(this.#manifest(digest), (path) => link(this.#blob(digest), path));
    if (tag !== undefined) await replaced(this.#manifest(tag), (path) => symlink(digest, path));
  }

  #blob(digest: Digest): string {
    return join(this.#root, 'blobs', digest);
  }

  #manifest(name: string): string {
    return join(this.#root, 'manifests', name);
  }
}

/** The same as a target: an image of which a part is missing is not there. */
export class OcDirTarget extends OcDir {
  override async resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined> {
    const found = await super.resolve(ctx, tagOrDigest);
    return found && (await this.has(ctx, found)) ? found : undefined;
  }
}

const downloading = (path: string) => `${path}.download`;

/** Makes a link under another name and moves it into place, so that no reader finds nothing. */
async function replaced(path: string, make: (path: string) => Promise<void>): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  await make(fresh);
  await rename(fresh, path);
  // Renaming one hard link over another of the same file does nothing and leaves both.
  await rm(fresh, { force: true });
}

function absent(error: unknown): undefined {
  const cause = error instanceof AtollError ? error.cause : error;
  if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(cause) ?? '')) return undefined;
  throw error;
}

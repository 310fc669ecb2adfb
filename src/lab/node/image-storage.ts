import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder } from '../../core/files.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { splitDigest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';

const PARTIAL = '.partial';

/** A node's disk for images: whole, verified blobs, within the size of the disk. */
export class ImageStorage {
  readonly #folder: string;
  readonly #diskBytes: number;
  #usedBytes = 0;

  private constructor(folder: string, diskBytes: number) {
    this.#folder = folder;
    this.#diskBytes = diskBytes;
  }

  static async open(root: string, diskBytes = Number.POSITIVE_INFINITY): Promise<ImageStorage> {
    const folder = join(root, 'var/lib/containers/storage/blobs');
    await makeFolder(folder);
    const storage = new ImageStorage(folder, diskBytes);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.endsWith(PARTIAL)) await rm(path);
      else storage.#usedBytes += (await stat(path)).size;
    }
    return storage;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async has(blob: Descriptor): Promise<boolean> {
    return stat(this.#path(blob)).then(
      () => true,
      () => false,
    );
  }

  async put(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#usedBytes + blob.size > this.#diskBytes) {
      throw new AtollError('DISK_FULL', `Cannot store ${blob.digest}: the node's disk is full`);
    }
    this.#usedBytes += blob.size;
    const partial = this.#path(blob) + PARTIAL;
    try {
      // Opened before bytes come: a file made while they fail would be made after its removal.
      const file = (await open(partial, 'w')).createWriteStream();
      await pipeline(verified(blob, chunks), file, { signal: ctx.signal });
      await rename(partial, this.#path(blob));
    } catch (error) {
      this.#usedBytes -= blob.size;
      await rm(partial, { force: true });
      throw error;
    }
  }

  #path({ digest }: Descriptor): string {
    return join(this.#folder, splitDigest(digest).hex);
  }
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import { silentContext } from '../../../src/core/context.ts';
import { readTextIfPresent, writeFileAtomic } from '../../../src/core/files.ts';
import { BundleReader } from '../../../src/mirror/bundle/bundle-reader.ts';
import { BundleWriter } from '../../../src/mirror/bundle/bundle-writer.ts';
import { digestOf } from '../../../src/oci/digest.ts';
import { openDiskStore } from '../../../src/store/disk/disk-store.ts';
import { layoutTarget } from '../../../src/store/layout/target.ts';
import { uploadIdOf } from '../../../src/store/store.ts';
import { openLineFile, readLines } from '../../../src/workflow/journal-file.ts';
import { chunksOf, collect, describeBytes } from '../bytes.ts';
import { copyRoot } from '../copy-image.ts';
import { MemoryImages } from '../images.ts';

const ctx = silentContext();
const bytes = Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 251));
const blob = describeBytes(bytes);

/** All that is kept on a disk, for suites about disks that fail or lose their power. */
export interface DiskWork {
  /** Does the work, from the start or from wherever an earlier try was. */
  readonly work: (root: string) => Promise<void>;
  /** Files that claim to be whole and right; throws where one is not. */
  readonly claimed: (root: string) => Promise<readonly string[]>;
  /** All of it is there. */
  readonly done: (root: string) => Promise<void>;
}

async function blobsOf(root: string): Promise<string[]> {
  const folder = join(root, 'blobs/sha256');
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    expect(digestOf(await readFile(join(folder, name)))).toBe(`sha256:${name}`);
  }
  return names.map((name) => join(folder, name));
}

/** As a client does it that goes on with an upload, and begins anew where the registry lost it. */
const upload: DiskWork = {
  async work(root) {
    const { uploads, records } = await openDiskStore(root);
    const id = uploadIdOf(blob.digest);
    const offset = (await uploads.offset(ctx, id)) ?? 0;
    await uploads.begin(ctx, id);
    if (offset < bytes.length) await uploads.append(ctx, id, chunksOf(bytes.subarray(offset)));
    await uploads.commit(ctx, id, blob.digest);
    await records.put(ctx, 'repos/a/_tags/v1', { digest: blob.digest });
  },
  claimed: blobsOf,
  async done(root) {
    const { blobs, records } = await openDiskStore(root);
    expect((await collect(blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
    expect(await records.get(ctx, 'repos/a/_tags/v1')).toEqual({ digest: blob.digest });
  },
};

const images = new MemoryImages();
const image = await images
  .addLayer([{ name: 'etc/motd', content: 'hello' }])
  .then((layer) => images.addImage([layer]));

const layout: DiskWork = {
  async work(root) {
    await copyRoot(images, layoutTarget(await openDiskStore(root)), image, 'app:v1');
  },
  claimed: blobsOf,
  async done(root) {
    const { manifests } = JSON.parse(await readFile(join(root, 'index.json'), 'utf8'));
    expect(manifests).toMatchObject([{ digest: image.digest }]);
    expect(await readdir(join(root, 'blobs/sha256'))).toHaveLength(3);
  },
};

const bundle: DiskWork = {
  async work(root) {
    const writer = await BundleWriter.openOrGrow(root, { chunkBytes: 1024 });
    try {
      await writer.prepare(ctx, [blob]);
      if (!(await writer.has(ctx, blob))) {
        const kept = await writer.partial(ctx, blob);
        await writer.putRest(ctx, blob, kept, chunksOf(bytes.subarray(kept)));
      }
      await writer.finish(ctx, { images: [], signatures: [] });
    } finally {
      await writer.close().catch(() => undefined);
    }
  },
  async claimed(root) {
    const names = await readdir(root).catch((): string[] => []);
    if (!names.includes('bundle.json')) return [];
    const reader = await BundleReader.open(ctx, root);
    expect(await reader.damaged(ctx)).toEqual([]);
    await reader.close();
    return names.map((name) => join(root, name));
  },
  async done(root) {
    const reader = await BundleReader.open(ctx, root);
    expect((await collect(reader.source().blob(ctx, blob))).equals(bytes)).toBe(true);
    await reader.close();
  },
};

const file: DiskWork = {
  work: (root) => writeFileAtomic(join(root, 'deep/file'), bytes),
  claimed: async (root) => {
    const text = await readTextIfPresent(join(root, 'deep/file'));
    if (text === undefined) return [];
    expect(text).toBe(bytes.toString());
    return [join(root, 'deep/file')];
  },
  done: async (root) => expect((await readFile(join(root, 'deep/file'))).equals(bytes)).toBe(true),
};

const journal: DiskWork = {
  async work(root) {
    const path = join(root, 'journal.ndjson');
    const lines = openLineFile(path);
    try {
      await lines.append({ step: 'one' }, true);
    } finally {
      await lines.close();
    }
  },
  claimed: async () => [],
  async done(root) {
    const { records } = await readLines(
      join(root, 'journal.ndjson'),
      z.object({ step: z.string() }),
    );
    expect(records).toContainEqual({ step: 'one' });
  },
};

/** A push or a sync, a copy, a save, whatever else is written, and what a run remembers. */
export const DISK_WORK: Readonly<Record<string, DiskWork>> = {
  upload,
  layout,
  bundle,
  file,
  journal,
};

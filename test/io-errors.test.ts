import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../src/core/files.ts';
import { BundleReader } from '../src/mirror/bundle/bundle-reader.ts';
import { BundleWriter } from '../src/mirror/bundle/bundle-writer.ts';
import { Spool } from '../src/mirror/flow/spool.ts';
import type { Source } from '../src/oci/content.ts';
import { digestOf } from '../src/oci/digest.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { layoutTarget } from '../src/store/layout/target.ts';
import { uploadIdOf } from '../src/store/store.ts';
import { openLineFile, readLines } from '../src/workflow/journal-file.ts';
import { chunksOf, collect, describeBytes } from './support/bytes.ts';
import { copyRoot } from './support/copy-image.ts';
import { FaultyDisk } from './support/faulty-disk.ts';
import { MemoryImages } from './support/images.ts';
import { tempDir } from './support/temp.ts';

const world = vi.hoisted(() => ({ disk: undefined as FaultyDisk | undefined }));

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const { DISK_CALLS } = await import('./support/faulty-disk.ts');
  const faulty = DISK_CALLS.map((name) => [
    name,
    (...args: never[]) =>
      (world.disk?.call(name, real) ?? (real[name] as (...all: never[]) => unknown))(...args),
  ]);
  return { ...real, ...Object.fromEntries(faulty) };
});

const ctx = silentContext();
const bytes = Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 251));
const blob = describeBytes(bytes);

afterEach(() => {
  world.disk = undefined;
});

interface Scenario {
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
const upload: Scenario = {
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

const layout: Scenario = {
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

const bundle: Scenario = {
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

const file: Scenario = {
  work: (root) => writeFileAtomic(join(root, 'deep/file'), bytes),
  claimed: async (root) => {
    const text = await readTextIfPresent(join(root, 'deep/file'));
    if (text === undefined) return [];
    expect(text).toBe(bytes.toString());
    return [join(root, 'deep/file')];
  },
  done: async (root) => expect((await readFile(join(root, 'deep/file'))).equals(bytes)).toBe(true),
};

const journal: Scenario = {
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

/** Files that claim to be whole, though the disk never took their bytes. */
async function falselyThere(root: string, { claimed }: Scenario, disk: FaultyDisk) {
  const files = await claimed(root);
  const found = await Promise.all(files.map(async (path) => disk.isPoisoned(await stat(path))));
  return files.filter((_, index) => found[index]).map((path) => `${basename(path)} is not synced`);
}

/** What is wrong after one failure at this call, at once and when the work was done again. */
async function failAt(disk: FaultyDisk, scenario: Scenario): Promise<string[]> {
  const root = await tempDir();
  const { work, done } = scenario;
  world.disk = disk;
  const error = await work(root).catch((thrown) => thrown);
  world.disk = undefined;
  const problems = await falselyThere(root, scenario, disk);
  if (error === undefined) await done(root);
  else if (!(error instanceof AtollError)) problems.push(`no word of ours: ${error}`);
  // What was lost between two tries has to be sent again, and may take a third.
  await work(root).catch(() => work(root));
  await done(root);
  return [...problems, ...(await falselyThere(root, scenario, disk))];
}

test.each(Object.entries({ upload, layout, bundle, file, journal }))(
  'a disk that fails once, at any call of %s, is told, and nothing is lost or falsely there',
  async (_name, scenario) => {
    const found: string[] = [];
    let number = 1;
    for (; ; number += 1) {
      const disk = new FaultyDisk(number);
      const problems = await failAt(disk, scenario);
      if (disk.failed === '') break;
      found.push(...problems.map((problem) => `${number} ${disk.failed}: ${problem}`));
    }

    expect(found).toEqual([]);
    expect(number).toBeGreaterThan(3);
  },
  120_000,
);

test('a disk that fails under the spool costs the transfer nothing', async () => {
  const large = Buffer.alloc(100_000, 'layer');
  const source: Source = {
    can: {},
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('none')),
    blob: (_ctx, _blob, offset = 0) => chunksOf(large.subarray(offset)),
  };
  let number = 1;
  for (; ; number += 1) {
    const folder = await tempDir();
    const disk = new FaultyDisk(number);
    // The first run keeps, the second reads what was kept.
    for (const faulty of [disk, undefined, disk]) {
      world.disk = faulty;
      const found: Buffer[] = [];
      const spool = new Spool(folder);
      const download = await spool.before(source).can.openBlob(ctx, describeBytes(large));
      await download.pump(ctx, (chunk) => void found.push(Buffer.from(chunk)));
      world.disk = undefined;
      expect(Buffer.concat(found).equals(large), `${number}: ${disk.failed}`).toBe(true);
    }
    if (disk.failed === '') break;
  }
  expect(number).toBeGreaterThan(3);
});

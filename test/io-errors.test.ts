import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { Spool } from '../src/mirror/flow/spool.ts';
import type { Source } from '../src/oci/content.ts';
import { chunksOf, describeBytes } from './support/bytes.ts';
import { FaultyDisk } from './support/faulty-disk.ts';
import { DISK_WORK, type DiskWork } from './support/suites/disk-work.ts';
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

afterEach(() => {
  world.disk = undefined;
});

/** Files that claim to be whole, though the disk never took their bytes. */
async function falselyThere(root: string, { claimed }: DiskWork, disk: FaultyDisk) {
  const files = await claimed(root);
  const found = await Promise.all(files.map(async (path) => disk.isPoisoned(await stat(path))));
  return files.filter((_, index) => found[index]).map((path) => `${basename(path)} is not synced`);
}

/** What is wrong after one failure at this call, at once and when the work was done again. */
async function failAt(disk: FaultyDisk, scenario: DiskWork): Promise<string[]> {
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

test.each(Object.entries(DISK_WORK))(
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

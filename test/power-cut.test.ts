import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { writeFileAtomic } from '../src/core/files.ts';
import { digestOf } from '../src/oci/digest.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { openLineFile } from '../src/workflow/journal-file.ts';
import { PowerCut } from './support/power-cut.ts';
import { DISK_WORK } from './support/suites/disk-work.ts';
import { tempDir } from './support/temp.ts';

const power = vi.hoisted(() => ({ cut: undefined as PowerCut | undefined }));

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const watched = (name: 'mkdir' | 'rename' | 'rm' | 'open') =>
    ((...args: never[]) => {
      const use = (power.cut?.watch(real)[name] ?? real[name]) as (...all: never[]) => unknown;
      return use(...args);
    }) as never;
  return {
    ...real,
    mkdir: watched('mkdir'),
    rename: watched('rename'),
    rm: watched('rm'),
    open: watched('open'),
  };
});

const ctx = silentContext();
let root: string;

beforeEach(async () => {
  power.cut = undefined;
  root = resolve(await tempDir());
  power.cut = new PowerCut([]);
});

const survives = (...names: string[]) => power.cut?.survives(join(root, ...names), root);

test('writeFileAtomic has the file and every folder on the way on the disk when it returns', async () => {
  await writeFileAtomic(join(root, 'a/b/c/file'), 'text');

  expect(survives('a/b/c/file')).toBe(true);
  expect(power.cut?.torn()).toEqual([]);
});

test.each(Object.entries(DISK_WORK))(
  'all that %s says is there survives a power cut, with the folders above it',
  async (_name, { work, claimed }) => {
    await work(root);

    const cut = power.cut;
    power.cut = undefined;
    const lost = (await claimed(root)).filter((path) => !cut?.survives(path, root));
    expect(lost.map((path) => relative(root, path))).toEqual([]);
  },
);

test('a blob that was acknowledged survives a power cut, in a store that is new too', async () => {
  const bytes = Buffer.from('a layer');
  const digest = digestOf(bytes);
  const store = await openDiskStore(join(root, 'deep/store'));
  const id = await store.uploads.begin(ctx);
  await store.uploads.append(ctx, id, once(bytes));
  await store.uploads.commit(ctx, id, digest);
  await store.records.put(ctx, 'repos/a/_tags/v1', { digest });

  expect(survives('deep/store/blobs/sha256', digest.slice('sha256:'.length))).toBe(true);
  expect(survives('deep/store/oci-layout')).toBe(true);
  const [record = ''] = (
    await readdir(join(root, 'deep/store/records'), { recursive: true })
  ).filter((name) => name.endsWith('.json'));
  expect(survives('deep/store/records', record)).toBe(true);
});

test('a journal line that is durable survives a power cut, with the folders of its run', async () => {
  const file = openLineFile(join(root, 'runs/1/journal.ndjson'));
  await file.append({ step: 'one' }, true);
  await file.close();

  expect(survives('runs/1/journal.ndjson')).toBe(true);
});

test('the disk of these tests forgets what was not synced', async () => {
  const { open, mkdir } = await import('node:fs/promises');
  await mkdir(join(root, 'made'));
  const file = await open(join(root, 'made/file'), 'w');
  await file.writeFile('x');
  await file.close();

  expect(survives('made/file')).toBe(false);
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { peek, sourceFiles, type UnreadEvidence } from './source-files.ts';

async function tar(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content as Buffer);
  archive.finalize();
  return buffer(archive);
}

async function found(paths: readonly string[], limits = DEFAULT_LIMITS) {
  const unread: UnreadEvidence[] = [];
  const files: unknown[] = [];
  const options = { limits, onUnread: (one: UnreadEvidence) => unread.push(one) };
  for await (const file of sourceFiles(silentContext(), paths, options))
    files.push([file.name, file.path, (await buffer(file.content)).toString()]);
  return { files, unread };
}

test('sourceFiles gives the files of a folder in the order of their names, with their paths in it', async () => {
  const root = await tempDir();
  await mkdir(join(root, 'b'));
  await writeFile(join(root, 'c.log'), 'three');
  await writeFile(join(root, 'b', 'x.log'), 'two');
  await writeFile(join(root, 'a.log'), 'one');

  expect((await found([root])).files).toEqual([
    [join(root, 'a.log'), 'a.log', 'one'],
    [join(root, 'b', 'x.log'), 'b/x.log', 'two'],
    [join(root, 'c.log'), 'c.log', 'three'],
  ]);
});

test('sourceFiles gives a file by its own path, packed or not', async () => {
  const root = await tempDir();
  const [plain, packed] = [join(root, 'a.log'), join(root, 'b.log.gz')];
  await writeFile(plain, 'one');
  await writeFile(packed, gzipSync('two'));

  expect((await found([plain, packed])).files).toEqual([
    [plain, plain, 'one'],
    [packed, join(root, 'b.log'), 'two'],
  ]);
});

test('sourceFiles opens archives, with the path inside and a name that says where', async () => {
  const path = join(await tempDir(), 'x.tar.gz');
  await writeFile(path, gzipSync(await tar({ './a/b.log': 'one', 'c.log.gz': gzipSync('two') })));

  expect((await found([path])).files).toEqual([
    [`${path}!a/b.log`, 'a/b.log', 'one'],
    [`${path}!c.log.gz`, 'c.log', 'two'],
  ]);
});

test('sourceFiles opens what is packed twice and no more, and archives in three and no more', async () => {
  const root = await tempDir();
  const twice = gzipSync(gzipSync('text'));
  await writeFile(join(root, 'a.gz'), twice);
  await writeFile(join(root, 'b.gz'), gzipSync(twice));
  const three = await tar({ two: await tar({ one: await tar({ 'x.log': 'deep' }) }) });
  await writeFile(join(root, 'c'), three);
  await writeFile(join(root, 'd'), await tar({ three }));

  const { files, unread } = await found([root]);

  expect(files).toEqual([
    [join(root, 'a.gz'), 'a', 'text'],
    [`${join(root, 'c')}!two!one!x.log`, 'x.log', 'deep'],
  ]);
  expect(unread).toEqual([
    { path: join(root, 'b.gz'), reason: 'compressed more than 2 times, not opened' },
    {
      path: `${join(root, 'd')}!three!two!one`,
      reason: 'an archive inside 3 archives, not opened',
    },
  ]);
});

test('sourceFiles counts anew how often something is packed in each archive', async () => {
  const path = join(await tempDir(), 'x.tar.gz');
  await writeFile(path, gzipSync(await tar({ 'a.gz': gzipSync(gzipSync('text')) })));

  expect((await found([path])).files).toEqual([[`${path}!a.gz`, 'a', 'text']]);
});

test('sourceFiles says what was damaged and where, and gives what came before it', async () => {
  const root = await tempDir();
  const cut = (await tar({ 'a.log': 'one', 'b.log': 'x'.repeat(5000) })).subarray(0, 2000);
  await writeFile(join(root, 'cut.tar'), cut);
  await writeFile(join(root, 'cut.gz'), gzipSync('x'.repeat(5000)).subarray(0, 20));

  const { files, unread } = await found([root]);

  expect(files).toContainEqual([`${join(root, 'cut.tar')}!a.log`, 'a.log', 'one']);
  expect(unread).toEqual([
    { path: join(root, 'cut.gz'), reason: 'it ends early' },
    { path: `${join(root, 'cut.tar')}!b.log`, reason: 'the archive ends in it' },
  ]);
});

test('sourceFiles steps over pipes in a folder, and refuses one that is named', async () => {
  const root = await tempDir();
  const pipe = join(root, 'pipe');
  execFileSync('mkfifo', [pipe]);

  expect(await found([root])).toEqual({
    files: [],
    unread: [{ path: pipe, reason: 'a pipe, socket or device, not read' }],
  });
  await expect(found([pipe])).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    hint: 'Save it to a file first',
    details: { path: pipe },
  });
});

test('sourceFiles refuses a bomb by its name, with what to do', async () => {
  const path = join(await tempDir(), 'bomb.gz');
  await writeFile(path, gzipSync(Buffer.alloc(300_000)));

  await expect(
    found([path], { ...DEFAULT_LIMITS, ratioFloorBytes: 1000, maxRatio: 10 }),
  ).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('bomb.gz'),
    hint: expect.stringContaining('unpack it by hand'),
    details: { path },
  });
});

test('sourceFiles stops where it is told to', async () => {
  const root = await tempDir();
  await writeFile(join(root, 'a.log'), 'one');
  const files = sourceFiles(silentContext({ signal: AbortSignal.abort() }), [root], {
    onUnread: () => undefined,
  });

  await expect(files.next()).rejects.toThrow();
});

test('sourceFiles names a path that is not there', async () => {
  await expect(found(['/nowhere/at/all'])).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

async function* chunksOf(...sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (const [index, size] of sizes.entries()) yield Buffer.alloc(size, `${index}`);
}

test.each([
  [[300, 300, 300], 600],
  [[512, 1], 512],
  [[511, 1], 512],
  [[10], 10],
  [[], 0],
])('peek of chunks of %j bytes sees the first %i and gives all of them', async (sizes, seen) => {
  const { head, content } = await peek(chunksOf(...sizes));

  expect(head).toHaveLength(seen);
  expect(await buffer(content)).toEqual(await buffer(chunksOf(...sizes)));
});

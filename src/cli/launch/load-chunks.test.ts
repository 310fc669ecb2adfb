import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { openPack, writePack } from './code-pack.ts';
import { chunkLoader, compileChunk, compiledOf, type LoadedChunk } from './load-chunks.ts';

async function chunks(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await tempDir();
  await mkdir(join(root, 'a'));
  await mkdir(join(root, 'b'));
  for (const [name, source] of Object.entries(files)) await writeFile(join(root, name), source);
  return root;
}

/** What a build keeps of chunks that were compiled. */
async function keptOf(loaded: readonly LoadedChunk[]) {
  const path = join(await tempDir(), 'code.bin');
  await writeFile(path, writePack(compiledOf(loaded)));
  return openPack(path);
}

test('chunkLoader runs a chunk once, with its own names, its neighbours and the builtins', async () => {
  const root = await chunks({
    'a/main.js': `#!/usr/bin/env node
      const { join } = require('node:path');
      exports.said = [require('../b/one.js').count(), require('../b/one.js').count(), join('x', 'y')];
      exports.where = [__dirname, __filename];`,
    'b/one.js': 'let n = 0; module.exports = { count: () => ++n };',
  });
  const load = chunkLoader({ root });

  expect(load('a/main.js')).toMatchObject({
    said: [1, 2, 'x/y'],
    where: [join(root, 'a'), join(root, 'a/main.js')],
  });
});

test('chunkLoader uses compiled code of the same source only', async () => {
  const root = await chunks({ 'a/main.js': 'exports.answer = () => 1111;' });
  const compiled = await keptOf([compileChunk(root, 'a/main.js')]);
  const run = () => {
    const seen: LoadedChunk[] = [];
    const load = chunkLoader({ root, compiled, loaded: (chunk) => seen.push(chunk) });
    const { answer } = load('a/main.js') as { answer: () => number };
    return { answer: answer(), refused: seen[0]?.script.cachedDataRejected };
  };
  expect(run()).toEqual({ answer: 1111, refused: false });

  // Of the same length: V8 alone would not see it.
  await writeFile(join(root, 'a/main.js'), 'exports.answer = () => 2222;');
  expect(run()).toEqual({ answer: 2222, refused: undefined });
});

test('chunkLoader reads a chunk that somebody changed in another alphabet', async () => {
  const root = await chunks({ 'a/main.js': "exports.said = 'prêt → 好';" });

  expect(chunkLoader({ root })('a/main.js')).toEqual({ said: 'prêt → 好' });
});

test('a pack keeps functions that ran, for whoever runs them next', async () => {
  const root = await chunks({
    'a/main.js': `exports.add = (a, b) => { ${'a += b; b -= a;'.repeat(200)} return a; };`,
  });
  const loaded: LoadedChunk[] = [];
  const load = chunkLoader({ root, loaded: (chunk) => loaded.push(chunk) });
  const { add } = load('a/main.js') as { add: (a: number, b: number) => number };
  const before = (await keptOf(loaded))?.('a/main.js')?.code.length ?? 0;

  add(1, 2);

  const after = (await keptOf(loaded))?.('a/main.js')?.code.length ?? 0;
  expect(after).toBeGreaterThan(before + 1000);
});

test('openPack gives nothing of a pack that is not whole', async () => {
  const root = await chunks({ 'a/main.js': 'exports.answer = 1;' });
  const pack = writePack(compiledOf([compileChunk(root, 'a/main.js')]));
  const path = join(root, 'code.bin');
  const open = async (bytes: Uint8Array) => {
    await writeFile(path, bytes);
    return openPack(path);
  };

  expect((await open(pack))?.('a/main.js')?.code.length).toBeGreaterThan(0);
  expect((await open(pack))?.('a/other.js')).toBeUndefined();
  expect(await open(pack.subarray(0, -1))).toBeUndefined();
  expect(await open(pack.subarray(0, 6))).toBeUndefined();
  expect(await open(Buffer.alloc(0))).toBeUndefined();
  expect(openPack(join(root, 'nowhere.bin'))).toBeUndefined();
});

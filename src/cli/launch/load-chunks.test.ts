import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { readPack, writePack } from './code-pack.ts';
import { chunkLoader, compileChunk, type LoadedChunk, sumOf } from './load-chunks.ts';

async function chunks(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await tempDir();
  await mkdir(join(root, 'a'));
  await mkdir(join(root, 'b'));
  for (const [name, source] of Object.entries(files)) await writeFile(join(root, name), source);
  return root;
}

/** What a build keeps of chunks that were compiled. */
const keptOf = (loaded: readonly LoadedChunk[]) =>
  readPack(
    writePack(
      new Map(
        loaded.map(({ name, source, script }) => [
          name,
          { sum: sumOf(source), code: script.createCachedData() },
        ]),
      ),
    ),
  );

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
  const compiled = keptOf([compileChunk(root, 'a/main.js')]);
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

test('readPack gives nothing of a pack that is not whole', async () => {
  const root = await chunks({ 'a/main.js': 'exports.answer = 1;' });
  const { script, source, name } = compileChunk(root, 'a/main.js');
  const pack = writePack(
    new Map([[name, { sum: sumOf(source), code: script.createCachedData() }]]),
  );

  expect(readPack(pack)?.size).toBe(1);
  expect(readPack(pack.subarray(0, -1))).toBeUndefined();
  expect(readPack(pack.subarray(0, 6))).toBeUndefined();
  expect(readPack(Buffer.alloc(0))).toBeUndefined();
});

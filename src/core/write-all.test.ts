import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { type VectorWriter, writeAll } from './write-all.ts';

/** A disk that takes at most `most` bytes of each call, as a nearly full or a network disk may. */
function reluctant(file: FileHandle, most: number): VectorWriter {
  return {
    async writev(chunks, position) {
      const given = Buffer.concat(chunks);
      return file.write(given, 0, Math.min(most, given.length), position);
    },
  };
}

test.each([1, 3, 4, 100])(
  'writes all chunks where the disk takes %i bytes at a time',
  async (most) => {
    const path = join(await tempDir(), 'file');
    const file = await open(path, 'w');
    onTestFinished(() => file.close());
    await writeAll(file, [Buffer.from('head')], 0);

    const chunks = ['one', '', 'twotwo', 'three'].map((text) => Buffer.from(text));
    await writeAll(reluctant(file, most), chunks, 4);

    expect(await readFile(path, 'utf8')).toBe('headonetwotwothree');
  },
);

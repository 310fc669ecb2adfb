import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { collect, once } from '../core/bytes.ts';
import { silentContext } from '../core/context.ts';
import { keepContent } from './keep-content.ts';

const left = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('atoll-input-')).length;

test('keepContent gives all of a stream again, as often as asked, and leaves no file', async () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 7, 'some text\n');
  const before = await left();

  const kept = await keepContent(silentContext(), 'standard input', once(bytes));

  expect(await left()).toBe(before);
  expect(kept.bytes).toBe(bytes.length);
  expect((await collect(kept.open())).equals(bytes)).toBe(true);
  for await (const _ of kept.open()) break;
  expect((await collect(kept.open())).equals(bytes)).toBe(true);
  await kept.close();
});

test('keepContent passes on what breaks the stream', async () => {
  async function* broken() {
    yield Buffer.from('a');
    throw new Error('the other end left');
  }

  await expect(keepContent(silentContext(), 'x', broken())).rejects.toThrow('the other end left');
});

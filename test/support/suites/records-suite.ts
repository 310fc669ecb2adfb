import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentContext } from '../../../src/core/context.ts';
import { collectAll } from '../bytes.ts';
import type { Place } from './blobs-suite.ts';

const ctx = silentContext();

/** Keys that have hurt somebody: traversal, escapes, names that are also folders, long names. */
const ODD_KEYS = [
  'a',
  'a/b',
  'a.json',
  'a.json/b',
  'a/b.json/c',
  '.',
  '..',
  '../..',
  '.hidden/.x',
  '%2e%2e/%',
  'a+/+b',
  'sp ace/tab\t/new\nline',
  'ümlaut/日本/🐚',
  `repo%2F${'long'.repeat(60)}/tags/x`,
  `repo%2F${'long'.repeat(60)}`,
  `${'x'.repeat(200)}/..`,
  `${'x'.repeat(200)}../y`,
  `${'.'.repeat(500)}/z`,
  'A/B',
  'sha256:abc@def',
  'back\\slash:*?"<>|',
];

/**
 * `objectsAreFiles`: a server that keeps the objects of a bucket as files refuses keys that are also the folder of
 * another, and long names. No key of a registry is one (`registry/storage/links.ts`).
 */
export function recordsSuite(makePlace: () => Promise<Place>, objectsAreFiles = false): void {
  const openStore = async () => (await makePlace()).open();
  const possible = (keys: readonly string[]) =>
    objectsAreFiles ? keys.filter((key) => isFile(key, keys)) : keys;

  describe('records', () => {
    test('get returns what put stored, also after a restart', async () => {
      const place = await makePlace();
      const { records } = await place.open();
      const value = { digest: 'sha256:1', list: [1, null, 'ü'], nested: { yes: true } };

      await records.put(ctx, 'tags/latest', { old: true });
      await records.put(ctx, 'tags/latest', value);

      expect(await (await place.open()).records.get(ctx, 'tags/latest')).toEqual(value);
      expect(await records.get(ctx, 'tags/other')).toBeUndefined();
      expect(await records.get(ctx, 'tags')).toBeUndefined();
    });

    test.skipIf(objectsAreFiles)(
      'remove says whether there was a record, and leaves the others',
      async () => {
        const { records } = await openStore();
        await records.put(ctx, 'a/b', 1);
        await records.put(ctx, 'a/b/c', 2);

        expect(await records.remove(ctx, 'a/b')).toBe(true);
        expect(await records.remove(ctx, 'a/b')).toBe(false);
        expect(await records.get(ctx, 'a/b')).toBeUndefined();
        expect(await records.get(ctx, 'a/b/c')).toBe(2);

        expect(await records.remove(ctx, 'a/b/c')).toBe(true);
        expect(await collectAll(records.list(ctx, ''))).toEqual([]);
      },
    );

    test('any text can be part of a key, and none of it leaves the store', async () => {
      const { records } = await openStore();

      const keys = possible(ODD_KEYS);
      for (const key of keys) await records.put(ctx, key, { key });

      for (const key of keys) expect(await records.get(ctx, key)).toEqual({ key });
      expect(await collectAll(records.list(ctx, ''))).toEqual(keys.toSorted(byBytes));
      for (const key of keys) expect([key, await records.remove(ctx, key)]).toEqual([key, true]);
      expect(await collectAll(records.list(ctx, ''))).toEqual([]);
    });

    test.each(['', '/', 'a/', '/a', 'a//b', 'a\ud800b'])('put refuses the key %j', async (key) => {
      const { records } = await openStore();

      await expect(records.put(ctx, key, 1)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    });

    test('list gives the keys below a prefix after another, in byte order', async () => {
      const { records } = await openStore();
      const keys = possible([
        't/a',
        't/a-b',
        't/a.b',
        't/a/b',
        't/B',
        't/aa',
        'u/a',
        't/é',
        't/z/1',
        't/z/10',
      ]);
      for (const key of keys) await records.put(ctx, key, 0);
      const list = (prefix: string, after?: string) => collectAll(records.list(ctx, prefix, after));

      const below = keys.filter((key) => key.startsWith('t/')).toSorted(byBytes);
      expect(await list('t/')).toEqual(below);
      for (const [index, key] of below.entries()) {
        expect(await list('t/', key)).toEqual(below.slice(index + 1));
      }
      expect(await list('t/', 't/a/')).toEqual(below.slice(below.indexOf('t/a/b')));
      expect(await list('nobody/')).toEqual([]);
      expect(await list('u/', 't/zzz')).toEqual(['u/a']);
    });

    test('list agrees with sorting all keys, whatever they are', async () => {
      const part = fc.string({
        unit: fc.constantFrom('a', 'b', '-', '.', '0', 'é', '~'),
        minLength: 1,
        maxLength: 3,
      });
      const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
      const keys = fc.uniqueArray(key, { maxLength: 8 });

      await fc.assert(
        fc.asyncProperty(keys.map(possible), key, async (all, after) => {
          const { records } = await openStore();
          for (const each of all) await records.put(ctx, each, each);
          expect(await collectAll(records.list(ctx, '', after))).toEqual(
            all.filter((each) => byBytes(each, after) > 0).toSorted(byBytes),
          );
        }),
        { numRuns: 15 },
      );
    });

    test('put by many at once keeps every record', async () => {
      const { records } = await openStore();
      const keys = Array.from({ length: 40 }, (_, index) => `tags/t${index % 20}`);

      await Promise.all(keys.map((key) => records.put(ctx, key, key)));
      await Promise.all(keys.map((key) => records.remove(ctx, key)));

      expect(await collectAll(records.list(ctx, ''))).toEqual([]);
    });
  });
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isFile(key: string, keys: readonly string[]): boolean {
  const isFolder = keys.some((other) => other.startsWith(`${key}/`));
  return !isFolder && key.split('/').every((part) => part.length <= 200);
}

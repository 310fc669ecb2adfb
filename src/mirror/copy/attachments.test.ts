import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { silentContext } from '../../core/context.ts';
import { deferred } from '../../http/deferred.ts';
import { digestOf } from '../../oci/digest.ts';
import { AttachmentFinder } from './attachments.ts';

test('AttachmentFinder waits for a registry’s first answer about referrers before it asks again', async () => {
  const asked: string[] = [];
  const first = deferred<void>();
  const source = {
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('none')),
    async *blob() {},
    can: {
      referrers: async (_ctx: unknown, subject: string) => {
        asked.push(subject);
        await first.promise;
        return [];
      },
    },
  };
  const group = { kind: 'registry', name: 'up.test' } as const;
  const finder = new AttachmentFinder();
  const images = ['a', 'b', 'c'].map((name) => digestOf(name));
  const found = images.map((subject) =>
    finder.find(silentContext(), { source, group, key: 'up.test/app' }, subject),
  );
  await setImmediate();
  expect(asked).toEqual(images.slice(0, 1));

  first.resolve();
  expect((await Promise.all(found)).flat()).toEqual([]);
  expect(asked).toEqual(images);
});

test('AttachmentFinder lists the tags of a repository once, before anybody looks for a digest', async () => {
  let lists = 0;
  const source = {
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('none')),
    async *blob() {},
    can: {
      async *tags() {
        lists += 1;
        yield 'v1';
      },
    },
  };
  const group = { kind: 'registry', name: 'up.test' } as const;
  const from = { source, group, key: 'up.test/app' };
  const finder = new AttachmentFinder();

  finder.begin(silentContext(), from);
  await setImmediate();
  expect(lists).toBe(1);
  expect(await finder.find(silentContext(), from, digestOf('a'))).toEqual([]);
  expect(lists).toBe(1);
});

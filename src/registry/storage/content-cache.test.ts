import { expect, test } from 'vitest';
import { createContentCache } from './content-cache.ts';

test('createContentCache drops what was used least recently', () => {
  const cache = createContentCache(100, 50);
  for (const name of ['a', 'b']) cache.put(name, Buffer.alloc(40));
  cache.get('a');
  cache.put('c', Buffer.alloc(40));

  expect(['a', 'b', 'c'].map((name) => cache.get(name) !== undefined)).toEqual([true, false, true]);
});

test('createContentCache takes nothing that is too large', () => {
  const cache = createContentCache(100, 50);
  cache.put('large', Buffer.alloc(51));

  expect(cache.get('large')).toBeUndefined();
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { openInventory } from './inventory.ts';

const ctx = silentContext();
const resource = (id: string, temporary = false) => ({ kind: 'directory', id, temporary });

test('openInventory remembers what was made, newest first, without what was removed', async () => {
  const path = join(await tempDir(), 'inventory.ndjson');
  const first = await openInventory(ctx, path);
  for (const id of ['a', 'b', 'c', 'a']) await first.claim(resource(id));
  await first.removed(resource('b'));
  await first.close();

  const second = await openInventory(ctx, path);

  expect(second.resources().map(({ id }) => id)).toEqual(['c', 'a']);
  await second.close();
});

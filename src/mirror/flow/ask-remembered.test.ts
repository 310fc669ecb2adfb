import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { FOUND, notingRegistries } from '../../../test/support/noting-registries.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { parseReference } from '../../oci/reference.ts';
import { parseDestination } from '../destination.ts';
import { askRemembered } from './ask-remembered.ts';
import { memoryFile } from './working-files.ts';

const ctx = silentContext();
const destination = parseDestination('mirror.test/ocp');

async function remembering(memory: unknown) {
  const dir = await tempDir();
  await mkdir(dirname(memoryFile(dir)), { recursive: true });
  await writeFile(memoryFile(dir), typeof memory === 'string' ? memory : JSON.stringify(memory));
  const { registries, asked } = notingRegistries();
  return { answers: await askRemembered(ctx, { dir, destination, registries }), asked };
}

const listed = (target: unknown) => ({ kind: 'additional', target });

test('askRemembered asks this mirror, and no other, for what earlier runs put there', async () => {
  const { answers, asked } = await remembering({
    images: [
      listed('mirror.test/ocp/a:v1'),
      listed('other.test/ocp/a:v1'),
      listed(`mirror.test/ocp/b@${FOUND.digest}`),
      listed('not a name'),
      listed(7),
    ],
  });

  expect(asked).toEqual(['mirror.test/ocp/a:v1']);
  const name = parseReference('mirror.test/ocp/a:v1');
  expect(await answers?.take(name)).toMatchObject({ found: FOUND });
});

test.each([
  ['what is no JSON', '{'],
  ['what is no memory', []],
  ['images that are no list', { images: 1 }],
  [
    'a set that collects more than listed images',
    {
      images: [listed('mirror.test/ocp/a:v1'), { kind: 'catalog', target: 'mirror.test/ocp/c:v1' }],
    },
  ],
  ['a memory that takes long to read', ' '.repeat(500_001)],
])('askRemembered asks for nothing by %s', async (_what, memory) => {
  const { answers, asked } = await remembering(memory);

  expect([answers, asked]).toEqual([undefined, []]);
});

test('askRemembered asks for nothing where no run has been', async () => {
  const { registries, asked } = notingRegistries();

  expect(await askRemembered(ctx, { dir: await tempDir(), destination, registries })).toBe(
    undefined,
  );
  expect(asked).toEqual([]);
});

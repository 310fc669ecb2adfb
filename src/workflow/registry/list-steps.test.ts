import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { listSteps } from './list-steps.ts';

const LATER = new Date(Date.now() + 60_000);
const ctx = { ...silentContext(), now: () => LATER };

const ref = (name: string, words: string) =>
  `ref:\n  as: ${name}\n  commands: x\n  documentation: |-\n    ${words}\n    And more.\n`;

async function registry() {
  const folder = await tempDir();
  const root = join(folder, 'registry');
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write('one/one-ref.yaml', ref('one', 'First words.'));
  await write('two/two-ref.yaml', ref('two', 'Other words.'));
  await write('bad/bad-ref.yaml', 'ref:\n  as: bad\n  comands: x\n');
  const memory = join(folder, 'cache', 'list.json');
  return { root, write, memory, list: (context = ctx) => listSteps(context, root, memory) };
}

test('listSteps gives first words and problems, the same when it remembers them', async () => {
  const { list } = await registry();

  const first = await list();

  expect(first.steps).toEqual([
    { kind: 'ref', name: 'one', documentation: 'First words.' },
    { kind: 'ref', name: 'two', documentation: 'Other words.' },
  ]);
  expect(first.problems).toMatchObject([{ file: 'bad/bad-ref.yaml', severity: 'error' }]);
  expect(await list()).toEqual(first);
});

test('listSteps reads again only what changed, also when size and time stay', async () => {
  const { list, memory, write, root } = await registry();
  await list();
  // What is remembered can be told apart from what the files say.
  const text = await readFile(memory, 'utf8');
  await writeFile(memory, text.replace('First words.', 'Remembered.').replace('Other', 'Third'));
  const path = join(root, 'two/two-ref.yaml');
  await write('two/two-ref.yaml', ref('two', 'Later words.'));
  await utimes(path, new Date(0), new Date(0));

  const { steps } = await list();

  expect(steps.map(({ documentation }) => documentation)).toEqual(['Remembered.', 'Later words.']);
});

test('listSteps forgets what is gone, and takes no memory that is torn', async () => {
  const { list, memory, root } = await registry();
  await list();
  await rm(join(root, 'one'), { recursive: true });
  expect((await list()).steps.map(({ name }) => name)).toEqual(['two']);
  expect(await readFile(memory, 'utf8')).not.toContain('one-ref');

  await writeFile(memory, '{"version":1,"files":{"two');
  expect((await list()).steps.map(({ name }) => name)).toEqual(['two']);
});

test('listSteps remembers nothing of a file that changed a moment ago', async () => {
  const { list, memory } = await registry();
  await list({ ...silentContext(), now: () => new Date() });

  await expect(readFile(memory, 'utf8')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('listSteps works where nothing can be remembered', async () => {
  const { root, memory } = await registry();
  await writeFile(join(memory, '..', '..', 'file'), '');

  const { steps } = await listSteps(ctx, root, join(memory, '..', '..', 'file', 'list.json'));

  expect(steps).toHaveLength(2);
});

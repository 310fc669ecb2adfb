import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { WorkingDir } from './working-dir.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

async function remembered(neededBy: readonly unknown[]): Promise<WorkingDir> {
  const workingDir = new WorkingDir(await tempDir());
  const image = { kind: 'related', source: `quay.io/a/b@${DIGEST}`, digest: DIGEST, reason: 'r' };
  const images = [{ ...image, catalog: 'c', neededBy, target: 'mirror.example/a/b:v1' }];
  await mkdir(workingDir.path, { recursive: true });
  await writeFile(workingDir.file('mirrored.json'), JSON.stringify({ version: 1, images }));
  return workingDir;
}

test('WorkingDir reads needs that an older version wrote as words, and writes them tagged', async () => {
  const workingDir = await remembered(['bundle c web.v1', 'additional quay.io/a/b:1']);
  const tagged = [
    { kind: 'additional', source: 'quay.io/a/b:1' },
    { kind: 'bundle', catalog: 'c', name: 'web.v1' },
  ];

  await workingDir.addMirrored([]);

  expect((await workingDir.mirrored())[0]?.neededBy).toEqual(tagged);
  const file = JSON.parse(await readFile(workingDir.file('mirrored.json'), 'utf8'));
  expect(file.images[0].neededBy).toEqual(tagged);
});

test('WorkingDir refuses a memory with needs it does not understand', async () => {
  const workingDir = await remembered(['somebody else']);

  await expect(workingDir.mirrored()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('WorkingDir refuses a memory of which one letter was altered', async () => {
  const workingDir = await remembered(['additional quay.io/a/b:1']);
  const path = workingDir.file('mirrored.json');
  await workingDir.addMirrored([]);
  expect(await workingDir.mirrored()).toHaveLength(1);

  for (const [from, to] of [
    ['mirror.example', 'mirrnr.example'],
    ['quay.io/a/b', 'quay.io/a/c'],
    [DIGEST, DIGEST.replace('0', '1')],
  ] as const) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(from, to));

    await expect(workingDir.mirrored()).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(path),
    });
    await writeFile(path, text);
  }
});

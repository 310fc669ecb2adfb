import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { recordingContext } from '../../core/context.ts';
import { localFiles } from './local-files.ts';

test('localFiles takes a link to a file beside it as that file, and names what it leaves behind', async () => {
  const folder = await tempDir();
  await mkdir(join(folder, 'v2'));
  await writeFile(join(folder, 'v2', 'tool'), 'a tool');
  await symlink('v2/tool', join(folder, 'tool'));
  await symlink('v2', join(folder, 'latest'));
  await symlink('/etc/passwd', join(folder, 'outside'));
  await symlink('nowhere', join(folder, 'broken'));
  const ctx = recordingContext();

  const files = await localFiles(ctx, folder);

  expect(files.map(({ path }) => path)).toEqual(['tool', 'v2/tool']);
  expect(files[0]?.digest).toBe(files[1]?.digest);
  const named = ctx.events.map((event) => ('message' in event ? event.message : ''));
  expect(named.toSorted()).toEqual(
    ['broken', 'latest', 'outside'].map((name) =>
      expect.stringContaining(`"${join(folder, name)}" is not carried`),
    ),
  );
});

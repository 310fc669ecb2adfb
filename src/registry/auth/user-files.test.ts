import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { watchUserFiles } from './user-files.ts';

const GRANTS = 'users:\n  ann:\n    - role: pull\n      prefix: team\n';

async function filesIn(folder: string) {
  const paths = { htpasswd: join(folder, 'htpasswd'), grants: join(folder, 'grants.yaml') };
  await writeFile(paths.htpasswd, '');
  await writeFile(paths.grants, GRANTS);
  return paths;
}

test('watchUserFiles does not start without the grants it was told of: everybody could read everything', async () => {
  const { htpasswd, grants } = await filesIn(await tempDir());
  await rm(grants);

  expect(() => watchUserFiles(silentContext(), htpasswd, grants)).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE', message: expect.stringContaining(grants) }),
  );
});

test('watchUserFiles keeps the grants when their file is lost, and says so', async () => {
  const { htpasswd, grants } = await filesIn(await tempDir());
  const ctx = { ...silentContext(), emit: vi.fn() };
  const files = watchUserFiles(ctx, htpasswd, grants);
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);

  await rm(grants);
  const kept = files.grants();
  now.mockRestore();

  expect(kept).toEqual({ ann: [{ role: 'pull', prefix: 'team' }] });
  expect(ctx.emit).toHaveBeenCalledWith(
    expect.objectContaining({ type: 'warning.raised', subject: grants }),
  );
});

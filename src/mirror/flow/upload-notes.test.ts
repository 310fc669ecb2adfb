import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmbeddedRegistry } from '../../../test/support/embedded-registry.ts';
import { makeBlob, openRegistries } from '../../../test/support/remote.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { bulkSourceOf } from '../../oci/bulk.ts';
import { mirrorTarget } from './mirror-target.ts';
import { UploadNotes } from './upload-notes.ts';

const ctx = silentContext();

test('UploadNotes let another process go on with an upload', async () => {
  const registry = await startEmbeddedRegistry();
  const folder = join(await tempDir(), 'uploads');
  const { bytes, blob } = makeBlob(2_000_000);
  const sent: number[] = [];
  const from = (stopAt: number) => ({
    blob: async function* (_ctx: unknown, _blob: unknown, offset = 0) {
      for (let at = offset; at < bytes.length; at += 100_000) {
        if (at >= stopAt) await new Promise(() => undefined);
        sent.push(at);
        yield bytes.subarray(at, at + 100_000);
      }
    },
  });
  const repository = () => openRegistries().repository(registry.host, 'team/app');

  // The first process stops in the middle and is never heard of again.
  const first = mirrorTarget(repository(), { notes: new UploadNotes(folder) });
  const abort = new AbortController();
  const stopped = first.can.putBlobFrom(
    silentContext({ signal: abort.signal }),
    blob,
    bulkSourceOf(from(1_200_000)),
  );
  stopped.catch(() => undefined);
  await expect.poll(() => sent.length).toBe(12);
  const [note = ''] = await readdir(folder);
  const { mode } = await stat(join(folder, note));
  const notes = new UploadNotes(folder);
  abort.abort();
  // The registry has noticed that nobody sends any more.
  await expect.poll(() => registry.access.some(({ method }) => method === 'PUT')).toBe(true);
  sent.length = 0;
  const second = mirrorTarget(repository(), { notes });
  await second.can.putBlobFrom(ctx, blob, bulkSourceOf(from(Number.POSITIVE_INFINITY)));

  expect(mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual([]);
  expect(await second.has(ctx, blob)).toBe(true);
  const answers = registry.access.map(({ method, status }) => `${method} ${status}`);
  expect(answers.filter((answer) => answer === 'POST 202')).toHaveLength(1);
  expect(answers).toContain('GET 204');
  await registry.stop();
});

test('UploadNotes follow no note that was altered', async () => {
  const folder = join(await tempDir(), 'uploads');
  const { blob } = makeBlob(10);
  const repository = openRegistries().repository('mirror.example', 'team/app');
  const location = 'https://mirror.example/v2/team/app/blobs/uploads/1';
  new UploadNotes(folder).memoryOf(repository, blob).remember(location);
  expect(new UploadNotes(folder).memoryOf(repository, blob).location).toBe(location);
  const path = join(folder, (await readdir(folder))[0] ?? '');

  await writeFile(path, (await readFile(path, 'utf8')).replace('mirror', 'mirrnr'));

  expect(new UploadNotes(folder).memoryOf(repository, blob).location).toBeUndefined();
});

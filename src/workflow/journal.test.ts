import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { encodeLine } from '../core/checked-line.ts';
import { recordingContext, silentContext } from '../core/context.ts';
import { openJournal } from './journal.ts';
import { openLineFile } from './journal-file.ts';

const ctx = silentContext();

test('openJournal remembers what earlier runs recorded', async () => {
  const path = join(await tempDir(), 'journal.ndjson');
  const first = await openJournal(ctx, path);
  await first.append({ kind: 'started', step: 'images', fields: { release: 'a' } });
  await first.append({
    kind: 'finished',
    step: 'images',
    fields: { release: 'a' },
    output: { bytes: 7 },
  });
  await first.close();

  const second = await openJournal(ctx, path);

  expect(second.history('images')).toMatchObject({ state: 'finished', output: { bytes: 7 } });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('openJournal skips a torn last line and appends after it', async () => {
  const path = join(await tempDir(), 'journal.ndjson');
  const first = await openJournal(ctx, path);
  await first.append({ kind: 'finished', step: 'a', fields: {}, output: {} });
  await first.append({ kind: 'finished', step: 'b', fields: {}, output: {} });
  await first.close();
  await truncate(path, (await stat(path)).size - 9);

  const recording = recordingContext();
  const second = await openJournal(recording, path);
  await second.append({ kind: 'finished', step: 'c', fields: {}, output: {} });
  await second.close();
  const third = await openJournal(ctx, path);

  expect(recording.events).toMatchObject([{ type: 'warning.raised' }]);
  expect([...third.steps().keys()]).toEqual(['a', 'c']);
});

test('openJournal skips a whole line that is no record of a step, and says so', async () => {
  const path = join(await tempDir(), 'journal.ndjson');
  const stamp = { seq: 1, at: '2027-01-01T00:00:00Z' };
  const lines = [
    { ...stamp, kind: 'finished', step: 'a', fields: {}, output: {} },
    { ...stamp, kind: 'finished', step: 'b', fields: 7, output: 'none' },
    { ...stamp, kind: 'from-the-future', step: 'c' },
  ];
  await writeFile(path, lines.map(encodeLine).join(''));
  const recording = recordingContext();

  const journal = await openJournal(recording, path);

  expect([...journal.steps().keys()]).toEqual(['a']);
  expect(recording.events).toMatchObject([{ message: expect.stringContaining('2, 3') }]);
});

test('openJournal does not believe an altered line', async () => {
  const path = join(await tempDir(), 'journal.ndjson');
  const journal = await openJournal(ctx, path);
  await journal.append({ kind: 'finished', step: 'a', fields: {}, output: { ok: false } });
  await journal.close();
  await writeFile(path, (await readFile(path, 'utf8')).replace('false', 'true'));

  expect((await openJournal(ctx, path)).history('a')).toBeUndefined();
});

test('openJournal leaves no trace until something is recorded', async () => {
  const folder = await tempDir();
  const path = join(folder, 'new', 'journal.ndjson');

  await (await openJournal(ctx, path)).close();

  expect(await readdir(folder)).toEqual([]);
});

test('openLineFile names the file that it cannot write, and can be closed all the same', async () => {
  const folder = await tempDir();
  const file = openLineFile(folder);

  for (const seq of [1, 2]) {
    await expect(file.append({ seq })).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      details: { path: folder },
    });
  }

  await file.close();
});

test('an undone step has no output any more', async () => {
  const path = join(await tempDir(), 'journal.ndjson');
  const journal = await openJournal(ctx, path);
  await journal.append({ kind: 'finished', step: 'a', fields: {}, output: { id: 1 } });
  await journal.append({ kind: 'undone', step: 'a' });

  expect(journal.history('a')).toMatchObject({ state: 'undone', output: undefined });
});

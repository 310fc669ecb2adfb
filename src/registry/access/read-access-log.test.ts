import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import type { AccessEntry } from './access-log.ts';
import { parseAccessLine, readAccessLog } from './read-access-log.ts';

const entry: AccessEntry = {
  at: '2026-01-02T00:00:00.000Z',
  listener: 'store',
  client: '10.0.0.1',
  method: 'GET',
  path: '/v2/a/manifests/b',
  status: 200,
  complete: true,
  bytesReceived: 1,
  bytesSent: 2,
  durationMs: 3,
};

async function read(path: string, since?: string): Promise<AccessEntry[]> {
  const entries: AccessEntry[] = [];
  for await (const each of readAccessLog(path, { since })) entries.push(each);
  return entries;
}

test('parseAccessLine reads what the log writes, and takes nothing else for it', () => {
  expect(parseAccessLine(JSON.stringify(entry))).toEqual(entry);
  expect(parseAccessLine('{"at":"2026')).toBeUndefined();
  expect(parseAccessLine(JSON.stringify({ ...entry, status: '200' }))).toBeUndefined();
});

test('readAccessLog gives what came since a moment, and passes over a line that was cut', async () => {
  const path = join(await tempDir(), 'access.log');
  const lines = [{ ...entry, at: '2026-01-01T00:00:00.000Z' }, entry].map((each) =>
    JSON.stringify(each),
  );
  await writeFile(path, `${lines.join('\n')}\n{"at":"2026-01-03`);
  expect(await read(path)).toHaveLength(2);
  expect(await read(path, '2026-01-02')).toEqual([entry]);
});

test('readAccessLog gives nothing where there is no log yet, and says what it cannot read', async () => {
  const directory = await tempDir();
  expect(await read(join(directory, 'none'))).toEqual([]);
  await mkdir(join(directory, 'folder'));
  await expect(read(join(directory, 'folder'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

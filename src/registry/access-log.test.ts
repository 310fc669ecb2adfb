import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { type AccessEntry, fileAccessLog } from './access-log.ts';

const entry = (path: string): AccessEntry => ({
  at: '2026-01-01T00:00:00.000Z',
  listener: 'store',
  client: '10.0.0.1',
  method: 'GET',
  path,
  status: 200,
  complete: true,
  bytesReceived: 0,
  bytesSent: 10,
  durationMs: 1,
});

test('fileAccessLog appends lines and goes on in a new file when the old one is moved', async () => {
  const path = join(await tempDir(), 'access.log');
  const fail = (error: Error) => {
    throw error;
  };
  const first = fileAccessLog(path, fail);
  first.write(entry('/one'));
  await first.close();
  const second = fileAccessLog(path, fail);
  await rename(path, `${path}.1`);

  second.write(entry('/two'));
  await second.close();

  const paths = async (name: string) =>
    (await readFile(name, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).path);
  expect(await paths(`${path}.1`)).toEqual(['/one']);
  expect(await paths(path)).toEqual(['/two']);
});

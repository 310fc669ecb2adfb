import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
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

/** A disk of its own that is soon full; undefined where we may not mount one. */
async function smallDisk(): Promise<string | undefined> {
  const path = await tempDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', path], { stdio: 'ignore' });
  });
  return path;
}

test('fileAccessLog tells of a full disk once, and goes on when there is room again', async () => {
  const disk = await smallDisk();
  if (disk === undefined) return;
  const path = join(disk, 'access.log');
  const onError = vi.fn();
  const log = fileAccessLog(path, onError);
  onTestFinished(() => log.close());
  log.write(entry('/before'));
  await vi.waitFor(async () => expect(await readFile(path, 'utf8')).toContain('/before'));
  await writeFile(join(disk, 'filler'), Buffer.alloc(1024 * 1024)).catch(() => undefined);
  const long = `/${'x'.repeat(8000)}`;
  log.write(entry(long));
  await vi.waitFor(() => expect(onError).toHaveBeenCalled());
  log.write(entry(long));

  await rm(join(disk, 'filler'));
  await vi.waitFor(async () => {
    log.write(entry('/after'));
    expect(await readFile(path, 'utf8')).toContain('/after');
  });

  expect(onError).toHaveBeenCalledTimes(1);
});

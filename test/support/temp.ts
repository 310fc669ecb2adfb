import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh directory that goes away with the test. */
export async function tempDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'atoll-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

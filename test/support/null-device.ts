import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A device that swallows everything: one of our own for root, who could replace the machine's own in a
 * test that fails; undefined where root may not make one.
 */
export async function nullDevice(folder: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return '/dev/null';
  const path = join(folder, 'null');
  return await promisify(execFile)('mknod', [path, 'c', '1', '3']).then(
    () => path,
    () => undefined,
  );
}

import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { formatBytes } from '../../core/format.ts';

/** Bytes an ordinary user may still write at a path, which need not exist yet. */
export async function freeSpace(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(resolve(path));
    if (systemCodeOf(error) !== 'ENOENT' || parent === resolve(path)) throw error;
    return await freeSpace(parent);
  }
}

export interface SpaceOptions {
  /** Stays free beyond what is needed. */
  readonly reserveBytes?: number;
  /** Replaces the look at the disk, for tests. */
  readonly measure?: (path: string) => Promise<number>;
}

/** Throws `DISK_FULL` before a byte is written, rather than hours later. */
export async function requireFreeSpace(
  path: string,
  neededBytes: number,
  options: SpaceOptions = {},
): Promise<void> {
  const availableBytes = await (options.measure ?? freeSpace)(path);
  const wantedBytes = neededBytes + (options.reserveBytes ?? 0);
  if (availableBytes >= wantedBytes) return;
  const found = `${formatBytes(availableBytes)} are free, ${formatBytes(wantedBytes)} are needed`;
  throw new AtollError('DISK_FULL', `Cannot write to "${path}": ${found}`, {
    hint: `Free ${formatBytes(wantedBytes - availableBytes)} there, or choose another disk`,
    details: { path, neededBytes: wantedBytes, availableBytes },
  });
}

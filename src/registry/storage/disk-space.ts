import { statfs } from 'node:fs/promises';
import { formatBytes } from '../../core/format.ts';
import { diskFull } from '../serving/wire-error.ts';

/** Knows how much room is left, without asking the kernel for every request. */
export interface DiskSpace {
  /** Undefined where nobody can say, as for a bucket. */
  freeBytes(): Promise<number | undefined>;
  /** Throws 507 when taking so many bytes would leave less than the reserve. */
  require(bytes: number): Promise<void>;
}

const FRESH_MS = 1000;

export interface DiskSpaceOptions {
  readonly root: string | undefined;
  readonly minFreeBytes: number;
  /** Replaces the look at the disk, for tests. */
  readonly measure?: (() => Promise<number>) | undefined;
}

export function diskSpace({ root, minFreeBytes, measure }: DiskSpaceOptions): DiskSpace {
  const look = measure ?? (root === undefined ? undefined : () => freeBytesOf(root));
  let known: { readonly at: number; readonly bytes: number } | undefined;

  async function freeBytes(freshMs = FRESH_MS): Promise<number | undefined> {
    if (!look) return undefined;
    const now = performance.now();
    if (!known || now - known.at > freshMs) known = { at: now, bytes: await look() };
    return known.bytes;
  }

  return {
    freeBytes: () => freeBytes(),
    async require(bytes) {
      const fits = (free: number | undefined) => free === undefined || free - bytes >= minFreeBytes;
      if (fits(await freeBytes())) return;
      // Somebody may just have made room: nobody is refused for what was true a moment ago.
      const free = await freeBytes(0);
      if (free === undefined || fits(free)) return;
      throw diskFull(
        `The registry's disk is nearly full: ${formatBytes(free)} are free, ` +
          `${formatBytes(minFreeBytes)} have to stay free. Reads still work`,
      );
    },
  };
}

async function freeBytesOf(root: string): Promise<number> {
  const { bavail, bsize } = await statfs(root);
  return bavail * bsize;
}

import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/**
 * The hash of an upload's first `offset` bytes, and its file. The file stays open: as long as it
 * is, no other file can get its inode number, so "same number and same size" means "untouched".
 */
export interface UploadProgress {
  readonly file: FileHandle;
  readonly inode: number;
  readonly offset: number;
  readonly hash: Hash;
}

/** What this process remembers of uploads it may be asked to continue. */
export interface ProgressTable {
  /** Hands over what is known, if it is about the file that is there now; else forgets it. */
  take(
    path: string,
    status: { readonly ino: number; readonly size: number } | undefined,
  ): Promise<UploadProgress | undefined>;
  keep(path: string, progress: UploadProgress): Promise<void>;
}

interface Kept {
  readonly progress: UploadProgress;
  readonly timer: NodeJS.Timeout;
}

/** Each holds a file open. */
const MAX_KEPT = 128;
const MAX_IDLE_MS = 60_000;

/** A cache: an upload that dropped out of it is hashed again when it is continued. */
export function createProgressTable(): ProgressTable {
  const table = new Map<string, Kept>();

  function remove(path: string): UploadProgress | undefined {
    const kept = table.get(path);
    clearTimeout(kept?.timer);
    table.delete(path);
    return kept?.progress;
  }

  async function forget(path: string | undefined): Promise<void> {
    if (path !== undefined) await remove(path)?.file.close();
  }

  return {
    async take(path, status) {
      const known = remove(path);
      if (known && known.inode === status?.ino && known.offset === status.size) return known;
      await known?.file.close();
      return undefined;
    },
    async keep(path, progress) {
      const timer = setTimeout(() => forget(path).catch(() => undefined), MAX_IDLE_MS);
      timer.unref();
      table.set(path, { progress, timer });
      if (table.size > MAX_KEPT) await forget(table.keys().next().value);
    },
  };
}

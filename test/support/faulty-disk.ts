import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { vi } from 'vitest';

type Promises = typeof import('node:fs/promises');
type Call = (...args: never[]) => Promise<unknown>;

/** What is counted: all that writes, names or syncs, and reading. */
const HANDLE_CALLS = [
  'read',
  'write',
  'writev',
  'appendFile',
  'truncate',
  'sync',
  'datasync',
  'close',
] as const;
export const DISK_CALLS = [
  'open',
  'mkdir',
  'rename',
  'rm',
  'writeFile',
  'readFile',
  'stat',
] as const;

/**
 * A disk that fails once, at the call of this number, with EIO. After a sync that failed the kernel forgets which
 * bytes were not written, and the next sync of the same file succeeds: such a file is poisoned for ever.
 */
export class FaultyDisk {
  readonly #failAt: number;
  readonly #poisoned = new Set<string>();
  calls = 0;
  failed = '';

  constructor(failAt: number) {
    this.#failAt = failAt;
  }

  isPoisoned(status: Stats): boolean {
    return this.#poisoned.has(identityOf(status));
  }

  #fails(name: string): boolean {
    this.calls += 1;
    if (this.calls !== this.#failAt) return false;
    this.failed = name;
    return true;
  }

  call(name: (typeof DISK_CALLS)[number], real: Promises): Call {
    return async (...args) => {
      if (this.#fails(name)) throw inputOutputError(name);
      const result = await (real[name] as Call)(...args);
      if (name === 'open') this.#watch(result as FileHandle);
      return result;
    };
  }

  #watch(file: FileHandle): void {
    for (const name of HANDLE_CALLS) {
      const real = (file[name] as Call).bind(file);
      vi.spyOn(file, name).mockImplementation((async (...args: never[]) => {
        if (!this.#fails(`file.${name}`)) return await real(...args);
        if (name.endsWith('sync')) this.#poisoned.add(identityOf(await file.stat()));
        // Closed it is, whatever the last write came to.
        if (name === 'close') await real(...args);
        throw inputOutputError(name);
      }) as never);
    }
  }
}

/** Numbers of files are used again. */
const identityOf = ({ ino, birthtimeMs }: Stats): string => `${ino} ${birthtimeMs}`;

const inputOutputError = (syscall: string): Error =>
  Object.assign(new Error(`EIO: i/o error, ${syscall}`), { code: 'EIO', errno: -5, syscall });

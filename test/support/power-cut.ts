import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { vi } from 'vitest';

type Promises = typeof import('node:fs/promises');

/** What a disk keeps when the power goes: names by folder syncs, bytes by file syncs, nothing else. */
export class PowerCut {
  /** Where each name leads now, and where the disk knows it to lead. */
  readonly #now = new Map<string, number>();
  readonly #kept = new Map<string, number>();
  /** Files whose bytes are on the disk, all of them. */
  readonly #synced = new Set<number>();
  #lastId = 0;

  constructor(existing: readonly string[]) {
    for (const path of existing) this.#kept.set(path, this.#made(path));
  }

  #made(path: string): number {
    this.#lastId += 1;
    this.#now.set(path, this.#lastId);
    return this.#lastId;
  }

  /** Whether a name, with every folder above it, would be there after the cut, with its bytes. */
  survives(path: string, root: string): boolean {
    const id = this.#kept.get(path);
    if (id === undefined || !this.#synced.has(id)) return false;
    for (let at = dirname(path); at !== root; at = dirname(at)) {
      if (!this.#kept.has(at)) return false;
    }
    return true;
  }

  /** Names that would be there with other bytes than were written under them. */
  torn(): string[] {
    return [...this.#kept].filter(([, id]) => !this.#synced.has(id)).map(([path]) => path);
  }

  /** The functions of Node, each noted here after it was done. */
  watch(real: Promises): Partial<Promises> {
    return {
      mkdir: (async (path: string, options: never) => {
        const made = await real.mkdir(path, options);
        this.#synced.add(this.#made(resolve(path)));
        return made;
      }) as Promises['mkdir'],
      rename: async (from, to) => {
        await real.rename(from, to);
        this.#now.set(resolve(String(to)), this.#now.get(resolve(String(from))) ?? this.#lastId);
        this.#now.delete(resolve(String(from)));
      },
      rm: async (path, options) => {
        await real.rm(path, options);
        this.#now.delete(resolve(String(path)));
      },
      open: async (path, flags, mode) => {
        const file = await real.open(path, flags, mode);
        return await this.#watched(file, resolve(String(path)));
      },
    };
  }

  async #watched(file: FileHandle, path: string): Promise<FileHandle> {
    const isFolder = (await file.stat()).isDirectory();
    if (!isFolder && !this.#now.has(path)) this.#made(path);
    const id = this.#now.get(path);
    const sync = isFolder ? () => this.#syncFolder(path) : () => void this.#synced.add(id ?? 0);
    for (const name of ['sync', 'datasync'] as const) {
      const real = file[name].bind(file);
      vi.spyOn(file, name).mockImplementation(async () => {
        await real();
        sync();
      });
    }
    return file;
  }

  #syncFolder(folder: string): void {
    for (const path of [...this.#kept.keys()]) {
      if (dirname(path) === folder && !this.#now.has(path)) this.#kept.delete(path);
    }
    for (const [path, id] of this.#now) if (dirname(path) === folder) this.#kept.set(path, id);
  }
}

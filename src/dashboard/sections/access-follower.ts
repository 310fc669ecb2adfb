import { open } from 'node:fs/promises';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import { parseAccessLine } from '../../registry/access/read-access-log.ts';

/** Reads the mirror's access log as it grows; a log that was begun anew is read from its start. */
export class AccessFollower {
  readonly #path: string;
  #offset = 0;
  #inode = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<readonly AccessEntry[]> {
    const file = await open(this.#path).catch(() => undefined);
    if (!file) return [];
    try {
      const { ino, size } = await file.stat();
      if (ino !== this.#inode || size < this.#offset) [this.#offset, this.#rest] = [0, ''];
      this.#inode = ino;
      const buffer = Buffer.alloc(size - this.#offset);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#offset);
      this.#offset += bytesRead;
      const lines = (this.#rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
      this.#rest = lines.pop() ?? '';
      return lines.flatMap((line) => parseAccessLine(line) ?? []);
    } finally {
      await file.close();
    }
  }
}

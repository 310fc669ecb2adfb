import { open } from 'node:fs/promises';
import { decodeLine } from '../core/checked-line.ts';
import { systemCodeOf } from '../core/errors.ts';
import { type RecordedEvent, recordedEventSchema } from '../core/events.ts';
import { unreadable } from '../core/files.ts';
import { eventLogPath } from './event-log.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Reads the log of a run as it grows: each call returns the whole events that came since the last. */
export class EventFollower {
  readonly #path: string;
  #offset = 0;
  /** The beginning of a line whose end is not written yet. */
  #rest = Buffer.alloc(0);

  constructor(runDirectory: string) {
    this.#path = eventLogPath(runDirectory);
  }

  async read(): Promise<readonly RecordedEvent[]> {
    const bytes = Buffer.concat([this.#rest, ...(await this.#newBytes())]);
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = bytes.subarray(end);
    return bytes
      .subarray(0, end)
      .toString('utf8')
      .split('\n')
      .flatMap((line) => eventOf(line));
  }

  async #newBytes(): Promise<readonly Buffer[]> {
    const file = await open(this.#path).catch((error: unknown) => {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw unreadable(this.#path, error);
    });
    if (!file) return [];
    const chunks: Buffer[] = [];
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(
          Buffer.alloc(CHUNK_BYTES),
          0,
          CHUNK_BYTES,
          this.#offset,
        );
        if (bytesRead === 0) return chunks;
        this.#offset += bytesRead;
        chunks.push(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
}

/** Torn lines and kinds of a later version are left out, as everywhere. */
function eventOf(line: string): readonly RecordedEvent[] {
  if (line === '') return [];
  const record = recordedEventSchema.safeParse(decodeLine(line));
  return record.success ? [record.data] : [];
}

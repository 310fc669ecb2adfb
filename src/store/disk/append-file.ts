import type { FileHandle } from 'node:fs/promises';
import { writeAll } from '../../core/write-all.ts';

/** So much may wait in memory for the disk before the source is asked to wait. */
const MAX_QUEUED_BYTES = 1536 * 1024;
/** Fewer, larger writes: each one wakes another thread. */
const BATCH_BYTES = 512 * 1024;

/**
 * Writes chunks to a file from `position` on. While one write is under way the next chunks are
 * gathered, and go down in one call. When the source fails, what it gave before is still written.
 * Returns the position after the last byte.
 */
export async function appendFile(
  file: FileHandle,
  position: number,
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<number> {
  const writer = gatheringWriter(file, position);
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      await writer.write(chunk);
    }
  } finally {
    await writer.drain();
  }
  return writer.position();
}

interface GatheringWriter {
  /** Returns at once while there is room in the queue. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  drain(): Promise<void>;
  position(): number;
}

function gatheringWriter(file: FileHandle, start: number): GatheringWriter {
  let position = start;
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let flushing: Promise<void> | undefined;

  async function flush(leastBytes: number): Promise<void> {
    while (queuedBytes > 0 && queuedBytes >= leastBytes) {
      const batch = queue;
      const bytes = queuedBytes;
      queue = [];
      queuedBytes = 0;
      await writeAll(file, batch, position);
      position += bytes;
    }
    flushing = undefined;
  }

  return {
    write(chunk) {
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (queuedBytes < BATCH_BYTES) return undefined;
      flushing ??= flush(BATCH_BYTES);
      // A failed write shows when the queue is full or drained; not as an unhandled rejection.
      flushing.catch(() => undefined);
      return queuedBytes >= MAX_QUEUED_BYTES ? flushing : undefined;
    },
    async drain() {
      await flushing;
      await flush(0);
    },
    position: () => position,
  };
}

/** What of a `FileHandle` is needed. */
export interface VectorWriter {
  writev(chunks: readonly Uint8Array[], position: number): Promise<{ bytesWritten: number }>;
}

/** Writes all chunks from `position` on. A single `writev` may take less than it was given. */
export async function writeAll(
  file: VectorWriter,
  chunks: readonly Uint8Array[],
  position: number,
): Promise<void> {
  let rest = chunks.filter((chunk) => chunk.length > 0);
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    at += bytesWritten;
    rest = dropBytes(rest, bytesWritten);
  }
}

function dropBytes(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return chunks.flatMap((chunk) => {
    const dropped = Math.min(left, chunk.length);
    left -= dropped;
    return dropped === chunk.length ? [] : [chunk.subarray(dropped)];
  });
}

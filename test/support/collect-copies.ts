/** All of a stream whose pieces are overwritten when the next one is asked for. */
export async function collectCopies(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of chunks) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

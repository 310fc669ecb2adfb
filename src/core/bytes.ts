/** One value that is there already, as a stream: mostly bytes. */
export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** All of a stream that is known to be small, or must be: `tooLong` is thrown for more than `most`. */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
  tooLong: () => Error = () => new Error(`more than ${most} bytes`),
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of chunks) {
    size += part.length;
    if (size > most) throw tooLong();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

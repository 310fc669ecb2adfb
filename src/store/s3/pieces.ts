/**
 * The same bytes in pieces of one size, the last one shorter. When the source fails, what it gave
 * before comes first and then its error.
 */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      let rest = chunk;
      while (heldBytes + rest.length >= pieceBytes) {
        const taken = rest.subarray(0, pieceBytes - heldBytes);
        yield Buffer.concat([...held, taken]);
        rest = rest.subarray(taken.length);
        [held, heldBytes] = [[], 0];
      }
      if (rest.length > 0) held.push(rest);
      heldBytes += rest.length;
    }
  } catch (error) {
    failure = { error };
  }
  if (heldBytes > 0) yield Buffer.concat(held);
  if (failure) throw failure.error;
}

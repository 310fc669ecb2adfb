/** Hands bytes to what has room for so many at a time; what it gives is valid until the next call. */
export function inPieces(
  bytes: Uint8Array,
  most: number,
  write: (piece: Uint8Array) => Uint8Array,
): Uint8Array {
  if (bytes.length <= most) return write(bytes);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += most)
    parts.push(Buffer.from(write(bytes.subarray(at, at + most))));
  return Buffer.concat(parts);
}

const [CHECKSUM, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** Length of a gzip header with all its optional fields; undefined where it goes on behind `head`. */
export function gzipHeaderLength(head: Buffer): number | undefined {
  const flags = head[3] ?? 0;
  let at = 10;
  if (flags & EXTRA) {
    if (head.length < at + 2) return undefined;
    at += 2 + head.readUInt16LE(at);
  }
  for (const field of [NAME, COMMENT]) {
    if (flags & field) at = head.indexOf(0, at) + 1;
    if (at === 0) return undefined;
  }
  const end = flags & CHECKSUM ? at + 2 : at;
  return end > head.length ? undefined : end;
}

import type { CompiledChunk } from './load-chunks.ts';

/*
 * One file: the length of an index in four bytes, the index as JSON (name, sum, bytes), then the code of
 * each chunk in the order of the index.
 */
type Index = readonly (readonly [name: string, sum: string, bytes: number])[];

const LENGTH_BYTES = 4;

export function writePack(chunks: ReadonlyMap<string, CompiledChunk>): Buffer {
  const index: Index = [...chunks].map(([name, { sum, code }]) => [name, sum, code.length]);
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...[...chunks.values()].map(({ code }) => code)]);
}

/** Undefined for a pack that is not whole. */
export function readPack(pack: Buffer): ReadonlyMap<string, CompiledChunk> | undefined {
  if (pack.length < LENGTH_BYTES) return undefined;
  let at = LENGTH_BYTES + pack.readUInt32LE();
  if (pack.length < at) return undefined;
  const index = JSON.parse(pack.toString('utf8', LENGTH_BYTES, at)) as Index;
  const chunks = new Map<string, CompiledChunk>();
  for (const [name, sum, bytes] of index) {
    chunks.set(name, { sum, code: pack.subarray(at, at + bytes) });
    at += bytes;
  }
  return at === pack.length ? chunks : undefined;
}

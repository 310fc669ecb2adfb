import { fstatSync, openSync, readSync } from 'node:fs';

/** Code of one chunk as V8 keeps it, and the sum of the source it was made of. */
export interface CompiledChunk {
  readonly sum: string;
  readonly code: Buffer;
}

/** Compiled code by the name of its chunk; undefined for a chunk that is not kept. */
export type CompiledCode = (name: string) => CompiledChunk | undefined;

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

/** Undefined for a pack that is not there or not whole. Of a whole one only what is asked for is read. */
export function openPack(path: string): CompiledCode | undefined {
  try {
    return readable(openSync(path, 'r'));
  } catch {
    // Without it everything works as well, only later.
    return undefined;
  }
}

/** The file stays open as long as the process: chunks are loaded at any time. */
function readable(file: number): CompiledCode | undefined {
  const indexBytes = read(file, 0, LENGTH_BYTES)?.readUInt32LE() ?? 0;
  const index = JSON.parse(`${read(file, LENGTH_BYTES, indexBytes)}`) as Index;
  const places = new Map<string, { sum: string; at: number; bytes: number }>();
  let at = LENGTH_BYTES + indexBytes;
  for (const [name, sum, bytes] of index) {
    places.set(name, { sum, at, bytes });
    at += bytes;
  }
  if (fstatSync(file).size !== at) return undefined;
  return (name) => {
    const place = places.get(name);
    const code = place && read(file, place.at, place.bytes);
    return code && { sum: place.sum, code };
  };
}

/** Undefined where the file ends before. */
function read(file: number, at: number, bytes: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  return readSync(file, buffer, 0, bytes, at) === bytes ? buffer : undefined;
}

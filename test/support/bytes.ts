export { collect } from '../../src/core/bytes.ts';

import type { Descriptor } from '../../src/oci/descriptor.ts';
import { type Algorithm, digestOf } from '../../src/oci/digest.ts';

/** Bytes of a given length that are the same in every run and compress badly. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed * 2_654_435_761 + 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

export function describeBytes(
  bytes: Uint8Array | string,
  mediaType = 'application/octet-stream',
  algorithm: Algorithm = 'sha256',
): Descriptor {
  const buffer = Buffer.from(bytes);
  return { mediaType, digest: digestOf(buffer, algorithm), size: buffer.length };
}

/** A stream of these chunks; an `Error` among them is thrown at its turn. */
export async function* chunksOf(
  ...parts: readonly (Uint8Array | string | Error)[]
): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

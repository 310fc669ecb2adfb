import { createHash } from 'node:crypto';

const BLOCK = 32;

/** Bytes that do not compress and depend on nothing but the seed: stand-ins for programs. */
export function madeUpBytes(seed: string, length: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(length / BLOCK) * BLOCK);
  let block = createHash('sha256').update(seed).digest();
  for (let offset = 0; offset < length; offset += BLOCK) {
    block.copy(bytes, offset);
    block = createHash('sha256').update(block).digest();
  }
  return bytes.subarray(0, length);
}

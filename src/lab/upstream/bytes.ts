import { createCipheriv, createHash } from 'node:crypto';

/** Bytes that do not compress and depend on nothing but the seed: stand-ins for programs. */
export function madeUpBytes(seed: string, length: number): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

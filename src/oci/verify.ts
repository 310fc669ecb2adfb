import { createHash } from 'node:crypto';
import { AtollError } from '../core/errors.ts';
import type { Descriptor } from './descriptor.ts';
import { digestOf, splitDigest } from './digest.ts';

/**
 * Passes bytes through unchanged and throws unless they are exactly the described content.
 * Everything that crosses a boundary (network, disk, tape) goes through here once.
 */
export async function* verified(
  expected: Descriptor,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { algorithm, hex } = splitDigest(expected.digest);
  const hash = createHash(algorithm);
  let size = 0;

  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > expected.size) throw mismatch(expected, `more than ${expected.size} bytes`);
    hash.update(chunk);
    yield chunk;
  }

  if (size < expected.size) throw mismatch(expected, `only ${size} of ${expected.size} bytes`);
  if (hash.digest('hex') !== hex) throw mismatch(expected, 'different bytes');
}

/** The same decision for bytes that are whole in memory. */
export function verifyBytes(expected: Descriptor, bytes: Uint8Array): void {
  if (bytes.length !== expected.size) {
    throw mismatch(expected, `${bytes.length} instead of ${expected.size} bytes`);
  }
  if (digestOf(bytes, splitDigest(expected.digest).algorithm) !== expected.digest) {
    throw mismatch(expected, 'different bytes');
  }
}

/** The error for bytes that are not what their descriptor says. */
export function mismatch(expected: Pick<Descriptor, 'digest'>, found: string): AtollError {
  return new AtollError('CONTENT_MISMATCH', `Cannot accept ${expected.digest}: found ${found}`, {
    hint: 'Fetch it again; if it repeats, the source is damaged',
    details: { digest: expected.digest },
  });
}

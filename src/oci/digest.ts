import { createHash } from 'node:crypto';
import { AtollError } from '../core/errors.ts';

const HEX_LENGTH = { sha256: 64, sha512: 128 } as const;
const PATTERN = /^(?<algorithm>sha256|sha512):(?<hex>[0-9a-f]+)$/;

export type Algorithm = keyof typeof HEX_LENGTH;

declare const validated: unique symbol;

/** `algorithm:hex`, known to be well formed. Only {@link parseDigest} and {@link digestOf} make one. */
export type Digest = `${Algorithm}:${string}` & { readonly [validated]: 'Digest' };

export function isDigest(text: string): text is Digest {
  const parts = PATTERN.exec(text)?.groups as { algorithm: Algorithm; hex: string } | undefined;
  return parts !== undefined && parts.hex.length === HEX_LENGTH[parts.algorithm];
}

export function parseDigest(text: string): Digest {
  if (isDigest(text)) return text;
  throw new AtollError('DIGEST_INVALID', `Cannot parse digest "${text}"`, {
    hint: 'Write it as "sha256:" followed by 64 lowercase hex digits',
  });
}

export function splitDigest(digest: Digest): { algorithm: Algorithm; hex: string } {
  const colon = digest.indexOf(':');
  return { algorithm: digest.slice(0, colon) as Algorithm, hex: digest.slice(colon + 1) };
}

/** The digest of bytes that are already whole in memory. Streams go through `verified()`. */
export function digestOf(bytes: Uint8Array | string, algorithm: Algorithm = 'sha256'): Digest {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}` as Digest;
}

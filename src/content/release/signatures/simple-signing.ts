import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import type { Digest } from '../../../oci/digest.ts';

/** The two documents that say "this digest is that image", which differ only in their type. */
export type SigningType = 'atomic container signature' | 'cosign container image signature';

const schema = z.strictObject({
  critical: z.strictObject({
    type: z.string(),
    image: z.strictObject({ 'docker-manifest-digest': z.string() }),
    identity: z.strictObject({ 'docker-reference': z.string() }),
  }),
  optional: z.record(z.string(), z.unknown()).nullish(),
});

/** Checks what was signed: it must speak of exactly this digest. Answers the image's signed name. */
export function checkSigned(
  bytes: Uint8Array,
  expected: { readonly type: SigningType; readonly digest: Digest },
): string {
  const parsed = schema.safeParse(jsonOf(bytes));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw rejected(expected.digest, `what it signs is not valid: ${issue?.message}`);
  }
  const { type, image, identity } = parsed.data.critical;
  const digest = image['docker-manifest-digest'];
  const name = identity['docker-reference'];
  if (type !== expected.type) throw rejected(expected.digest, `its type is "${type}"`);
  if (digest !== expected.digest) throw rejected(expected.digest, `it is for ${digest}`);
  if (name === '') throw rejected(expected.digest, 'it names no image');
  return name;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** A signature that is there and must not be trusted. */
export function rejected(digest: Digest, why: string, cause?: unknown): AtollError {
  return new AtollError('SIGNATURE_INVALID', `Cannot trust the signature of ${digest}: ${why}`, {
    cause,
    details: { digest },
  });
}

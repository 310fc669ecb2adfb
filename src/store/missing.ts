import { AtollError } from '../core/errors.ts';
import type { Digest } from '../oci/digest.ts';

/** The error for content that a store does not have. */
export function missing(digest: Digest, cause?: unknown): AtollError {
  return new AtollError('CONTENT_MISSING', `Cannot read ${digest}: the store does not have it`, {
    hint: 'Copy the image into the store again',
    details: { digest },
    cause,
  });
}

/** The error for an upload that was never begun, or is finished or cancelled. */
export function unknownUpload(id: string): AtollError {
  return new AtollError('CONTENT_MISSING', `Cannot continue the upload "${id}": there is none`, {
    hint: 'Start the upload again',
  });
}

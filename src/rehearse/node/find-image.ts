import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Reference, tagOrDigestOf } from '../../oci/reference.ts';
import type { PullEndpoint } from '../../oci/registries/match.ts';
import type { Registries, Repository } from '../../remote/registries.ts';

/** An endpoint that did not have the image; without an error it simply answered that. */
export interface FailedEndpoint {
  readonly reference: Reference;
  readonly mirror: boolean;
  readonly error: unknown;
}

/** Where an image was found, still to be read. */
export interface FoundImage {
  readonly endpoint: PullEndpoint;
  readonly repository: Repository;
  readonly descriptor: Descriptor;
}

export interface ImageSearch {
  readonly found: FoundImage | undefined;
  /** Endpoints tried before, in order. */
  readonly failures: readonly FailedEndpoint[];
}

/** An endpoint that gave bytes has answered, whatever they are: nodes look no further. */
const ANSWERED = new Set<string>(['CONTENT_MISMATCH', 'MANIFEST_INVALID', 'MANIFEST_UNSUPPORTED']);

/**
 * Asks endpoints in order, as a node does: with GET, and the first that gives a manifest serves all
 * the rest.
 */
export async function findImage(
  ctx: Context,
  registries: Registries,
  endpoints: readonly PullEndpoint[],
): Promise<ImageSearch> {
  const failures: FailedEndpoint[] = [];
  for (const endpoint of endpoints) {
    const { reference, mirror } = endpoint;
    const repository = registries.at(endpoint);
    try {
      const manifest = await repository.find(ctx, tagOrDigestOf(reference));
      const descriptor = manifest?.descriptor;
      if (descriptor) return { found: { endpoint, repository, descriptor }, failures };
      failures.push({ reference, mirror, error: undefined });
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push({ reference, mirror, error });
      if (error instanceof AtollError && ANSWERED.has(error.code)) break;
    }
  }
  return { found: undefined, failures };
}

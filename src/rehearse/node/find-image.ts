import type { Context } from '../../core/context.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Reference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import type { Endpoint } from '../../remote/registries-conf.ts';

/** An endpoint that did not have the image; without an error it simply answered that. */
export interface FailedEndpoint {
  readonly reference: Reference;
  readonly mirror: boolean;
  readonly error: unknown;
}

/** Where an image was found, still to be read. */
export interface FoundImage {
  readonly endpoint: Endpoint;
  readonly repository: Repository;
  readonly descriptor: Descriptor;
}

export interface ImageSearch {
  readonly found: FoundImage | undefined;
  /** Endpoints tried before, in order. */
  readonly failures: readonly FailedEndpoint[];
}

/** Asks endpoints in order, as a node does: the first that has the manifest serves all the rest. */
export async function findImage(
  ctx: Context,
  registries: Registries,
  endpoints: readonly Endpoint[],
): Promise<ImageSearch> {
  const failures: FailedEndpoint[] = [];
  for (const endpoint of endpoints) {
    const { reference, mirror } = endpoint;
    const repository = registries.at(endpoint);
    try {
      const descriptor = await repository.resolve(ctx, tagOrDigestOf(reference));
      if (descriptor) return { found: { endpoint, repository, descriptor }, failures };
      failures.push({ reference, mirror, error: undefined });
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push({ reference, mirror, error });
    }
  }
  return { found: undefined, failures };
}

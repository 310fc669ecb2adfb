import type { Digest } from '../../oci/digest.ts';
import type { Exchange } from '../serving/exchange.ts';
import { WireError } from '../serving/wire-error.ts';

/** Throws 403 when the tag is there, protected, and means something else. */
export async function requireMovable(
  { service }: Exchange,
  repository: string,
  tag: string,
  digest: Digest | undefined,
): Promise<void> {
  if (!service.isProtected(repository, tag)) return;
  const known = await service.links.tags.get(service.ctx, repository, tag);
  if (known && known.digest !== digest) throw denied(tag);
}

function denied(tag: string): WireError {
  return new WireError('DENIED', `The tag "${tag}" is protected: it can neither move nor go`, {
    detail: { tag },
  });
}

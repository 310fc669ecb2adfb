import type { Context } from '../../core/context.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { pulling } from '../client/auth/scope.ts';
import { removeAt } from './manifests.ts';
import { type Place, subjectAt } from './place.ts';
import { cancelSession, openSession } from './uploads/upload-session.ts';

/** Whether the repository has the blob, in the size it should have. */
export function hasBlob(ctx: Context, place: Place, blob: Descriptor): Promise<boolean> {
  const subject = subjectAt(place, 'read', blob.digest);
  return place.client.attempt(ctx, subject, async () => {
    const response = await place.client.send(ctx, {
      method: 'HEAD',
      target: `${place.repository}/blobs/${blob.digest}`,
      scopes: [pulling(place.repository)],
    });
    if (!response.ok && response.status !== 404) throw await place.client.refuse(response, subject);
    await response.discard();
    const size = response.headers['content-length'];
    return response.ok && (size === undefined || Number(size) === blob.size);
  });
}

/** True when the blob is now here; false when this registry cannot or may not take it from there. */
export function mountBlob(
  ctx: Context,
  place: Place,
  blob: Descriptor,
  from: string,
): Promise<boolean> {
  return place.client.attempt(ctx, subjectAt(place, 'mount', blob.digest), async () => {
    const opened = await openSession(ctx, place, blob, from);
    if (typeof opened === 'object') await cancelSession(ctx, place, opened.session);
    return opened === 'present';
  });
}

export function removeBlob(ctx: Context, place: Place, digest: Digest): Promise<boolean> {
  return removeAt(ctx, place, `blobs/${digest}`, digest);
}

import type { Context } from '../../core/context.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { pulling } from '../client/auth/scope.ts';
import { type RepositoryClient, removeAt, subjectAt } from './repository-client.ts';
import { cancelSession, openSession } from './uploads/upload-session.ts';

/** Whether the repository has the blob, in the size it should have. */
export function hasBlob(ctx: Context, repo: RepositoryClient, blob: Descriptor): Promise<boolean> {
  const subject = subjectAt(repo, 'read', blob.digest);
  return repo.client.attempt(ctx, subject, async () => {
    const response = await repo.client.send(ctx, {
      method: 'HEAD',
      target: `${repo.repository}/blobs/${blob.digest}`,
      scopes: [pulling(repo.repository)],
    });
    if (!response.ok && response.status !== 404) throw await repo.client.refuse(response, subject);
    await response.discard();
    const size = response.headers['content-length'];
    return response.ok && (size === undefined || Number(size) === blob.size);
  });
}

/** True when the blob is now here; false when this registry cannot or may not take it from there. */
export function mountBlob(
  ctx: Context,
  repo: RepositoryClient,
  blob: Descriptor,
  from: string,
): Promise<boolean> {
  return repo.client.attempt(ctx, subjectAt(repo, 'mount', blob.digest), async () => {
    const opened = await openSession(ctx, repo, blob, from);
    if (typeof opened === 'object') await cancelSession(ctx, repo, opened.session);
    return opened === 'present';
  });
}

export function removeBlob(ctx: Context, repo: RepositoryClient, digest: Digest): Promise<boolean> {
  return removeAt(ctx, repo, `blobs/${digest}`, digest);
}

import type { Context } from '../../core/context.ts';
import { deleting } from '../client/auth/scope.ts';
import type { Subject } from '../client/refusal.ts';
import type { RegistryClient } from '../client/registry-client.ts';

/** One repository at one registry, with the client that reaches it. */
export interface RepositoryClient {
  readonly client: RegistryClient;
  readonly repository: string;
}

export function subjectAt(repo: RepositoryClient, action: string, reference?: string): Subject {
  return { action, registry: repo.client.registry, repository: repo.repository, reference };
}

/** Removes what is at a path of a repository; false when it was not there. */
export function removeAt(
  ctx: Context,
  repo: RepositoryClient,
  path: string,
  reference: string,
): Promise<boolean> {
  const subject = subjectAt(repo, 'delete', reference);
  return repo.client.attempt(ctx, subject, async () => {
    const scopes = [deleting(repo.repository)];
    const target = `${repo.repository}/${path}`;
    const response = await repo.client.send(ctx, { method: 'DELETE', target, scopes });
    if (!response.ok && response.status !== 404) throw await repo.client.refuse(response, subject);
    await response.discard();
    return response.ok;
  });
}

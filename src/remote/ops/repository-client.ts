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

import type { Subject } from '../client/refusal.ts';
import type { RegistryClient } from '../client/registry-client.ts';

/** One repository at one registry, with the client that reaches it. */
export interface Place {
  readonly client: RegistryClient;
  readonly repository: string;
}

export function subjectAt(place: Place, action: string, reference?: string): Subject {
  return { action, registry: place.client.registry, repository: place.repository, reference };
}

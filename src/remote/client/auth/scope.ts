export type Action = 'pull' | 'push' | 'delete' | '*';

/** What a token has to allow: actions on one repository. */
export interface Scope {
  /** Of the registry itself where it says so. */
  readonly of?: 'registry' | undefined;
  readonly repository: string;
  readonly actions: readonly Action[];
}

export const pulling = (repository: string): Scope => ({ repository, actions: ['pull'] });
export const pushing = (repository: string): Scope => ({ repository, actions: ['pull', 'push'] });
export const deleting = (repository: string): Scope => ({
  repository,
  actions: ['delete', 'pull', 'push'],
});

/** To list the repositories of a registry. */
export const LISTING: Scope = { of: 'registry', repository: 'catalog', actions: ['*'] };

/** The text for token servers; sorted, so that equal scopes give equal cache keys. */
export function formatScopes(scopes: readonly Scope[]): string[] {
  const texts = scopes.map(
    (s) => `${s.of ?? 'repository'}:${s.repository}:${s.actions.toSorted().join(',')}`,
  );
  return [...new Set(texts)].toSorted();
}

/** Whether a token for `granted` can do all that `wanted` says. */
export function covers(granted: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((want) => granted.some((grant) => coversOne(grant, want)));
}

/** A resource name may hold colons (a port), so the actions are what follows the last one. */
function coversOne(granted: string, wanted: string): boolean {
  const [grantedName, grantedActions] = splitScope(granted);
  const [wantedName, wantedActions] = splitScope(wanted);
  return grantedName === wantedName && wantedActions.every((a) => grantedActions.includes(a));
}

function splitScope(scope: string): [string, string[]] {
  const colon = scope.lastIndexOf(':');
  return [scope.slice(0, colon), scope.slice(colon + 1).split(',')];
}

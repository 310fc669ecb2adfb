import { isRepository } from '../../oci/reference.ts';
import { type Grant, isAllowed, ROLES, type Role } from './grants.ts';

// Scopes of tokens, as https://distribution.github.io/distribution/spec/auth/scope/ writes them:
// `repository:NAME:pull,push`, several of them apart by spaces or given more than once.

const SCOPE = /^repository(?:\([a-z0-9]+\))?:(?<name>.+):(?<actions>[a-z,*]+)$/;
/** Allows to list repositories: those that the owner of the token may pull from. */
export const CATALOG_SCOPE = 'registry:catalog:*';
/** More than a client that copies between repositories ever asks for. */
const MAX_SCOPES = 32;

/** What of the wanted scopes the grants allow; what is no scope of ours grants nothing. */
export function grantScopes(grants: readonly Grant[], scopes: readonly string[]): readonly Grant[] {
  return scopes
    .flatMap((text) => text.split(' '))
    .slice(0, MAX_SCOPES)
    .flatMap((text) => {
      if (text === CATALOG_SCOPE) return [{ role: 'pull', prefix: '', exact: true } as const];
      const { name = '', actions = '' } = SCOPE.exec(text)?.groups ?? {};
      const role = isRepository(name) ? highest(grants, name, actions.split(',')) : undefined;
      return role === undefined ? [] : [{ role, prefix: name, exact: true as const }];
    });
}

/** Each role includes the ones before it, so the highest that is wanted and allowed says all. */
function highest(
  grants: readonly Grant[],
  repository: string,
  actions: readonly string[],
): Role | undefined {
  const wanted = ROLES.filter((role) => actions.includes(role) || actions.includes('*'));
  return wanted.filter((role) => isAllowed(grants, role, repository)).at(-1);
}

export function scopeText(role: Role, repository: string): string {
  return `repository:${repository}:${ROLES.slice(0, ROLES.indexOf(role) + 1).join(',')}`;
}

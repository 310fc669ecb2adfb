import * as z from 'zod';
import { AtollError, messageOf } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';
import { parseYaml, toYaml } from '../../core/yaml.ts';
import { isRepository } from '../../oci/reference.ts';

/** What a user may do. Each role includes the ones before it. */
export const ROLES = ['pull', 'push', 'delete'] as const;
export type Role = (typeof ROLES)[number];

/** A role for a repository and all below it; for everything when the prefix is empty. */
export interface Grant {
  readonly role: Role;
  readonly prefix: string;
  /** Of this repository alone: a scope of a token. */
  readonly exact?: true | undefined;
}

export type GrantsByUser = Readonly<Record<string, readonly Grant[]>>;

/** What a user without grants may do: a htpasswd file from elsewhere knows no roles. */
const DEFAULT_GRANTS: readonly Grant[] = [{ role: 'pull', prefix: '' }];

const prefixText = z
  .string()
  .refine((text) => text === '' || isRepository(text), 'not the name of a repository');
export const grantSchema = z.strictObject({
  role: z.enum(ROLES),
  prefix: prefixText.default(''),
});
const schema = z.object({ users: z.record(z.string(), z.array(grantSchema)) });

/** Whether the grants allow this on a repository. The empty name stands for all repositories. */
export function isAllowed(grants: readonly Grant[], role: Role, repository: string): boolean {
  return grants.some(
    (grant) => ROLES.indexOf(grant.role) >= ROLES.indexOf(role) && covers(grant, repository),
  );
}

function covers({ prefix, exact }: Grant, repository: string): boolean {
  if (exact) return repository === prefix;
  return prefix === '' || repository === prefix || repository.startsWith(`${prefix}/`);
}

export function grantsOf(users: GrantsByUser, user: string): readonly Grant[] {
  return Object.hasOwn(users, user) ? (users[user] ?? []) : DEFAULT_GRANTS;
}

/** Reads `push` or `push:ocp/release`. */
export function parseGrant(text: string): Grant {
  const colon = text.indexOf(':');
  const role = colon < 0 ? text : text.slice(0, colon);
  const prefix = colon < 0 ? '' : text.slice(colon + 1);
  const isRole = (ROLES as readonly string[]).includes(role);
  if (isRole && (prefix === '' || isRepository(prefix))) return { role: role as Role, prefix };
  throw new AtollError('USAGE', `Cannot use "${text}" as a grant`, {
    hint: `Write a role (${ROLES.join(', ')}), or a role and a repository such as "push:ocp/release"`,
  });
}

export function formatGrant({ role, prefix }: Grant): string {
  return prefix === '' ? role : `${role}:${prefix}`;
}

export function parseGrants(path: string, text: string): GrantsByUser {
  let json: unknown;
  try {
    json = parseYaml(text, 'strict') ?? { users: {} };
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data.users;
  const issue = parsed.error.issues[0];
  throw invalid(path, `${issue?.path.join('.') || 'document'}: ${issue?.message}`);
}

export function formatGrants(users: GrantsByUser): string {
  const sorted = Object.entries(users).toSorted(byFirst);
  return toYaml({ users: Object.fromEntries(sorted) });
}

function invalid(path: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read "${path}": ${found}`, {
    hint: 'List each user with "role" (pull, push or delete) and "prefix"',
    details: { path },
    cause,
  });
}

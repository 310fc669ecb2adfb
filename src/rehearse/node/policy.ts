import { AtollError } from '../../core/errors.ts';
import type { Reference } from '../../oci/reference.ts';
import { type PolicyRequirement, policySchema } from './policy-schema.ts';

/** `policy.json` of a node, and the file it came from. */
export interface Policy {
  readonly file: string;
  readonly default: readonly PolicyRequirement[];
  readonly scopes: Readonly<Record<string, readonly PolicyRequirement[]>>;
}

export interface PolicyDecision {
  /** The scope that decided; `default` where none did. */
  readonly scope: string;
  readonly requirements: readonly PolicyRequirement[];
}

export function parsePolicy(text: string, file: string): Policy {
  const parsed = policySchema.safeParse(jsonOf(text));
  if (parsed.success) {
    const { default: all, transports } = parsed.data;
    return { file, default: all, scopes: transports?.docker ?? {} };
  }
  const issue = parsed.error.issues[0];
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use "${file}": ${issue?.path.join('.') || 'document'}: ${issue?.message}`,
    { hint: 'Write it with "atoll render policy"; see containers-policy.json(5)' },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a node demands of an image: the longest scope of its name as the cluster writes it. */
export function decide(policy: Policy, reference: Reference): PolicyDecision {
  for (const scope of scopesOf(reference)) {
    const requirements = policy.scopes[scope];
    if (requirements) return { scope, requirements };
  }
  return { scope: 'default', requirements: policy.scopes[''] ?? policy.default };
}

/** From the most exact to the widest, as containers-policy.json(5) lists them. */
function scopesOf({ registry, repository, tag, digest }: Reference): string[] {
  const name = `${registry}/${repository}`;
  const exact = digest ? [`${name}@${digest}`] : [`${name}:${tag ?? 'latest'}`];
  const parts = repository.split('/');
  const parents = parts.map((_, index) =>
    [registry, ...parts.slice(0, parts.length - index)].join('/'),
  );
  // Wildcards are for names: they cover every port.
  const labels = registry.replace(/:\d+$/, '').split('.');
  const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [...exact, ...parents, registry, ...wildcards];
}

import { AtollError } from '../../core/errors.ts';
import { parseJson } from '../../core/shape.ts';
import type { Reference } from '../../oci/reference.ts';
import { scopesOf } from '../../oci/registries/signature-places.ts';
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
  const parsed = policySchema.safeParse(parseJson(text));
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

/** What a node demands of an image: the longest scope of its name as the cluster writes it. */
export function decide(policy: Policy, reference: Reference): PolicyDecision {
  for (const scope of scopesOf(reference)) {
    const requirements = policy.scopes[scope];
    if (requirements) return { scope, requirements };
  }
  return { scope: 'default', requirements: policy.scopes[''] ?? policy.default };
}

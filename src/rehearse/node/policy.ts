import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import type { Reference } from '../../oci/reference.ts';

const identity = z.looseObject({
  type: z.string(),
  dockerRepository: z.string().optional(),
  dockerReference: z.string().optional(),
  prefix: z.string().optional(),
  signedPrefix: z.string().optional(),
});
const requirement = z.looseObject({
  type: z.string(),
  keyPath: z.string().optional(),
  keyData: z.string().optional(),
  signedIdentity: identity.optional(),
});
const schema = z.looseObject({
  default: z.array(requirement),
  transports: z
    .looseObject({ docker: z.record(z.string(), z.array(requirement)).optional() })
    .optional(),
});

/** One thing that must be true of an image before a node takes it. */
export type Requirement = z.infer<typeof requirement>;
export type SignedIdentity = z.infer<typeof identity>;

/** `policy.json` of a node, and the file it came from. */
export interface Policy {
  readonly file: string;
  readonly default: readonly Requirement[];
  readonly scopes: Readonly<Record<string, readonly Requirement[]>>;
}

export interface PolicyDecision {
  /** The scope that decided; `default` where none did. */
  readonly scope: string;
  readonly requirements: readonly Requirement[];
}

export function parsePolicy(text: string, file: string): Policy {
  const parsed = schema.safeParse(jsonOf(text));
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
  const labels = registry.split('.');
  const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [...exact, ...parents, registry, ...wildcards];
}

/** Whether an image signed as `signed` may stand for `reference`. */
export function acceptsIdentity(
  { type, ...rule }: SignedIdentity,
  reference: Reference,
  signed: string,
): boolean {
  const name = `${reference.registry}/${reference.repository}`;
  const repository = signed.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  const full = `${name}:${reference.tag ?? 'latest'}`;
  switch (type) {
    case 'exactRepository':
      return repository === rule.dockerRepository;
    case 'exactReference':
      return signed === rule.dockerReference;
    case 'matchExact':
      return reference.digest === undefined && signed === full;
    case 'remapIdentity':
      return repository === remapped(name, rule.prefix ?? '', rule.signedPrefix ?? '');
    case 'matchRepository':
      return repository === name;
    default:
      return reference.digest === undefined ? signed === full : repository === name;
  }
}

function remapped(name: string, prefix: string, signedPrefix: string): string {
  const below = name === prefix || name.startsWith(`${prefix}/`);
  return below ? signedPrefix + name.slice(prefix.length) : name;
}

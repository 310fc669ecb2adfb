import * as z from 'zod';
import { AtollError } from '../core/errors.ts';
import { readYaml } from '../core/yaml.ts';
import type { MirrorRule } from './mirror-rule.ts';
import {
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  type MirrorSet,
} from './mirror-sets.ts';

const policy = z.enum(['NeverContactSource', 'AllowContactingSource']);
const entries = z.array(
  z.object({
    source: z.string(),
    mirrors: z.array(z.string()).default([]),
    mirrorSourcePolicy: policy.optional(),
  }),
);
const metadata = z.object({ name: z.string().min(1) });
const digestSet = z.object({
  kind: z.literal('ImageDigestMirrorSet'),
  metadata,
  spec: z.object({ imageDigestMirrors: entries }),
});
const tagSet = z.object({
  kind: z.literal('ImageTagMirrorSet'),
  metadata,
  spec: z.object({ imageTagMirrors: entries }),
});
const contentPolicy = z.object({
  kind: z.literal('ImageContentSourcePolicy'),
  metadata,
  spec: z.object({ repositoryDigestMirrors: entries }),
});
const anySet = z.discriminatedUnion('kind', [digestSet, tagSet, contentPolicy]);

/** A mirror set of any of the three kinds, reduced to what it says. */
export interface NamedRules {
  readonly name: string;
  readonly pulls: 'digest' | 'tag';
  readonly rules: readonly MirrorRule[];
}

/** Reads IDMS, ITMS and ICSP objects, single or as a List; other kinds are an error. */
export function readMirrorSets(text: string, subject: string): NamedRules[] {
  return readYaml(text, subject)
    .flatMap(itemsOf)
    .map((object) => readOne(object, subject));
}

/** One object as a mirror set, or undefined where it is none. */
export function readMirrorSet(object: unknown): NamedRules | undefined {
  const { data } = anySet.safeParse(object);
  return data && namedRules(data);
}

export interface Migration {
  readonly objects: readonly MirrorSet[];
  /** What the target form cannot say. */
  readonly warnings: readonly string[];
}

/** Turns mirror sets of any kind into those of today, or back into ICSP for releases before 4.13. */
export function migrateMirrorSets(sets: readonly NamedRules[], to: 'idms' | 'icsp'): Migration {
  if (to === 'idms') {
    const objects = sets.map(({ name, pulls, rules }) =>
      pulls === 'tag' ? imageTagMirrorSet(name, rules) : imageDigestMirrorSet(name, rules),
    );
    return { objects, warnings: [] };
  }
  const digest = sets.filter(({ pulls }) => pulls === 'digest');
  return {
    objects: digest.map(({ name, rules }) => imageContentSourcePolicy(name, rules)),
    warnings: sets.flatMap(lostInContentPolicy),
  };
}

function lostInContentPolicy({ name, pulls, rules }: NamedRules): string[] {
  if (pulls === 'tag') return [`"${name}" is left out: ICSP has no rules for tags`];
  return rules
    .filter((rule) => rule.policy === 'NeverContactSource')
    .map(
      ({ source }) => `"${name}" loses NeverContactSource of "${source}": ICSP always allows it`,
    );
}

function itemsOf(document: unknown): unknown[] {
  const list = document as { kind?: unknown; items?: unknown };
  const isList = typeof list.kind === 'string' && list.kind.endsWith('List');
  return isList && Array.isArray(list.items) ? list.items : [document];
}

function readOne(object: unknown, subject: string): NamedRules {
  const parsed = anySet.safeParse(object);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') || 'document';
    throw new AtollError('INPUT_INVALID', `Cannot read ${subject}: ${field}: ${issue?.message}`, {
      hint: 'It must hold ImageDigestMirrorSet, ImageTagMirrorSet or ImageContentSourcePolicy objects',
    });
  }
  return namedRules(parsed.data);
}

function namedRules(set: z.infer<typeof anySet>): NamedRules {
  const { name } = set.metadata;
  switch (set.kind) {
    case 'ImageTagMirrorSet':
      return { name, pulls: 'tag', rules: set.spec.imageTagMirrors.map(toRule) };
    case 'ImageDigestMirrorSet':
      return { name, pulls: 'digest', rules: set.spec.imageDigestMirrors.map(toRule) };
    case 'ImageContentSourcePolicy':
      return { name, pulls: 'digest', rules: set.spec.repositoryDigestMirrors.map(toRule) };
  }
}

function toRule(entry: z.infer<typeof entries>[number]): MirrorRule {
  const { source, mirrors, mirrorSourcePolicy } = entry;
  return { source, mirrors, ...(mirrorSourcePolicy ? { policy: mirrorSourcePolicy } : {}) };
}

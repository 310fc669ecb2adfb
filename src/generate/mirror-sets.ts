import { AtollError } from '../core/errors.ts';
import { objectName } from './dns-name.ts';
import { type MirrorRule, normalizeRules, type SourcePolicy } from './mirror-rule.ts';

interface MirrorEntry {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly mirrorSourcePolicy?: SourcePolicy;
}

interface Metadata {
  readonly name: string;
}

export interface ImageDigestMirrorSet {
  readonly apiVersion: 'config.openshift.io/v1';
  readonly kind: 'ImageDigestMirrorSet';
  readonly metadata: Metadata;
  readonly spec: { readonly imageDigestMirrors: readonly MirrorEntry[] };
}

export interface ImageTagMirrorSet {
  readonly apiVersion: 'config.openshift.io/v1';
  readonly kind: 'ImageTagMirrorSet';
  readonly metadata: Metadata;
  readonly spec: { readonly imageTagMirrors: readonly MirrorEntry[] };
}

export interface ImageContentSourcePolicy {
  readonly apiVersion: 'operator.openshift.io/v1alpha1';
  readonly kind: 'ImageContentSourcePolicy';
  readonly metadata: Metadata;
  readonly spec: {
    readonly repositoryDigestMirrors: readonly Omit<MirrorEntry, 'mirrorSourcePolicy'>[];
  };
}

export type MirrorSet = ImageDigestMirrorSet | ImageTagMirrorSet | ImageContentSourcePolicy;

/** Tells the cluster (4.13 and later) where to pull digests from. */
export function imageDigestMirrorSet(
  name: string,
  rules: readonly MirrorRule[],
): ImageDigestMirrorSet {
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ImageDigestMirrorSet',
    metadata: { name: objectName('a mirror set', name) },
    spec: { imageDigestMirrors: entriesOf(rules) },
  };
}

/** Tells the cluster (4.13 and later) where to pull tags from. */
export function imageTagMirrorSet(name: string, rules: readonly MirrorRule[]): ImageTagMirrorSet {
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ImageTagMirrorSet',
    metadata: { name: objectName('a mirror set', name) },
    spec: { imageTagMirrors: entriesOf(rules) },
  };
}

/** The older form of a digest mirror set. It knows no source policy: the source is always tried last. */
export function imageContentSourcePolicy(
  name: string,
  rules: readonly MirrorRule[],
): ImageContentSourcePolicy {
  return {
    apiVersion: 'operator.openshift.io/v1alpha1',
    kind: 'ImageContentSourcePolicy',
    metadata: { name: objectName('a mirror set', name) },
    spec: {
      repositoryDigestMirrors: rulesOf(rules).map(({ source, mirrors }) => ({
        source,
        mirrors,
      })),
    },
  };
}

function entriesOf(rules: readonly MirrorRule[]): MirrorEntry[] {
  return rulesOf(rules).map(({ source, mirrors, policy }) => ({
    source,
    mirrors,
    ...(policy ? { mirrorSourcePolicy: policy } : {}),
  }));
}

/** Nodes can pull from an IPv6 address, but the objects of a cluster cannot say it. */
function rulesOf(rules: readonly MirrorRule[]): MirrorRule[] {
  const all = normalizeRules(rules);
  const bad = all
    .flatMap(({ source, mirrors }) => [source, ...mirrors])
    .find((one) => one[0] === '[');
  if (bad === undefined) return all;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use "${bad}" in a mirror set: it is an IPv6 address`,
    {
      hint: 'Give the mirror a name, in DNS or with "atoll render hosts"',
    },
  );
}

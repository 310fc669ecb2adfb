import { AtollError } from '../core/errors.ts';
import { clusterObject } from './cluster-object.ts';
import { objectName } from './dns-name.ts';
import { type MirrorRule, normalizeRules, type SourcePolicy } from './mirror-rule.ts';

interface MirrorEntry {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly mirrorSourcePolicy?: SourcePolicy;
}

const CONFIG = 'config.openshift.io/v1';
const metadataOf = (name: string) => ({ name: objectName('a mirror set', name) });

/** Tells the cluster (4.13 and later) where to pull digests from. */
export function imageDigestMirrorSet(name: string, rules: readonly MirrorRule[]) {
  const spec = { imageDigestMirrors: entriesOf(rules) };
  return clusterObject(CONFIG, 'ImageDigestMirrorSet', metadataOf(name), spec);
}

/** Tells the cluster (4.13 and later) where to pull tags from. */
export function imageTagMirrorSet(name: string, rules: readonly MirrorRule[]) {
  const spec = { imageTagMirrors: entriesOf(rules) };
  return clusterObject(CONFIG, 'ImageTagMirrorSet', metadataOf(name), spec);
}

/** The older form of a digest mirror set. It knows no source policy: the source is always tried last. */
export function imageContentSourcePolicy(name: string, rules: readonly MirrorRule[]) {
  const version = 'operator.openshift.io/v1alpha1';
  const repositoryDigestMirrors = rulesOf(rules).map(({ source, mirrors }) => ({
    source,
    mirrors,
  }));
  const spec = { repositoryDigestMirrors };
  return clusterObject(version, 'ImageContentSourcePolicy', metadataOf(name), spec);
}

export type MirrorSet = ReturnType<
  typeof imageDigestMirrorSet | typeof imageTagMirrorSet | typeof imageContentSourcePolicy
>;

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

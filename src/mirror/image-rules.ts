import type { ContentImage } from '../content/content-image.ts';
import { type MirrorRule, normalizeRules } from '../generate/mirror-rule.ts';
import type { Reference } from '../oci/reference.ts';
import type { Need } from './need.ts';

/** An image that is in the mirror, and where. */
export interface MirroredImage {
  readonly image: ContentImage;
  readonly target: Reference;
  /** What needs it; by default what the image itself says. */
  readonly neededBy?: readonly Need[] | undefined;
  /** A CatalogSource that the one for this catalog is made from. */
  readonly catalogTemplate?: Readonly<Record<string, unknown>> | undefined;
}

/** Registry of images that came from a folder and have no name upstream. */
export const FROM_FOLDER = 'localhost';

export type RuleGroup = 'release' | 'operator' | 'generic';

/** Rules by what they are for: one object in the cluster each. */
export type GroupedRules = Readonly<Record<RuleGroup, readonly MirrorRule[]>>;

/** What nodes pull by digest, and what they pull by tag: two kinds of mirror sets. */
export interface ImageRules {
  readonly byDigest: GroupedRules;
  readonly byTag: GroupedRules;
}

const GROUPS: Readonly<Record<ContentImage['kind'], RuleGroup | undefined>> = {
  release: 'release',
  component: 'release',
  kubevirt: 'release',
  bundle: 'operator',
  related: 'operator',
  additional: 'generic',
  helm: 'generic',
  // Named by their place in the mirror, never through a rule.
  catalog: undefined,
  graph: undefined,
  file: undefined,
};

/** The rules that lead from every upstream name to its place in the mirror. */
export function imageRules(images: readonly MirroredImage[]): ImageRules {
  const byDigest: Record<RuleGroup, MirrorRule[]> = { release: [], operator: [], generic: [] };
  const byTag: Record<RuleGroup, MirrorRule[]> = { release: [], operator: [], generic: [] };
  // The name that stands for "from a folder" is never pulled from.
  const pulled = images.filter(({ image }) => image.source.registry !== FROM_FOLDER);
  const sources = new Set(
    pulled.filter(({ image }) => GROUPS[image.kind]).map((each) => ruleFor(each).source),
  );
  for (const mirrored of pulled) {
    const group = GROUPS[mirrored.image.kind];
    if (!group) continue;
    const rules = rulesFor(mirrored, sources);
    const { tag, digest } = mirrored.image.source;
    // Clusters refer to their release and its components by digest, whatever the tag says.
    if (group === 'release' || digest) byDigest[group].push(...rules);
    // A name with both is pulled by either; people pull a release by its tag, though nodes do not.
    const byName = group === 'release' ? mirrored.image.kind === 'release' : tag || !digest;
    if (byName) byTag[group].push(...rules);
  }
  return { byDigest: normalized(byDigest), byTag: normalized(byTag) };
}

/**
 * Nodes follow the longest rule alone, be it for digests or for tags. So where another image makes a
 * rule for just this repository, this image needs one there, too: that of its namespace is not asked.
 */
function rulesFor(mirrored: MirroredImage, sources: ReadonlySet<string>): MirrorRule[] {
  const rule = ruleFor(mirrored);
  const own = repositoryRule(mirrored);
  return rule.source !== own.source && sources.has(own.source) ? [rule, own] : [rule];
}

function repositoryRule({ image, target }: MirroredImage): MirrorRule {
  return {
    source: `${image.source.registry}/${image.source.repository}`,
    mirrors: [`${target.registry}/${target.repository}`],
  };
}

function normalized(rules: Record<RuleGroup, MirrorRule[]>): GroupedRules {
  return {
    release: normalizeRules(rules.release),
    operator: normalizeRules(rules.operator),
    generic: normalizeRules(rules.generic),
  };
}

/**
 * A rule for the namespace where the mirror keeps the same path, else for the repository alone.
 * A repository at the root of its registry gets a rule of its own: a rule for a whole registry
 * would send everything else there to the mirror, too.
 */
function ruleFor(mirrored: MirroredImage): MirrorRule {
  const own = repositoryRule(mirrored);
  const { source } = mirrored.image;
  const { repository } = mirrored.target;
  const samePath = repository === source.repository || repository.endsWith(`/${source.repository}`);
  if (!samePath || !source.repository.includes('/')) return own;
  return { source: parentOf(own.source), mirrors: own.mirrors.map(parentOf) };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

import type { ContentImage } from '../content/content-image.ts';
import { type MirrorRule, normalizeRules } from '../generate/mirror-rule.ts';
import type { Reference } from '../oci/reference.ts';

/** An image that is in the mirror, and where. */
export interface MirroredImage {
  readonly image: ContentImage;
  readonly target: Reference;
  /** Who needs it; by default what the image itself says. */
  readonly neededBy?: readonly string[] | undefined;
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
};

/** The rules that lead from every upstream name to its place in the mirror. */
export function imageRules(images: readonly MirroredImage[]): ImageRules {
  const byDigest: Record<RuleGroup, MirrorRule[]> = { release: [], operator: [], generic: [] };
  const byTag: Record<RuleGroup, MirrorRule[]> = { release: [], operator: [], generic: [] };
  for (const mirrored of images) {
    const group = GROUPS[mirrored.image.kind];
    // Nobody pulls from the name that stands for "from a folder".
    if (!group || mirrored.image.source.registry === FROM_FOLDER) continue;
    const rule = ruleFor(mirrored);
    const { tag, digest } = mirrored.image.source;
    // Clusters refer to their release and its components by digest, whatever the tag says.
    if (group === 'release' || digest) byDigest[group].push(rule);
    // A name with both is pulled by either.
    if (group !== 'release' && (tag || !digest)) byTag[group].push(rule);
  }
  return { byDigest: normalized(byDigest), byTag: normalized(byTag) };
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
function ruleFor({ image, target }: MirroredImage): MirrorRule {
  const source = `${image.source.registry}/${image.source.repository}`;
  const mirror = `${target.registry}/${target.repository}`;
  const samePath =
    target.repository === image.source.repository ||
    target.repository.endsWith(`/${image.source.repository}`);
  const namespaced = image.source.repository.includes('/');
  if (!samePath || !namespaced) return { source, mirrors: [mirror] };
  return { source: parentOf(source), mirrors: [parentOf(mirror)] };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

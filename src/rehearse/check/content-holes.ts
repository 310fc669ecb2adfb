import type { Digest } from '../../oci/digest.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { copyCommand, syncCommand } from './commands.ts';
import type { Hole } from './hole.ts';

/** An image, the place in the mirror where nodes look for it, and the rule that leads there. */
export interface Lookup {
  readonly image: WantedImage;
  readonly target: Reference;
  readonly rule: string;
  /** Image set to name in commands. */
  readonly imageSet: string;
}

/** The mirror answered that it has no such image. */
export function missingManifest(lookup: Lookup, child?: Digest): Hole {
  const { image, target } = lookup;
  const what = child ? `${formatReference(target)} names ${child}, which is not there` : undefined;
  const operand = image.kind === 'related' || image.kind === 'bundle';
  const scope = scopeOf(image);
  return {
    cause: operand ? 'operand-unmirrored' : 'manifest-missing',
    severity: 'hole',
    key: `${target.registry} ${scope}`,
    title: `${target.registry} lacks ${scope}`,
    evidence: what ?? `${formatReference(target)}: manifest unknown`,
    ...common(lookup),
  };
}

function scopeOf({ kind, release, packages }: WantedImage): string {
  if (kind === 'bundle' || kind === 'related')
    return `images of operator ${packages?.join(', ') ?? ''}`;
  if (kind === 'catalog') return 'operator catalogs';
  if (release !== undefined || kind === 'release')
    return `images of release ${release ?? ''}`.trim();
  return 'additional images';
}

/** An index without an image for the nodes' architecture. */
export function missingPlatform(lookup: Lookup, platform: string, evidence: string): Hole {
  return {
    cause: 'platform-missing',
    severity: 'hole',
    key: `${lookup.target.registry} ${platform}`,
    title: `${lookup.target.registry} has images that do not run on ${platform}`,
    evidence,
    ...common(lookup),
  };
}

export function missingLayer(lookup: Lookup, digest: Digest): Hole {
  const { target } = lookup;
  return {
    cause: 'layer-missing',
    severity: 'hole',
    key: `${target.registry} ${digest}`,
    title: `${target.registry} lacks a layer of images it has`,
    evidence: `${target.registry}/${target.repository}: blob ${digest} unknown`,
    ...common(lookup),
  };
}

/** Bytes that are not what their digest says: a manifest or a layer. */
export function damaged(lookup: Lookup, what: 'manifest' | 'layer', evidence: string): Hole {
  const { registry } = lookup.target;
  const { commands, ...rest } = common(lookup);
  return {
    cause: what === 'manifest' ? 'manifest-damaged' : 'layer-damaged',
    severity: 'hole',
    key: `${registry} ${/sha\d+:[0-9a-f]+/.exec(evidence)?.[0] ?? lookup.image.name}`,
    title: `${registry} serves a damaged ${what}`,
    evidence,
    ...rest,
    // A copy would find the damaged one in place and leave it.
    commands: [
      `atoll registry check --repair-from ${lookup.image.reference.registry}`,
      ...commands,
    ],
    bulkCommand: undefined,
  };
}

export function unreadable(lookup: Lookup, evidence: string): Hole {
  return {
    cause: 'content-unreadable',
    severity: 'hole',
    key: lookup.image.name,
    title: `${lookup.image.name} cannot be used as what it should be`,
    evidence,
    ...common(lookup),
  };
}

function common({ image, target, rule, imageSet }: Lookup) {
  return {
    rule,
    image,
    commands: copyCommand(image, target),
    bulkCommand: syncCommand(image, target, imageSet),
  };
}

import type { Digest } from '../../oci/digest.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { copyCommand, syncCommand } from './commands.ts';
import { type Hole, makeHole } from './hole.ts';

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
  const name = formatReference(target);
  const scope = scopeOf(image);
  const isOperand = image.kind === 'related' || image.kind === 'bundle';
  const evidence = child
    ? `${name} names ${child}, which is not there`
    : `${name}: manifest unknown`;
  return makeHole(
    isOperand ? 'operand-unmirrored' : 'manifest-missing',
    { registry: target.registry, scope },
    { key: `${target.registry} ${scope}`, evidence, ...common(lookup) },
  );
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
  const { registry } = lookup.target;
  const seen = { key: `${registry} ${platform}`, evidence, ...common(lookup) };
  return makeHole('platform-missing', { registry, platform }, seen);
}

export function missingLayer(lookup: Lookup, digest: Digest): Hole {
  const { registry, repository } = lookup.target;
  const evidence = `${registry}/${repository}: blob ${digest} unknown`;
  const seen = { key: `${registry} ${digest}`, evidence, ...common(lookup) };
  return makeHole('layer-missing', { registry }, seen);
}

/** Bytes that are not what their digest says: a manifest or a layer. */
export function damaged(lookup: Lookup, what: 'manifest' | 'layer', evidence: string): Hole {
  const { registry } = lookup.target;
  const { commands, ...rest } = common(lookup);
  const digest = /sha\d+:[0-9a-f]+/.exec(evidence)?.[0];
  return makeHole(
    what === 'manifest' ? 'manifest-damaged' : 'layer-damaged',
    { registry },
    {
      ...rest,
      key: `${registry} ${digest ?? lookup.image.name}`,
      evidence,
      // A copy would find the damaged one in place and leave it.
      commands: [
        `atoll registry check --repair-from ${lookup.image.reference.registry}`,
        ...commands,
      ],
      bulkCommand: undefined,
    },
  );
}

export function unreadable(lookup: Lookup, evidence: string): Hole {
  const { name } = lookup.image;
  return makeHole(
    'content-unreadable',
    { image: name },
    { key: name, evidence, ...common(lookup) },
  );
}

function common({ image, target, rule, imageSet }: Lookup) {
  return {
    rule,
    image,
    commands: copyCommand(image, target),
    bulkCommand: syncCommand(image, target, imageSet),
  };
}

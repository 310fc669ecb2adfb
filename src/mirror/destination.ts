import type { ContentImage } from '../content/content-image.ts';
import { AtollError } from '../core/errors.ts';
import { counted } from '../core/format.ts';
import { by } from '../core/order.ts';
import { splitDigest } from '../oci/digest.ts';
import { formatReference, isRepository, type Reference } from '../oci/reference.ts';
import { GRAPH_IMAGE, RELEASE_COMPONENTS, RELEASE_IMAGES } from '../openshift/repositories.ts';

/** Where a mirror keeps its images: a registry, and the path all its repositories start with. */
export interface Destination {
  readonly registry: string;
  /** Without slashes at its ends; empty for the registry's root. */
  readonly prefix: string;
  /** Most path components the registry allows, the prefix included; 0 for no limit. */
  readonly maxNestedPaths: number;
}

const REGISTRY =
  /^(?<registry>(?:\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?)(?::\d{1,5})?)(?:\/(?<prefix>.+?))?\/*$/;

/** Reads `docker://HOST[:PORT][/PATH]`; the scheme may be left out. */
export function parseDestination(text: string, maxNestedPaths = 0): Destination {
  const parts = REGISTRY.exec(text.replace(/^docker:\/\//, ''))?.groups;
  const prefix = parts?.prefix ?? '';
  if (!parts?.registry || (prefix !== '' && !isRepository(prefix))) {
    throw new AtollError('REFERENCE_INVALID', `Cannot mirror to "${text}"`, {
      hint: 'Write it as docker://HOST[:PORT][/PATH], the path in lower case and without a tag',
    });
  }
  const depth = prefix === '' ? 0 : prefix.split('/').length;
  if (maxNestedPaths !== 0 && maxNestedPaths <= depth) {
    throw new AtollError(
      'USAGE',
      `Cannot keep to ${maxNestedPaths} nested paths: "${prefix}" has ${depth} already`,
      {
        hint: `Give at least --max-nested-paths ${depth + 1}, or a shorter path`,
      },
    );
  }
  return { registry: parts.registry, prefix, maxNestedPaths };
}

/** The same for a mirror that clusters will pull from: their objects cannot name an IPv6 address. */
export function parseClusterMirror(text: string, maxNestedPaths?: number): Destination {
  const destination = parseDestination(text, maxNestedPaths);
  if (!destination.registry.startsWith('[')) return destination;
  throw new AtollError('INPUT_INVALID', `Cannot mirror to "${text}": it is an IPv6 address`, {
    hint: 'Mirror sets cannot name one: give the mirror a name, in DNS or with "atoll render hosts"',
  });
}

export function formatDestination({ registry, prefix }: Destination): string {
  return prefix === '' ? registry : `${registry}/${prefix}`;
}

/** Whether a place is in this mirror. */
export function isBelow({ registry, prefix }: Destination, place: Reference): boolean {
  const isInPath = prefix === '' || place.repository.startsWith(`${prefix}/`);
  return place.registry === registry && isInPath;
}

/** A repository of the mirror, within the depth the registry allows. */
export function repositoryAt(destination: Destination, path: string): string {
  const parts = [...destination.prefix.split('/'), ...path.split('/')].filter(
    (part) => part !== '',
  );
  const most = destination.maxNestedPaths;
  if (most === 0 || parts.length <= most) return parts.join('/');
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join('-')].join('/');
}

/** Where an image goes, named as oc-mirror names it. */
export function targetOf(destination: Destination, image: ContentImage): Reference {
  const { path, tag } = placeOf(image);
  return { registry: destination.registry, repository: repositoryAt(destination, path), tag };
}

function placeOf(image: ContentImage): { path: string; tag: string } {
  const release = image.release?.tag ?? image.source.tag ?? digestTag(image);
  switch (image.kind) {
    case 'release':
      return { path: RELEASE_IMAGES, tag: release };
    case 'component':
    case 'kubevirt':
      return {
        path: RELEASE_COMPONENTS,
        tag: `${release}-${image.component ?? 'kube-virt-container'}`,
      };
    case 'graph':
      return { path: GRAPH_IMAGE, tag: 'latest' };
    default:
      return {
        path: image.targetRepository ?? image.source.repository,
        tag: image.targetTag ?? image.source.tag ?? digestTag(image),
      };
  }
}

/** The tag of an image that upstream names by digest alone. */
function digestTag({ source, digest }: ContentImage): string {
  const named = source.digest ?? digest;
  if (!named) return 'latest';
  const { algorithm, hex } = splitDigest(named);
  return `${algorithm}-${hex}`.slice(0, 128);
}

/** Two images that would overwrite each other. */
export interface Collision {
  readonly target: string;
  readonly sources: readonly string[];
}

interface Named {
  readonly image: ContentImage;
  readonly target: Reference;
}

/** Targets that different images claim. The mirror drops the source's host, so this happens. */
export function findCollisions(named: readonly Named[]): Collision[] {
  const byTarget = new Map<string, Map<string, string>>();
  for (const { image, target } of named) {
    const source = formatReference(image.source);
    const key = formatReference(target);
    const claims = byTarget.get(key) ?? new Map<string, string>();
    // The same content under two names is no collision.
    claims.set(image.digest ?? image.source.digest ?? source, source);
    byTarget.set(key, claims);
  }
  return [...byTarget]
    .filter(([, claims]) => claims.size > 1)
    .map(([target, claims]) => ({ target, sources: [...claims.values()].toSorted() }))
    .toSorted(by(({ target }) => target));
}

/** Refuses a mapping in which one image would silently replace another. */
export function refuseCollisions(collisions: readonly Collision[]): void {
  if (collisions.length === 0) return;
  const shown = collisions.map(({ target, sources }) => `${target} <- ${sources.join(', ')}`);
  throw new AtollError(
    'TARGETS_COLLIDE',
    `Cannot mirror: ${counted(collisions.length, 'target name')} would hold different images\n  ${shown.join('\n  ')}`,
    {
      hint: 'Give one of each a targetRepo (targetCatalog) or targetTag of its own; nothing was copied',
    },
  );
}

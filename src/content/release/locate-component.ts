import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import { RELEASE_COMPONENTS, RELEASE_IMAGES } from '../../openshift/repositories.ts';
import type { OpenRelease, PlacedSource } from './open-release.ts';
import type { Component } from './payload/image-references.ts';

/** How other images than the release are reached. */
export interface ComponentReach {
  /** Through `registries.conf`. */
  readonly source: (reference: Reference) => PlacedSource;
  /** Exactly this repository. */
  readonly repository: (registry: string, repository: string) => PlacedSource;
}

export interface LocatedComponent {
  readonly source: PlacedSource;
  readonly descriptor: Descriptor;
  /** `host/repository` that has it; undefined in a folder. */
  readonly repository: string | undefined;
}

/**
 * Finds a component image. A release read from a mirror has its components there too: in the same
 * repository (`oc adm release mirror`), or in `…/release` beside `…/release-images` (oc-mirror). Else, and
 * for upstream names, they are read as a node reads them: through `registries.conf`.
 */
export async function locateComponent(
  ctx: Context,
  release: OpenRelease,
  component: Component,
  reach: ComponentReach,
): Promise<LocatedComponent> {
  const beside = await locateBeside(ctx, release, component, reach);
  return beside ?? (await locateByName(ctx, component, reach));
}

/** Where the release itself is: a folder, or the repositories of its mirror. */
export async function locateBeside(
  ctx: Context,
  { place }: OpenRelease,
  { image }: Component,
  reach: ComponentReach,
): Promise<LocatedComponent | undefined> {
  const { reference, source } = place;
  // A folder holds everything under its digest, whatever its name.
  if (!('endpoint' in source)) return await locateAt(ctx, source, image.digest, undefined);
  if (!reference || reference.registry === image.registry) return undefined;
  for (const repository of neighboursOf(reference.repository)) {
    const neighbour = reach.repository(reference.registry, repository);
    const name = `${reference.registry}/${repository}`;
    const found = await locateAt(ctx, neighbour, image.digest, name);
    if (found) return found;
  }
  return undefined;
}

/** Where its own name leads, mirrors of `registries.conf` included. */
export async function locateByName(
  ctx: Context,
  component: Component,
  reach: ComponentReach,
): Promise<LocatedComponent> {
  const source = reach.source(component.image);
  const found = await locateAt(ctx, source, component.image.digest, undefined);
  if (found) return { ...found, repository: source.endpoint };
  throw new AtollError(
    'IMAGE_UNKNOWN',
    `Cannot find component "${component.name}" (${formatReference(component.image)})`,
    { hint: 'Mirror the whole release, or give the mirrors with --registries-conf FILE' },
  );
}

/** Where components are beside a release image: in a repository of their own, or in its own. */
function neighboursOf(repository: string): string[] {
  const isUsual = repository.endsWith(tailOf(RELEASE_IMAGES));
  const folder = repository.slice(0, -tailOf(RELEASE_IMAGES).length);
  return isUsual ? [folder + tailOf(RELEASE_COMPONENTS), repository] : [repository];
}

const tailOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const ABSENT = new Set<string>(['IMAGE_UNKNOWN', 'REGISTRY_DENIED', 'REGISTRY_BLOCKED']);

/** Absent here may be present elsewhere; a registry that is down is an error. */
async function locateAt(
  ctx: Context,
  source: PlacedSource,
  digest: string,
  repository: string | undefined,
): Promise<LocatedComponent | undefined> {
  try {
    const descriptor = await source.resolve(ctx, digest);
    return descriptor && { source, descriptor, repository };
  } catch (error) {
    if (error instanceof AtollError && ABSENT.has(error.code)) return undefined;
    throw error;
  }
}

/** Where a component is, in the ways people write it. */
export interface ComponentNames {
  readonly name: string;
  /** As the payload names it. */
  readonly image: string;
  /** On the mirror, where the release came from one. */
  readonly mirror: string | undefined;
  readonly mirrorTag: string | undefined;
}

/** The names of a component: upstream's always, the mirror's when the release was read from one. */
export async function nameComponent(
  ctx: Context,
  release: OpenRelease,
  component: Component,
  reach: ComponentReach,
): Promise<ComponentNames> {
  const upstream = { name: component.name, image: formatReference(component.image) };
  if (!isMirrored(release, component)) {
    return { ...upstream, mirror: undefined, mirrorTag: undefined };
  }
  const { descriptor, repository } = await locateComponent(ctx, release, component, reach);
  const tag = `${release.payload.tag}-${component.name}`;
  const isTagged = repository && (await hasTag(ctx, repository, tag, descriptor, reach));
  return {
    ...upstream,
    mirror: repository && `${repository}@${descriptor.digest}`,
    mirrorTag: isTagged ? `${repository}:${tag}` : undefined,
  };
}

/** Asked of the mirror itself: registries.conf may allow only digests to be read from it. */
async function hasTag(
  ctx: Context,
  place: string,
  tag: string,
  { digest }: Descriptor,
  reach: ComponentReach,
): Promise<boolean> {
  const slash = place.indexOf('/');
  const repository = reach.repository(place.slice(0, slash), place.slice(slash + 1));
  const tagged = await repository.resolve(ctx, tag).catch(() => undefined);
  return tagged?.digest === digest;
}

function isMirrored({ place }: OpenRelease, { image }: Component): boolean {
  const { reference, source } = place;
  if (!reference || !('endpoint' in source)) return false;
  if (reference.registry !== image.registry) return true;
  return source.endpoint !== `${reference.registry}/${reference.repository}`;
}

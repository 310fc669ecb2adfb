import { collectOperators } from '../../../content/catalog/collect-operators.ts';
import type { ContentImage } from '../../../content/content-image.ts';
import type { AdditionalImage, ImageSet } from '../../../content/image-set/image-set.ts';
import { readPayload } from '../../../content/release/payload/payload.ts';
import type { Context } from '../../../core/context.ts';
import { messageOf } from '../../../core/errors.ts';
import { formatReference, parseReference, type Reference } from '../../../oci/reference.ts';
import {
  componentRepositories,
  RELEASE_COMPONENTS,
  RELEASE_REPOSITORY,
} from '../../../openshift/repositories.ts';
import type { OcArchive } from '../../bundle/oc-archive/oc-archive.ts';
import {
  type ArchivedCatalog,
  FILTERED_CATALOG,
  type FilteredCatalog,
  filteredPlaces,
  fullCatalogs,
  isFiltered,
  type NamedImage,
  replacedBy,
} from './archive-catalogs.ts';
import { chartImages } from './archive-charts.ts';
import { isRelease, type Origin, type Origins, originKey } from './archive-images.ts';

/** The archives, and every name in them: also of images whose content earlier archives have. */
export interface NamedArchive {
  readonly archive: OcArchive;
  readonly all: readonly NamedImage[];
  readonly here: readonly NamedImage[];
  readonly set: ImageSet | undefined;
}

export interface ArchiveOrigins {
  readonly origins: Origins;
  /** Catalogs, with the tags that clusters know. */
  readonly places: ReadonlyMap<NamedImage, ArchivedCatalog>;
  /** Catalogs that others were made from: they are not what the mirror is to have. */
  readonly isReplaced: (image: NamedImage) => boolean;
}

/** oc-mirror drops the registry from every name; releases, catalogs, charts and the configuration know it. */
export async function archiveOrigins(ctx: Context, named: NamedArchive): Promise<ArchiveOrigins> {
  const { archive, all, here, set } = named;
  const found = new Map<string, Origin>();
  const add = (image: ContentImage) => addFound(found, all, image);
  for (const image of additionalOf(set)) add(image);
  for (const image of here.filter(isRelease))
    await orWarn(ctx, image, () => addRelease(ctx, named, image, found));
  const full = fullCatalogs(here, set);
  const packages = new Map<NamedImage, readonly string[]>();
  for (const image of [...here.filter(isFiltered), ...full.keys()])
    await orWarn(ctx, image, async () => {
      packages.set(image, await addOperators(ctx, archive, image, add));
    });
  for (const image of await chartImages(ctx, archive, set)) add(image);
  const filtered = here
    .filter(isFiltered)
    .map((image) => filteredOf(archive, image, packages.get(image) ?? []));
  const places = new Map([...full, ...filteredPlaces(filtered, all, set)]);
  return { origins: found, places, isReplaced: replacedBy(filtered, places) };
}

/** By digest, which is what the archive knows; a name by tag is looked up in it. */
function addFound(
  found: Map<string, Origin>,
  all: readonly NamedImage[],
  image: ContentImage,
): void {
  const { source, targetRepository: repository = source.repository } = image;
  const tag = image.targetTag ?? source.tag;
  const digest =
    source.digest ?? all.find((each) => each.repository === repository && each.tag === tag)?.digest;
  if (digest) found.set(originKey({ repository, digest }), image);
}

/** Images of `additionalImages`, where oc-mirror put them. */
export function additionalOf(set: ImageSet | undefined): ContentImage[] {
  return (set?.additionalImages ?? []).flatMap((wanted: AdditionalImage) => {
    if (wanted.origin.kind !== 'registry') return [];
    const { reference } = wanted.origin;
    const { targetRepo, targetTag, name } = wanted;
    return [
      {
        kind: 'additional' as const,
        source: reference,
        digest: reference.digest,
        reason: `listed as ${name}`,
        ...(targetRepo ? { targetRepository: targetRepo } : {}),
        ...(targetTag ? { targetTag } : {}),
      },
    ];
  });
}

async function addRelease(
  ctx: Context,
  { archive, set }: NamedArchive,
  image: NamedImage,
  found: Map<string, Origin>,
): Promise<void> {
  const source = archive.repository(image.repository);
  const descriptor = await source.resolve(ctx, image.digest);
  if (!descriptor) return;
  const { components, tag, version } = await readPayload(ctx, source, descriptor);
  const own = releaseName(set, components[0]?.image);
  found.set(originKey(image), { kind: 'release', source: { ...own, digest: image.digest } });
  for (const { image: component, name } of components)
    found.set(originKey({ repository: RELEASE_COMPONENTS, digest: component.digest }), {
      kind: 'component',
      source: component,
      release: { version, tag },
      component: name,
    });
}

/** Red Hat's components lie beside its releases; others are named in the configuration. */
function releaseName(set: ImageSet | undefined, component: Reference | undefined): Reference {
  const { registry, repository } = set?.platform?.release ?? parseReference(RELEASE_REPOSITORY);
  const redHat = componentRepositories().map((name) => parseReference(name).repository);
  return component && redHat.includes(component.repository)
    ? { registry: component.registry, repository: parseReference(RELEASE_REPOSITORY).repository }
    : { registry, repository };
}

/** Reads a catalog: its bundles name every image with its registry. Returns its packages. */
async function addOperators(
  ctx: Context,
  archive: OcArchive,
  image: NamedImage,
  add: (image: ContentImage) => void,
): Promise<readonly string[]> {
  const reference = { registry: 'localhost', repository: image.repository, digest: image.digest };
  const wanted = {
    catalog: formatReference(reference),
    origin: { kind: 'registry', reference },
    packages: [],
    full: true,
    targetCatalog: undefined,
    targetTag: undefined,
    targetCatalogSourceTemplate: undefined,
    skipDependencies: true,
    platforms: undefined,
  } as const;
  const quiet = { ...ctx, emit: () => undefined };
  const { images } = await collectOperators(
    quiet,
    { operators: [wanted] },
    { source: () => archive.repository(image.repository) },
  );
  for (const { kind, source, packages, bundles, reason } of images)
    if (kind !== 'catalog') add({ kind, source, packages, bundles, reason });
  return images.find(({ kind }) => kind === 'catalog')?.packages ?? [];
}

function filteredOf(
  archive: OcArchive,
  image: NamedImage,
  packages: readonly string[],
): FilteredCatalog {
  const made = archive
    .files(FILTERED_CATALOG)
    .map(([path]) => FILTERED_CATALOG.exec(path)?.groups)
    .find((groups) => groups?.filter === image.tag);
  return { image, original: made?.original, packages };
}

async function orWarn(ctx: Context, image: NamedImage, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    ctx.signal.throwIfAborted();
    ctx.emit({
      type: 'warning.raised',
      subject: `${image.repository}:${image.tag}`,
      message: `Where its images came from is not known: ${messageOf(error)}`,
    });
  }
}

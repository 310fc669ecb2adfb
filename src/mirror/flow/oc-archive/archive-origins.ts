import { collectOperators } from '../../../content/catalog/collect-operators.ts';
import type { ImageSet } from '../../../content/image-set/image-set.ts';
import { readPayload } from '../../../content/release/payload/payload.ts';
import type { Context } from '../../../core/context.ts';
import { messageOf } from '../../../core/errors.ts';
import { formatReference, parseReference, type Reference } from '../../../oci/reference.ts';
import { componentRepositories, RELEASE_REPOSITORY } from '../../../openshift/repositories.ts';
import type { OcArchive } from '../../bundle/oc-archive/oc-archive.ts';
import { RELEASE_COMPONENTS } from '../../destination.ts';
import { isCatalog, isRelease, type NamedImage, type Origins } from './archive-images.ts';

type Found = Map<string, Origins extends ReadonlyMap<string, infer V> ? V : never>;

/** oc-mirror drops the registry from every name; releases, catalogs and the configuration know it. */
export async function archiveOrigins(
  ctx: Context,
  archive: OcArchive,
  named: readonly NamedImage[],
  set: ImageSet | undefined,
): Promise<Origins> {
  const found: Found = new Map();
  for (const { origin } of set?.additionalImages ?? []) {
    if (origin.kind !== 'registry') continue;
    const { reference } = origin;
    const image = named.find(
      ({ repository, tag }) => repository === reference.repository && tag === reference.tag,
    );
    if (image) found.set(keyOf(image), { kind: 'additional', source: reference });
  }
  for (const image of named.filter(isRelease))
    await orWarn(ctx, image, () => addRelease(ctx, archive, image, set, found));
  for (const image of named.filter(isCatalog))
    await orWarn(ctx, image, () => addOperators(ctx, archive, image, found));
  return found;
}

const keyOf = ({ repository, digest }: NamedImage) => `${repository}@${digest}`;

async function addRelease(
  ctx: Context,
  archive: OcArchive,
  image: NamedImage,
  set: ImageSet | undefined,
  found: Found,
): Promise<void> {
  const source = archive.repository(image.repository);
  const descriptor = await source.resolve(ctx, image.digest);
  if (!descriptor) return;
  const { components } = await readPayload(ctx, source, descriptor);
  const own = releaseName(set, components[0]?.image);
  found.set(keyOf(image), { kind: 'release', source: { ...own, digest: image.digest } });
  for (const { image: component } of components)
    found.set(`${RELEASE_COMPONENTS}@${component.digest}`, {
      kind: 'component',
      source: component,
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

/** Reads the rebuilt catalog: its bundles name every image with its registry. */
async function addOperators(
  ctx: Context,
  archive: OcArchive,
  image: NamedImage,
  found: Found,
): Promise<void> {
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
  for (const { kind, source, packages, bundles } of images) {
    if (kind !== 'catalog' && source.digest)
      found.set(`${source.repository}@${source.digest}`, { kind, source, packages, bundles });
  }
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

import { basename } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type ImageManifest, isImage, type RawManifest } from '../../oci/manifest.ts';
import { formatReference, type Reference, tagOrDigestOf } from '../../oci/reference.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import { layoutRoot, layoutSource } from '../../store/layout/source.ts';
import type { CollectDeps } from '../collecting.ts';
import type { CatalogOrigin } from '../image-set/image-set.ts';
import { ANY_PLATFORM, chooseImage } from '../layers/choose-image.ts';
import { type ImageConfig, readConfig } from '../layers/image-config.ts';
import { normalPath } from '../layers/layer-path.ts';

/** Says where in the image the file-based catalog is. */
export const CONFIGS_LABEL = 'operators.operatorframework.io.index.configs.v1';
const DATABASE_LABEL = 'operators.operatorframework.io.index.database.v1';

/** Where a catalog image is. */
export interface CatalogPlace {
  readonly source: Source;
  /** What the tag or the digest stands for: an image or an index. */
  readonly root: Descriptor;
  /** How upstream calls it; a layout has only the name of its folder. */
  readonly reference: Reference;
  readonly isLayout: boolean;
}

/** A catalog image that can be read: one platform of it, since what it says is the same in all. */
export interface OpenCatalog extends CatalogPlace {
  readonly image: RawManifest;
  readonly config: ImageConfig;
  /** Folder of the catalog, without leading slash. */
  readonly configs: string;
}

/** Finds the image that an image set names. */
export async function findCatalog(
  ctx: Context,
  origin: CatalogOrigin,
  deps: Pick<CollectDeps, 'source'>,
): Promise<CatalogPlace> {
  if (origin.kind === 'layout') return await inLayout(ctx, origin.path);
  const { reference } = origin;
  const source = deps.source(reference);
  const root = await source.resolve(ctx, tagOrDigestOf(reference));
  if (root) return { source, root, reference, isLayout: false };
  throw new AtollError('IMAGE_UNKNOWN', `Cannot find catalog ${formatReference(reference)}`, {
    hint: 'Check the name and the tag, and the mirrors in registries.conf',
  });
}

async function inLayout(ctx: Context, path: string): Promise<CatalogPlace> {
  const store = await openDiskStore(path, { create: false });
  const root = await layoutRoot(ctx, store);
  const repository = basename(path).toLowerCase();
  return {
    source: layoutSource(store),
    root,
    reference: { registry: 'localhost', repository, digest: root.digest },
    isLayout: true,
  };
}

/** Opens a catalog image for reading; an image that is no file-based catalog is an error. */
export async function openCatalog(ctx: Context, place: CatalogPlace): Promise<OpenCatalog> {
  const image = await chooseImage(ctx, place.source, place.root, ANY_PLATFORM);
  if (!isImage(image)) throw notACatalog(place, 'it is no image');
  const config = await readConfig(ctx, place.source, image.content as ImageManifest);
  return { ...place, image, config, configs: configsOf(place, config) };
}

function configsOf(place: CatalogPlace, { config }: ImageConfig): string {
  const labels = config?.Labels ?? {};
  const folder = normalPath(labels[CONFIGS_LABEL] ?? '');
  if (folder) return folder;
  if (labels[DATABASE_LABEL] !== undefined) {
    throw notACatalog(place, 'it holds a database, which catalogs have not used since 4.11');
  }
  throw notACatalog(place, `it has no label ${CONFIGS_LABEL}`);
}

function notACatalog({ reference }: CatalogPlace, found: string): AtollError {
  return new AtollError(
    'CATALOG_INVALID',
    `Cannot use ${formatReference(reference)} as an operator catalog: ${found}`,
    {
      hint: 'Name a file-based catalog, such as registry.redhat.io/redhat/redhat-operator-index:v4.18',
    },
  );
}

import type { Catalog } from '../../../content/catalog/model/catalog.ts';
import { type CatalogPlace, openCatalog } from '../../../content/catalog/open-catalog.ts';
import { readCatalog } from '../../../content/catalog/read-catalog.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import {
  type ImageLocation,
  openSource,
  parseImageLocation,
} from '../../../mirror/image-location.ts';
import { parseReference, type Reference } from '../../../oci/reference.ts';
import type { Registries } from '../../../remote/registries.ts';
import type { Terminal } from '../../command.ts';
import { type RegistryFlags, withRegistries } from '../../registry-options.ts';

export const CATALOG_ARGUMENT = {
  name: 'catalog',
  summary: 'HOST/REPO:TAG, docker://…, or oci:DIR',
} as const;

/** A plain reference means a registry, as everywhere. */
export function parseCatalog(text: string): ImageLocation {
  if (/^(docker:\/\/|oci:|dir:)/.test(text)) {
    return parseImageLocation(text.replace(/^oci:\/\/(?=\/)/, 'oci:'));
  }
  return { kind: 'docker', reference: parseReference(text) };
}

export async function catalogPlace(
  ctx: Context,
  location: ImageLocation,
  registries: Registries,
): Promise<CatalogPlace> {
  const { source, reference: tagOrDigest } = await openSource(ctx, location, registries);
  const root = await source.resolve(ctx, tagOrDigest);
  if (root) {
    const isLayout = location.kind !== 'docker';
    return { source, root, reference: referenceOf(location), isLayout };
  }
  throw new AtollError('IMAGE_UNKNOWN', 'Cannot find the catalog', {
    hint: 'Check its name and tag, and the mirrors in registries.conf',
  });
}

function referenceOf(location: ImageLocation): Reference {
  if (location.kind === 'docker') return location.reference;
  return { registry: 'localhost', repository: location.path };
}

/** What a catalog says. */
export function readCatalogOf(
  ctx: Context,
  text: string,
  flags: RegistryFlags,
  terminal: Terminal,
): Promise<Catalog> {
  const location = parseCatalog(text);
  return withRegistries(flags, terminal, async (registries) => {
    const open = await openCatalog(ctx, await catalogPlace(ctx, location, registries));
    return (await readCatalog(ctx, open)).catalog;
  });
}

import { createHash } from 'node:crypto';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { byText } from '../../../core/order.ts';
import type { LayerFile } from '../../../oci/build-image.ts';
import type { Platform } from '../../../oci/descriptor.ts';
import { isIndex } from '../../../oci/manifest.ts';
import { formatPlatform, selectPlatforms } from '../../../oci/platform.ts';
import { formatReference } from '../../../oci/reference.ts';
import { type LayerFolder, streamLayer } from '../../../oci/stream-layer.ts';
import { deriveImage, type RebuiltImage } from '../../build/derive-image.ts';
import type { ImageConfig } from '../../layers/image-config.ts';
import { CONFIGS_LABEL, type OpenCatalog } from '../open-catalog.ts';
import type { KeptDocument } from '../read-files.ts';
import type { Selection } from '../select/selection.ts';
import { filterDocument } from './filter-documents.ts';
import { cacheFolder, withoutCache } from './opm-cache.ts';

export interface Filtered {
  readonly selection: Selection;
  /** Every document that `keepsDocument` lets through. */
  readonly documents: readonly KeptDocument[];
  /** Only these platforms; undefined means all. */
  readonly platforms?: readonly Platform[] | undefined;
}

/**
 * The catalog image with the filtered catalog in place of the whole, in each of its platforms. Its layers
 * stay; one on top takes the old catalog and the cache away, the next brings the new catalog.
 */
export async function rebuildCatalog(
  ctx: Context,
  open: OpenCatalog,
  { selection, documents, platforms }: Filtered,
): Promise<RebuiltImage> {
  await refuseNoPlatform(ctx, open, platforms);
  const cache = removableCache(open);
  const removed = [open.configs, ...(cache === undefined ? [] : [cache])];
  const whiteouts = await streamLayer(whiteoutEntries(removed));
  const content = await streamLayer(contentEntries(open.configs, cache, { selection, documents }));
  return await deriveImage(ctx, {
    source: open.source,
    base: open.root,
    layers: [whiteouts, content],
    platforms,
    config: (config) => withCatalog(config, open),
    createdBy: 'atoll: filtered operator catalog',
  });
}

/** An index of nothing would be published without a word. */
async function refuseNoPlatform(
  ctx: Context,
  { source, root, reference }: OpenCatalog,
  platforms: readonly Platform[] | undefined,
): Promise<void> {
  const manifest = await source.manifest(ctx, root);
  if (!platforms || !isIndex(manifest)) return;
  if (selectPlatforms(manifest.children, platforms).length > 0) return;
  const has = manifest.children.flatMap(({ platform }) =>
    platform ? formatPlatform(platform) : [],
  );
  throw new AtollError(
    'IMAGE_UNKNOWN',
    `Cannot build ${formatReference(reference)} for ${platforms.map(formatPlatform).join(', ')}`,
    { hint: `It has ${has.join(', ')}` },
  );
}

/** A cache that holds the catalog, or is held by it, goes with it or stays. */
function removableCache({ config, configs }: OpenCatalog): string | undefined {
  const cache = cacheFolder(config);
  if (cache === undefined || `${cache}/`.startsWith(`${configs}/`)) return undefined;
  return `${configs}/`.startsWith(`${cache}/`) ? undefined : cache;
}

function* whiteoutEntries(paths: readonly string[]): Generator<LayerFile | LayerFolder> {
  for (const path of paths.toSorted()) {
    yield* parentsOf(path);
    const parts = path.split('/');
    const name = `.wh.${parts.pop()}`;
    yield { path: [...parts, name].join('/'), content: '' };
  }
}

function* contentEntries(
  configs: string,
  cache: string | undefined,
  { documents, selection }: Filtered,
): Generator<LayerFile | LayerFolder> {
  yield* parentsOf(configs);
  yield { folder: configs, mode: 0o755 };
  const folders = new Set<string>();
  for (const file of catalogFiles(documents, selection)) {
    const folder = file.path.includes('/') ? file.path.slice(0, file.path.lastIndexOf('/')) : '';
    if (folder !== '' && !folders.has(folder))
      yield { folder: `${configs}/${folder}`, mode: 0o755 };
    folders.add(folder);
    yield { ...file, path: `${configs}/${file.path}` };
  }
  if (cache === undefined) return;
  yield* parentsOf(cache);
  // Clusters run the server under any user, in the root group.
  yield { folder: cache, mode: 0o775 };
}

/** A layer that puts something into a folder also says what the folder is like. */
function* parentsOf(path: string): Generator<LayerFolder> {
  const parts = path.split('/').slice(0, -1);
  for (const at of parts.keys()) {
    const folder = parts.slice(0, at + 1).join('/');
    yield { folder, mode: folder === 'tmp' || folder === 'var/tmp' ? 0o1777 : 0o755 };
  }
}

function withCatalog(config: ImageConfig, { configs, reference, root }: OpenCatalog): ImageConfig {
  const { Cmd, Entrypoint, Labels } = config.config ?? {};
  return {
    ...config,
    config: {
      ...config.config,
      ...(Entrypoint ? { Entrypoint: withoutCache(Entrypoint) } : {}),
      ...(Cmd ? { Cmd: withoutCache(Cmd) } : {}),
      Labels: {
        ...Labels,
        [CONFIGS_LABEL]: `/${configs}`,
        'org.opencontainers.image.base.digest': root.digest,
        'org.opencontainers.image.base.name': formatReference(reference),
      },
    },
  };
}

const SCHEMA_ORDER = ['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations'];

/**
 * The files of the filtered catalog, one folder per package, made when they are asked for. They depend on
 * what is in the documents, not on the order they were found in.
 */
function* catalogFiles(
  documents: readonly KeptDocument[],
  { packages }: Selection,
): Generator<LayerFile> {
  const byPackage = new Map<string, KeptDocument[]>();
  for (const document of documents) {
    const key = document.package ?? '';
    const known = byPackage.get(key);
    if (known) known.push(document);
    else byPackage.set(key, [document]);
  }
  yield* filesOf('', byPackage.get('') ?? []);
  for (const selected of packages) {
    const filtered = (byPackage.get(selected.name) ?? []).flatMap(
      (document) => filterDocument(document, selected) ?? [],
    );
    yield* filesOf(`${folderOf(selected.name)}/`, filtered);
  }
}

function* filesOf(prefix: string, documents: readonly KeptDocument[]): Generator<LayerFile> {
  const sorted = documents.toSorted(compareDocuments);
  for (const format of ['json', 'yaml'] as const) {
    const texts = sorted.filter((document) => document.format === format).map(({ text }) => text);
    if (texts.length === 0) continue;
    const separator = Buffer.from(format === 'json' ? '\n' : '\n---\n');
    const parts = texts.flatMap((text) => [text, separator]);
    const content = Buffer.concat(format === 'json' ? parts : parts.slice(0, -1));
    yield { path: `${prefix}catalog.${format}`, content };
  }
}

function compareDocuments(a: KeptDocument, b: KeptDocument): number {
  return (
    rankOf(a) - rankOf(b) ||
    byText(a.schema, b.schema) ||
    byText(a.name ?? '', b.name ?? '') ||
    Buffer.compare(a.text, b.text)
  );
}

function rankOf({ schema }: KeptDocument): number {
  const rank = SCHEMA_ORDER.indexOf(schema);
  return rank < 0 ? SCHEMA_ORDER.length : rank;
}

/** Packages are named like hosts; whatever else a catalog calls one must not lead out of its folder. */
function folderOf(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) return name;
  return `package-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

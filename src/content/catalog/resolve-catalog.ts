import type { Context } from '../../core/context.ts';
import type { OperatorCatalog } from '../image-set/image-set.ts';
import type { Catalog, Package } from './model/catalog.ts';
import { type CatalogPlace, type OpenCatalog, openCatalog } from './open-catalog.ts';
import { readCatalog } from './read-catalog.ts';
import type { KeptDocument } from './read-files.ts';
import { keepsDocument } from './rebuild/filter-documents.ts';
import { headsOf } from './select/channel-graph.ts';
import { selectCatalog } from './select/select-catalog.ts';
import type { Reason, SelectedPackage, Selection } from './select/selection.ts';

/** What of a catalog is asked for. */
export type Wanted = Pick<OperatorCatalog, 'packages' | 'full'> & {
  readonly dependencies: boolean;
};

export interface ResolvedCatalog {
  readonly open: OpenCatalog;
  readonly catalog: Catalog;
  readonly selection: Selection;
  /** The whole catalog is wanted: the image is copied as it is. */
  readonly isWhole: boolean;
  /** Text of the documents of the packages that were named. */
  readonly documents: readonly KeptDocument[] | undefined;
}

/** Text of named packages beyond this is read again instead of kept. */
const MAX_KEPT_BYTES = 192 * 1024 * 1024;

/** Reads a catalog and chooses what is wanted of it. */
export async function resolveCatalog(
  ctx: Context,
  place: CatalogPlace,
  wanted: Wanted,
): Promise<ResolvedCatalog> {
  const open = await openCatalog(ctx, place);
  const named = new Set(wanted.packages.map(({ name }) => name));
  const { catalog, documents } = await readCatalog(ctx, open, {
    keep: ({ package: owner }) => owner === undefined || named.has(owner),
    maxKeptBytes: MAX_KEPT_BYTES,
  });
  const isWhole = wanted.full && wanted.packages.length === 0;
  const selection = isWhole
    ? selectEverything(catalog)
    : selectCatalog(catalog, wanted, { dependencies: wanted.dependencies });
  return { open, catalog, selection, isWhole, documents: covers(documents, selection, named) };
}

/** Documents are of use only if they are all there. */
function covers(
  documents: readonly KeptDocument[] | undefined,
  { packages }: Selection,
  named: ReadonlySet<string>,
): readonly KeptDocument[] | undefined {
  return packages.every(({ name }) => named.has(name)) ? documents : undefined;
}

/** The documents of the filtered catalog; read again where dependencies brought packages nobody named. */
export async function selectedDocuments(
  ctx: Context,
  { open, selection, documents }: ResolvedCatalog,
): Promise<readonly KeptDocument[]> {
  const keep = keepsDocument(selection);
  if (documents) return documents.filter(keep);
  return (await readCatalog(ctx, open, { keep })).documents ?? [];
}

/** The whole catalog as it is, faults included: it is not written again, only its images are needed. */
function selectEverything({ packages }: Catalog): Selection {
  return {
    packages: [...packages.values()].map(wholePackage),
    warnings: [],
    failures: [],
    unmet: [],
  };
}

function wholePackage(from: Package): SelectedPackage {
  const reasons = new Map<string, Reason[]>();
  for (const { name: channel, entries } of from.channels.values()) {
    for (const { name } of entries) {
      reasons.set(name, [...(reasons.get(name) ?? []), { kind: 'all', channel }]);
    }
  }
  const channels = [...from.channels.values()].map(({ name, entries }) => ({
    name,
    head: headsOf(entries)[0] ?? '',
    entries,
  }));
  return {
    name: from.name,
    defaultChannel: from.defaultChannel,
    channels,
    bundles: [...from.bundles.keys()].map((name) => ({
      name,
      package: from.name,
      reasons: reasons.get(name) ?? [{ kind: 'all', channel: from.defaultChannel }],
    })),
    isDependency: false,
  };
}

import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';
import { mapBounded } from '../../core/pool.ts';
import { type CollectDeps, failureOf } from '../collecting.ts';
import {
  type CollectFailure,
  type Collection,
  EMPTY_COLLECTION,
  mergeCollections,
} from '../content-image.ts';
import type { ImageSet, OperatorCatalog } from '../image-set/image-set.ts';
import { catalogImage } from './catalog-image.ts';
import { bundleImages } from './catalog-images.ts';
import { findCatalog } from './open-catalog.ts';
import { type ResolvedCatalog, resolveCatalog } from './resolve-catalog.ts';
import { type NamedCatalog, unmetWarnings } from './unmet-requirements.ts';

/** Catalogs are large: two at a time keep the line busy and the memory small. */
const AT_ONCE = 2;

/** Everything `operators` of an image set asks for: catalogs, bundles and the images they need. */
export async function collectOperators(
  ctx: Context,
  { operators }: Pick<ImageSet, 'operators'>,
  deps: Pick<CollectDeps, 'source'>,
): Promise<Collection> {
  const collected = await mapBounded(ctx, AT_ONCE, operators, (wanted) =>
    collectCatalog(ctx, wanted, deps),
  );
  const resolved = collected.flatMap((each) => each.resolved ?? []);
  return mergeCollections([
    ...collected.map(({ collection }) => collection),
    { ...EMPTY_COLLECTION, warnings: unmetWarnings(resolved) },
  ]);
}

interface Collected {
  readonly collection: Collection;
  readonly resolved?: NamedCatalog;
}

async function collectCatalog(
  ctx: Context,
  wanted: OperatorCatalog,
  deps: Pick<CollectDeps, 'source'>,
): Promise<Collected> {
  const name = wanted.catalog;
  const task = { task: `catalog ${name}`, title: `Reading catalog ${name}` };
  ctx.emit({ type: 'task.started', ...task });
  try {
    const place = await findCatalog(ctx, wanted.origin, deps);
    const options = { ...wanted, dependencies: !wanted.skipDependencies };
    const resolved = await resolveCatalog(ctx, place, options);
    const collection = await collectionOf(ctx, wanted, resolved);
    ctx.emit({ type: 'task.finished', ...task, summary: summaryOf(resolved, collection) });
    const { catalog, selection } = resolved;
    return { collection, resolved: { name, catalog, selection } };
  } catch (error) {
    ctx.signal.throwIfAborted();
    const failure = failureOf(`catalog ${name}`, error);
    const { code, message } = failure;
    ctx.emit({ type: 'task.failed', ...task, message, ...(code ? { code } : {}) });
    return { collection: { ...EMPTY_COLLECTION, failures: [failure] } };
  }
}

async function collectionOf(
  ctx: Context,
  wanted: OperatorCatalog,
  resolved: ResolvedCatalog,
): Promise<Collection> {
  const { catalog, selection } = resolved;
  const { images, failures } = bundleImages(catalog, selection, {
    catalog: wanted.catalog,
    platforms: wanted.platforms,
  });
  const withheld = withheldBy(wanted, selection.failures);
  const own = withheld.length > 0 ? [] : [await catalogImage(ctx, wanted, resolved)];
  return {
    ...EMPTY_COLLECTION,
    images: [...own, ...images],
    warnings: selection.warnings,
    failures: [...selection.failures, ...failures, ...withheld],
  };
}

/**
 * A catalog that lacks a package somebody asked for would take the operator away from clusters that have
 * it. Packages nobody named, of a catalog that is faulty itself, are no reason.
 */
function withheldBy(
  { catalog, packages }: OperatorCatalog,
  failures: readonly CollectFailure[],
): CollectFailure[] {
  if (packages.length === 0 || failures.length === 0) return [];
  const message = `Cannot build the filtered catalog: ${failures.length} of its packages cannot be chosen`;
  const hint = 'Correct the packages; everything else of the catalog is mirrored';
  return [{ subject: `catalog ${catalog}`, code: 'INPUT_INVALID', message, hint }];
}

function summaryOf({ selection }: ResolvedCatalog, { images }: Collection): string {
  const bundles = selection.packages.reduce((sum, each) => sum + each.bundles.length, 0);
  return [
    counted(selection.packages.length, 'package'),
    counted(bundles, 'bundle'),
    counted(images.length, 'image'),
  ].join(', ');
}

import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';
import { formatReference } from '../../oci/reference.ts';
import { indexIgnore } from './documents/index-ignore.ts';
import type { Catalog } from './model/catalog.ts';
import { CatalogBuilder } from './model/catalog-builder.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { type KeptDocument, type ReadOptions, readCatalogFiles } from './read-files.ts';

export interface CatalogContent {
  readonly catalog: Catalog;
  /** Undefined when there was more to keep than allowed. */
  readonly documents: readonly KeptDocument[] | undefined;
}

/**
 * Reads a catalog from its image as a stream: one document is in memory at a time, and of each only what
 * choosing needs stays, unless its text is asked for.
 */
export async function readCatalog(
  ctx: Context,
  open: OpenCatalog,
  options: ReadOptions = {},
): Promise<CatalogContent> {
  const { files, ignores, isOverfull } = await readCatalogFiles(ctx, open, options);
  const isIgnored = indexIgnore(ignores);
  const builder = new CatalogBuilder();
  const documents: KeptDocument[] = [];
  // What is wrong with a file that is left out does not count, and that is known only now.
  for (const [path, file] of [...files].toSorted(byFirst)) {
    if (isIgnored(path)) continue;
    if (file.fault !== undefined) throw invalid(open, `${open.configs}/${path}: ${file.fault}`);
    for (const fact of file.facts) builder.add(fact);
    documents.push(...file.kept);
  }
  const catalog = builder.build();
  if (catalog.packages.size === 0) throw invalid(open, `/${open.configs} holds no package`);
  return { catalog, documents: isOverfull ? undefined : documents };
}

function invalid({ reference }: OpenCatalog, found: string): AtollError {
  return new AtollError(
    'CATALOG_INVALID',
    `Cannot read catalog ${formatReference(reference)}: ${found}`,
    { hint: 'Tell who publishes the catalog; the catalog server would refuse it, too' },
  );
}

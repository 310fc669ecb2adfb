import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { by, byFirst } from '../../core/order.ts';
import { formatReference } from '../../oci/reference.ts';
import { indexIgnore } from './documents/index-ignore.ts';
import type { Bundle, Catalog, Channel, Deprecation, Package } from './model/catalog.ts';
import type { Fact } from './model/parse-document.ts';
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

interface Draft {
  defaultChannel: string | undefined;
  declared: boolean;
  readonly channels: Map<string, Channel>;
  readonly bundles: Map<string, Bundle>;
  readonly deprecations: Deprecation[];
  readonly problems: Set<string>;
}

/** Puts a catalog together from its documents, in whatever order they come. */
export class CatalogBuilder {
  readonly #drafts = new Map<string, Draft>();

  add(fact: Fact): void {
    const draft = this.#draft(fact.package);
    if (fact.kind === 'package') declare(draft, fact.defaultChannel);
    else if (fact.kind === 'channel') addOnce(draft, draft.channels, 'channel', fact.channel);
    else if (fact.kind === 'bundle') addOnce(draft, draft.bundles, 'bundle', fact.bundle);
    else draft.deprecations.push(...fact.deprecations);
  }

  build(): Catalog {
    const sorted = [...this.#drafts].toSorted(byFirst);
    return { packages: new Map(sorted.map(([name, draft]) => [name, finish(name, draft)])) };
  }

  #draft(name: string): Draft {
    const known = this.#drafts.get(name);
    if (known) return known;
    const draft: Draft = {
      defaultChannel: undefined,
      declared: false,
      channels: new Map(),
      bundles: new Map(),
      deprecations: [],
      problems: new Set(),
    };
    this.#drafts.set(name, draft);
    return draft;
  }
}

function declare(draft: Draft, wanted: string | undefined): void {
  if (draft.declared) draft.problems.add('it is declared twice');
  draft.declared = true;
  draft.defaultChannel ??= wanted;
}

function addOnce<T extends { readonly name: string }>(
  { problems }: Draft,
  items: Map<string, T>,
  kind: string,
  item: T,
): void {
  if (item.name === '') problems.add(`it has a ${kind} without a name`);
  else if (items.has(item.name)) problems.add(`it has the ${kind} "${item.name}" twice`);
  else items.set(item.name, item);
}

function finish(name: string, draft: Draft): Package {
  const { defaultChannel = '', channels, bundles, problems } = draft;
  if (!draft.declared) problems.add('it has no olm.package document');
  return {
    name,
    defaultChannel,
    channels: sorted(channels),
    bundles: sorted(bundles),
    deprecations: draft.deprecations.toSorted(by(orderKey)),
    problems: [...problems].toSorted(),
  };
}

const orderKey = ({ schema, name, message }: Deprecation) => [schema, name, message].join('\0');

function sorted<T>(items: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...items].toSorted(byFirst));
}

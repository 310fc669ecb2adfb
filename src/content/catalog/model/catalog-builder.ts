import { byFirst } from '../../../core/order.ts';
import type { Bundle, Catalog, Channel, Deprecation, Package } from './catalog.ts';
import type { Fact } from './parse-document.ts';

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
    deprecations: draft.deprecations.toSorted((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1)),
    problems: [...problems].toSorted(),
  };
}

const orderKey = ({ schema, name, message }: Deprecation) => [schema, name, message].join('\0');

function sorted<T>(items: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...items].toSorted(byFirst));
}

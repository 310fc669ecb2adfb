import type { Bundle, Catalog, Channel, Deprecation, Package } from './catalog.ts';
import {
  type DocumentKey,
  keyOf,
  parseBundle,
  parseChannel,
  parseDeprecations,
} from './parse-document.ts';
import { textAt } from './fields.ts';

type Value = Readonly<Record<string, unknown>>;

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

  add(value: Value, key: DocumentKey = keyOf(value)): void {
    if (key.package === undefined) return;
    const draft = this.#draft(key.package);
    if (key.schema === 'olm.package') this.#addPackage(value, draft);
    else if (key.schema === 'olm.channel') {
      const channel = parseChannel(value, key.name ?? '');
      addOnce(draft, draft.channels, 'channel', channel);
    } else if (key.schema === 'olm.bundle') {
      const bundle = parseBundle(value, key.name ?? '', key.package);
      addOnce(draft, draft.bundles, 'bundle', bundle);
    } else if (key.schema === 'olm.deprecations') {
      draft.deprecations.push(...parseDeprecations(value));
    }
  }

  build(): Catalog {
    const sorted = [...this.#drafts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { packages: new Map(sorted.map(([name, draft]) => [name, finish(name, draft)])) };
  }

  #addPackage(value: Value, draft: Draft): void {
    if (draft.declared) draft.problems.add('it is declared twice');
    draft.declared = true;
    const wanted = textAt(value, 'defaultChannel');
    // The smaller name, so that the order of the documents does not count.
    const known = draft.defaultChannel;
    draft.defaultChannel = known !== undefined && (!wanted || known < wanted) ? known : wanted;
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
  else if (!channels.has(defaultChannel)) {
    problems.add(`its default channel "${defaultChannel}" does not exist`);
  }
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
  return new Map([...items].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

import { byText } from '../../../core/order.ts';
import type { Bundle, Catalog, Package } from '../model/catalog.ts';
import type { Requirement } from '../model/requirement.ts';
import { compareVersions } from '../model/version-range.ts';
import { headOf } from './channel-graph.ts';
import { Offer } from './offer.ts';
import { graphOf } from './want-channel.ts';

/** A bundle that could be added, and the channel it would come in. */
export interface Provider {
  readonly bundle: Bundle;
  readonly channel: string;
}

/** Lowest rank first. */
type Place = Provider & { readonly rank: number };

/** Who in the whole catalog could be added for what. */
export class Providers {
  readonly #catalog: Catalog;
  readonly #offer: Offer;
  readonly #heads = new Map<string, string | undefined>();
  readonly #places = new Map<Bundle, Place | undefined>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    const sound = [...catalog.packages.values()].filter(({ problems }) => problems.length === 0);
    this.#offer = new Offer(sound.flatMap(({ bundles }) => [...bundles.values()]));
  }

  /** Bundles in a channel that meet the requirement alone, best first. */
  find(requirement: Requirement): readonly Provider[] {
    return this.#offer
      .meeting(requirement)
      .flatMap((bundle) => this.#place(bundle) ?? [])
      .toSorted((a, b) => a.rank - b.rank || compareBundles(a.bundle, b.bundle));
  }

  /** Looked for once: many bundles may need the same. */
  #place(bundle: Bundle): Place | undefined {
    if (!this.#places.has(bundle)) this.#places.set(bundle, this.#findPlace(bundle));
    return this.#places.get(bundle);
  }

  /** As OLM prefers: the default channel before others, and there the head before what is below it. */
  #findPlace(bundle: Bundle): Place | undefined {
    const from = this.#catalog.packages.get(bundle.package);
    const channels = [...(from?.channels.values() ?? [])]
      .filter(({ entries }) => entries.some(({ name }) => name === bundle.name))
      .map(({ name }) => name);
    const channel =
      channels.find((name) => name === from?.defaultChannel) ??
      channels.find((name) => from && this.#headOf(from, name) === bundle.name) ??
      channels.at(-1);
    if (!from || channel === undefined) return undefined;
    const isHead = this.#headOf(from, channel) === bundle.name;
    return { bundle, channel, rank: (channel === from.defaultChannel ? 0 : 2) + (isHead ? 0 : 1) };
  }

  #headOf(from: Package, name: string): string | undefined {
    const key = `${from.name}\0${name}`;
    if (this.#heads.has(key)) return this.#heads.get(key);
    const channel = from.channels.get(name);
    const head = channel && headOf(graphOf(from, channel));
    const known = typeof head === 'string' ? head : undefined;
    this.#heads.set(key, known);
    return known;
  }
}

/** By package, and within one the newest first. */
function compareBundles(a: Bundle, b: Bundle): number {
  const newest = a.version && b.version ? compareVersions(b.version, a.version) : 0;
  return byText(a.package, b.package) || newest || byText(b.name, a.name);
}

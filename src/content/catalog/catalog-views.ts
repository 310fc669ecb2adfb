import { formatApiKind } from './model/api-kind.ts';
import type { Bundle, Catalog, Package } from './model/catalog.ts';
import { formatRequirement } from './model/requirement.ts';
import { compareVersions } from './model/version-range.ts';
import { headOf } from './select/channel-graph.ts';
import { graphOf } from './select/want-channel.ts';
import { findChannel, findPackage } from './select/want-package.ts';

/** One package, as tables and JSON show it. */
export interface PackageView {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: readonly string[];
  readonly bundles: number;
  /** Head of the default channel. */
  readonly head: string | undefined;
  readonly version: string | undefined;
  readonly deprecated: boolean;
  /** Why it cannot be mirrored. */
  readonly problems: readonly string[];
}

export function packageViews({ packages }: Catalog): PackageView[] {
  return [...packages.values()].map((from) => {
    const head = headName(from, from.defaultChannel);
    return {
      name: from.name,
      defaultChannel: from.defaultChannel,
      channels: [...from.channels.keys()],
      bundles: from.bundles.size,
      head,
      version: from.bundles.get(head ?? '')?.version?.raw,
      deprecated: from.deprecations.some(({ schema }) => schema === 'olm.package'),
      problems: from.problems,
    };
  });
}

function headName(from: Package, channel: string): string | undefined {
  const found = from.channels.get(channel);
  const head = found && headOf(graphOf(from, found));
  return typeof head === 'string' ? head : undefined;
}

export interface ChannelView {
  readonly package: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly head: string | undefined;
  readonly version: string | undefined;
  readonly entries: number;
  readonly deprecated: boolean;
}

/** Channels of one package, or of all. */
export function channelViews(catalog: Catalog, packageName?: string): ChannelView[] {
  return chosen(catalog, packageName).flatMap((from) =>
    [...from.channels.values()].map(({ name, entries }) => {
      const head = headName(from, name);
      return {
        package: from.name,
        name,
        isDefault: name === from.defaultChannel,
        head,
        version: from.bundles.get(head ?? '')?.version?.raw,
        entries: entries.length,
        deprecated: isDeprecated(from, 'olm.channel', name),
      };
    }),
  );
}

function chosen(catalog: Catalog, packageName: string | undefined): readonly Package[] {
  if (packageName !== undefined) return [findPackage(catalog, packageName)];
  return [...catalog.packages.values()];
}

function isDeprecated(from: Package, schema: string, name: string): boolean {
  return from.deprecations.some((each) => each.schema === schema && each.name === name);
}

export interface BundleView {
  readonly package: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly channels: readonly string[];
  readonly deprecated: boolean;
  readonly image: string;
  readonly relatedImages: readonly string[];
  readonly provides: readonly string[];
  readonly requires: readonly string[];
}

/** Bundles of one package or all, of one channel or all; the newest first within a package. */
export function bundleViews(
  catalog: Catalog,
  { package: packageName, channel }: { readonly package?: string; readonly channel?: string },
): BundleView[] {
  return chosen(catalog, packageName).flatMap((from) => {
    if (channel !== undefined && packageName !== undefined) findChannel(from, channel);
    return [...from.bundles.values()]
      .toSorted(newestFirst)
      .map((bundle) => bundleView(from, bundle))
      .filter(({ channels }) => channel === undefined || channels.includes(channel));
  });
}

function newestFirst(a: Bundle, b: Bundle): number {
  if (!a.version || !b.version) return a.version ? -1 : b.version ? 1 : 0;
  return compareVersions(b.version, a.version);
}

function bundleView(from: Package, bundle: Bundle): BundleView {
  const channels = [...from.channels.values()].filter(({ entries }) =>
    entries.some(({ name }) => name === bundle.name),
  );
  return {
    package: from.name,
    name: bundle.name,
    version: bundle.version?.raw,
    channels: channels.map(({ name }) => name),
    deprecated: isDeprecated(from, 'olm.bundle', bundle.name),
    image: bundle.image,
    relatedImages: bundle.relatedImages.map(({ image }) => image),
    provides: bundle.provides.map(formatApiKind),
    requires: bundle.requires.map(formatRequirement),
  };
}

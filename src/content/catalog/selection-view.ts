import { formatReference } from '../../oci/reference.ts';
import type { CollectFailure, CollectWarning } from '../content-image.ts';
import { bundleImages } from './catalog-images.ts';
import type { ResolvedCatalog } from './resolve-catalog.ts';
import { formatReason, type SelectedPackage } from './select/selection.ts';
import { unmetWarnings } from './unmet-requirements.ts';

export interface ChosenBundle {
  readonly name: string;
  readonly version: string | undefined;
  /** Sentences: why it is mirrored. */
  readonly reasons: readonly string[];
}

export interface ChosenPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly isDependency: boolean;
  readonly channels: readonly { readonly name: string; readonly head: string }[];
  readonly bundles: readonly ChosenBundle[];
}

/** What would be mirrored of a catalog, as plain JSON. */
export interface SelectionView {
  readonly catalog: string;
  readonly packages: readonly ChosenPackage[];
  /** References, sorted; without the catalog itself. */
  readonly images: readonly string[];
  readonly warnings: readonly CollectWarning[];
  readonly failures: readonly CollectFailure[];
}

export function selectionView(name: string, resolved: ResolvedCatalog): SelectionView {
  const { catalog, selection } = resolved;
  const found = bundleImages(catalog, selection, { catalog: name, platforms: undefined });
  return {
    catalog: name,
    packages: selection.packages.map((selected) => packageView(selected, resolved)),
    images: found.images.map(({ source }) => formatReference(source)),
    warnings: [...selection.warnings, ...unmetWarnings([{ name, catalog, selection }])],
    failures: [...selection.failures, ...found.failures],
  };
}

function packageView(selected: SelectedPackage, { catalog }: ResolvedCatalog): ChosenPackage {
  const { name, defaultChannel, isDependency } = selected;
  const from = catalog.packages.get(name);
  return {
    name,
    defaultChannel,
    isDependency,
    channels: selected.channels.map((channel) => ({ name: channel.name, head: channel.head })),
    bundles: selected.bundles.map((bundle) => ({
      name: bundle.name,
      version: from?.bundles.get(bundle.name)?.version?.raw,
      reasons: [...new Set(bundle.reasons.map(formatReason))],
    })),
  };
}

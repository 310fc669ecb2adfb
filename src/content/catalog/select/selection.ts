import type { CollectFailure, CollectWarning } from '../../content-image.ts';
import type { ChannelEntry } from '../model/catalog.ts';
import { formatRequirement, type Requirement } from '../model/requirement.ts';

/** Why a bundle was chosen. */
export type Reason =
  | { readonly kind: 'head'; readonly channel: string }
  | { readonly kind: 'all'; readonly channel: string }
  | { readonly kind: 'range'; readonly channel: string; readonly range: string }
  /** Out of range, but the channel would fall apart without it. */
  | { readonly kind: 'link'; readonly channel: string }
  | {
      readonly kind: 'dependency';
      readonly channel: string;
      /** The bundle that needs it. */
      readonly neededBy: string;
      readonly requirement: Requirement;
    };

/** One sentence for tables and reports. */
export function formatReason(reason: Reason): string {
  switch (reason.kind) {
    case 'head':
      return `head of channel ${reason.channel}`;
    case 'all':
      return `in channel ${reason.channel}`;
    case 'range':
      return `in ${reason.range} of channel ${reason.channel}`;
    case 'link':
      return `out of range, but channel ${reason.channel} needs it to stay connected`;
    case 'dependency':
      return `needed by ${reason.neededBy}: ${formatRequirement(reason.requirement)}`;
  }
}

export interface SelectedBundle {
  readonly name: string;
  readonly package: string;
  /** Never empty. */
  readonly reasons: readonly Reason[];
}

export interface SelectedChannel {
  readonly name: string;
  readonly head: string;
  /** As the filtered catalog will have them. */
  readonly entries: readonly ChannelEntry[];
}

export interface SelectedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  /** Sorted by name, as everything here. */
  readonly channels: readonly SelectedChannel[];
  readonly bundles: readonly SelectedBundle[];
  /** Nobody asked for it by name: others need it. */
  readonly isDependency: boolean;
}

/** What of a catalog is mirrored, and why. */
export interface Selection {
  readonly packages: readonly SelectedPackage[];
  readonly warnings: readonly CollectWarning[];
  readonly failures: readonly CollectFailure[];
  /** What no bundle of this catalog offers. */
  readonly unmet: readonly Unmet[];
}

export interface Unmet {
  readonly bundle: string;
  readonly requirement: Requirement;
}

/** What is wanted of a package before channels are connected: reasons by bundle, by channel. */
export type ChannelWants = Map<string, Map<string, Reason[]>>;

export interface PackageWants {
  readonly channels: ChannelWants;
  /** As the configuration asks for it. */
  readonly defaultChannel: string | undefined;
  readonly isDependency: boolean;
}

export function addWant(channels: ChannelWants, bundle: string, reason: Reason): void {
  const bundles = channels.get(reason.channel) ?? new Map<string, Reason[]>();
  bundles.set(bundle, [...(bundles.get(bundle) ?? []), reason]);
  channels.set(reason.channel, bundles);
}

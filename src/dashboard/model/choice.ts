/** What somebody has chosen on the page, before it is a file. */
export interface ComposedChoice {
  readonly channels: readonly ChosenChannel[];
  readonly operators: readonly ChosenOperators[];
  readonly additionalImages: readonly string[];
  /** Whether the cluster gets an update service of its own. */
  readonly graph: boolean;
}

export interface ChosenChannel {
  readonly name: string;
  readonly minVersion?: string | undefined;
  readonly maxVersion?: string | undefined;
  readonly shortestPath: boolean;
}

export interface ChosenOperators {
  readonly catalog: string;
  readonly packages: readonly { readonly name: string; readonly channel: string }[];
}

export interface ChannelOffer {
  /** Lowest first. */
  readonly versions: readonly string[];
}

export interface PathOffer {
  readonly releases: readonly string[];
  readonly steps: readonly { readonly from: string; readonly to: string; readonly risks: number }[];
  readonly warnings: readonly string[];
}

export interface PackageOffer {
  readonly name: string;
  readonly defaultChannel: string;
  readonly version: string;
  readonly channels: readonly string[];
  readonly deprecated: boolean;
}

/** What chosen operators bring along, and what all of it weighs. */
export interface WeightOffer {
  readonly packages: readonly {
    readonly name: string;
    readonly isDependency: boolean;
    readonly bundles: readonly { readonly name: string; readonly reasons: readonly string[] }[];
    /** Of this one alone: what it shares with others counts here, too. */
    readonly bytes: number;
  }[];
  readonly images: number;
  /** Distinct bytes: what is in several images counts once. */
  readonly bytes: number;
  /** Images whose weight could not be found out. */
  readonly unknown: number;
  readonly warnings: readonly string[];
}

export interface ComposedText {
  readonly yaml: string;
  readonly problems: readonly string[];
}

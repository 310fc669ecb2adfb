import type { InstallFacts } from './facts.ts';

/** What a platform allows of the fields that all platforms share. */
export interface Traits {
  readonly name: string;
  /** Values of `credentialsMode`; the first is written when none is asked for and it is `required`. */
  readonly credentialsModes?: readonly string[];
  readonly credentialsRequired?: boolean;
  /** `publish: Internal` and `clusterNetworkMTU` exist, and pools named `edge`. */
  readonly isCloud?: boolean;
  /** Names of clusters may have dots. */
  readonly dottedNames?: boolean;
  readonly architectures?: readonly string[];
  /** Workers may be of another architecture: any, or only arm64 below amd64. */
  readonly mixedArchitectures?: 'any' | 'arm64-workers';
  /** One control plane machine, with or without `bootstrapInPlace`. */
  readonly singleNode?: 'any' | 'in-place';
  readonly bootstrapInPlace?: boolean;
  /** Arbiters, and two control plane machines that fence each other. */
  readonly twoNodes?: boolean;
  /** Capabilities it cannot do without. */
  readonly capabilities?: readonly string[];
  /** IPv4 must come first where there are both families. */
  readonly ipv4First?: boolean;
}

/** What a check may know besides the config. */
export interface Surroundings {
  readonly facts: InstallFacts;
  /** Undefined for a platform this tool does not know. */
  readonly platform: Traits | undefined;
}

import type { IgnitionVersion } from '../ignition/config.ts';
import type { BastionAccess } from './bastion-access.ts';
import type { SiteStack } from './tags.ts';

/** A bastion as a stack of its own. Ids that another stack makes are parameters. */
export interface BastionStackInput extends SiteStack {
  readonly access: BastionAccess;
  /** Defaults of the parameters, where they are known already. */
  readonly vpcId?: string | undefined;
  readonly subnetId?: string | undefined;
  readonly amiId?: string | undefined;
  readonly instanceType?: string | undefined;
  /** The config it boots with; none for an AMI that brings all it needs. */
  readonly ignition?: IgnitionSource | undefined;
  /** Further objects that config fetches, each as `s3://BUCKET/KEY`. */
  readonly objects?: readonly string[] | undefined;
  /** An address on the internet. Default: yes. */
  readonly elasticIp?: boolean | undefined;
  readonly rootDisk?: Partial<Disk> | undefined;
  readonly dataDisk?: (Partial<Disk> & { readonly keep?: boolean | undefined }) | undefined;
  /** Key pair of EC2, for an AMI without Ignition. */
  readonly keyName?: string | undefined;
  /** Name of the mirror: resolves inside the VPC to the private address of the bastion. */
  readonly mirrorName?: string | undefined;
}

export interface IgnitionSource {
  /** `s3://BUCKET/KEY`, which only this machine's role may read, or `https://…`. */
  readonly source: string;
  /** `sha512-HEX` of the config. */
  readonly hash?: string | undefined;
  readonly certificateAuthorities?: readonly string[] | undefined;
  readonly version?: IgnitionVersion | undefined;
}

export interface Disk {
  readonly sizeGiB: number;
  /** As the AMI names it: `/dev/xvda` for Fedora and Red Hat CoreOS, `/dev/sda1` for RHEL. */
  readonly device: string;
}

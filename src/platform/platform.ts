import type { Context } from '../core/context.ts';
import type { Host } from '../host/host.ts';

/** Something a platform made, so that exactly this can be removed again, newest first. */
export interface Resource {
  /** `directory`, `process`, `cloudformation-stack`, … */
  readonly kind: string;
  readonly id: string;
  /** Goes with `down --temporary`: what a private site needs only for the install. */
  readonly temporary: boolean;
}

/** Tells the inventory before the thing exists, so that a crash leaves nothing unknown. */
export type Claim = (resource: Resource) => Promise<void>;

/** Where a site lives: makes what is needed below the bastion, and removes it. */
export interface Platform {
  readonly name: 'lab' | 'none' | 'aws' | 'vsphere' | 'nutanix';
  /** What `provision` will make, for plans. */
  plan(): readonly string[];
  /** Makes the network and machines that are not there yet. Running it again changes nothing. */
  provision(ctx: Context, claim: Claim): Promise<void>;
  /** The bastion, once it answers. */
  bastion(ctx: Context, claim: Claim): Promise<Host>;
  /** Removes one resource of the inventory; false when it was gone already. */
  remove(ctx: Context, resource: Resource): Promise<boolean>;
}

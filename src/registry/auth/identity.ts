import type { Grant } from './grants.ts';

/** The client of a request, and what it may do. */
export interface Identity {
  readonly user: string | undefined;
  readonly grants: readonly Grant[];
  /** Id of the robot's token that was shown. */
  readonly token?: string | undefined;
  /** What the owner of a token for a few scopes may do in all: such a token can be had for more. */
  readonly owner?: readonly Grant[] | undefined;
}

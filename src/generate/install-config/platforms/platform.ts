import type * as z from 'zod';
import type { ReleaseVersion } from '../../../openshift/version.ts';
import type { InstallFacts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import type { IdentityConfig } from '../sections/identity.ts';
import type { MachinesConfig } from '../sections/machines.ts';
import type { NetworksConfig } from '../sections/networks.ts';
import type { Traits } from '../traits.ts';
import type { Violation } from '../violation.ts';

/** What a platform may look at besides its own section. */
export type PlatformConfig = IdentityConfig & MachinesConfig & NetworksConfig;

/** All that is known of a platform. */
interface PlatformSpec<I, S extends z.ZodRawShape, P extends z.ZodRawShape> {
  readonly traits: Traits;
  /** Its fields in an install-config. */
  readonly section: S;
  /** Its fields in a machine pool. */
  readonly pool: P;
  build(input: I, version: ReleaseVersion | undefined): Fields<S>;
  buildPool?(input: I, role: 'master' | 'worker'): Fields<P> | undefined;
  /** Passwords in the input, for those who keep them out of logs. */
  secretsOf?(input: I): readonly string[];
  check(section: Fields<S>, config: PlatformConfig, facts: InstallFacts): Violation[];
}

interface AnyInput {
  readonly type: string;
}

/** A platform, with functions for callers that do not know which one it is. */
export function definePlatform<
  I extends AnyInput,
  S extends z.ZodRawShape,
  P extends z.ZodRawShape,
>(spec: PlatformSpec<I, S, P>) {
  return {
    ...spec,
    build: (input: AnyInput, version: ReleaseVersion | undefined): object =>
      spec.build(input as I, version),
    buildPool: (input: AnyInput, role: 'master' | 'worker'): object | undefined =>
      spec.buildPool?.(input as I, role),
    secretsOf: (input: AnyInput): readonly string[] => spec.secretsOf?.(input as I) ?? [],
    check: (section: unknown, config: PlatformConfig, facts: InstallFacts): Violation[] =>
      spec.check(section as Fields<S>, config, facts),
  };
}

import { byText } from '../order.ts';
import { checkAws } from './check-aws.ts';
import { checkIdentity } from './check-identity.ts';
import { checkMachines } from './check-machines.ts';
import { checkMirrorWiring } from './check-mirror.ts';
import { checkNetworks } from './check-networks.ts';
import { checkPlatform } from './check-platform.ts';
import { checkTrust } from './check-trust.ts';
import { withDefaults } from './defaults.ts';
import type { InstallFacts } from './facts.ts';
import type { InstallConfig } from './schema.ts';
import type { Violation } from './violation.ts';

const CHECKS = [
  checkIdentity,
  checkNetworks,
  checkMachines,
  checkPlatform,
  checkAws,
  checkMirrorWiring,
  checkTrust,
] as const;

/**
 * Everything the installer would refuse, and what it would let pass and the bootstrap machine then
 * dies of. All at once, errors first. What the facts do not say is not checked.
 */
export function validateInstallConfig(
  config: InstallConfig,
  facts: InstallFacts = {},
): Violation[] {
  const whole = withDefaults(config);
  return CHECKS.flatMap((check) => check(whole, facts)).toSorted(
    (a, b) => byText(a.severity, b.severity) || byText(a.path, b.path),
  );
}

import { byText } from '../../core/order.ts';
import type { InstallFacts } from './facts.ts';
import { PLATFORM_NAMES, platformOf } from './platforms/index.ts';
import { checkFields, type InstallConfig } from './schema.ts';
import { checkCapabilities } from './sections/capabilities.ts';
import { checkIdentity } from './sections/identity.ts';
import { checkGates, checkMachines } from './sections/machines.ts';
import { checkMirrorWiring, sourcesOf } from './sections/mirror.ts';
import { checkNetworks } from './sections/network-checks.ts';
import { withNetworkDefaults } from './sections/networks.ts';
import { checkProxy } from './sections/proxy.ts';
import { checkTrust } from './sections/trust.ts';
import type { Surroundings } from './traits.ts';
import { error, type Violation, when } from './violation.ts';

const CHECKS = [
  checkIdentity,
  checkNetworks,
  checkMachines,
  checkGates,
  checkCapabilities,
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
  const around: Surroundings = { facts, platform: platformOf(config)?.traits };
  const mirrors = sourcesOf(config).flatMap((source) => source.mirrors ?? []);
  return [
    ...checkFields(config),
    ...CHECKS.flatMap((check) => check(whole, around)),
    ...checkProxy(whole, mirrors),
    ...checkPlatform(whole, facts),
  ].toSorted((a, b) => byText(a.severity, b.severity) || byText(a.path, b.path));
}

/** Exactly one platform, and what is its own. */
function checkPlatform(config: InstallConfig, facts: InstallFacts): Violation[] {
  const names = Object.keys(config.platform);
  const platform = platformOf(config);
  return [
    ...when(names.length > 1, () =>
      error('platform', `it names ${names.join(' and ')}`, 'Keep one platform'),
    ),
    ...when(platform === undefined, () =>
      error('platform', 'it names none that is supported', `Use ${PLATFORM_NAMES.join(', ')}`),
    ),
    ...(platform ? platform.check(config.platform[platform.traits.name], config, facts) : []),
  ];
}

/** What the installer reads into a config that leaves these things out. */
function withDefaults(config: InstallConfig): InstallConfig {
  const { compute = [] } = config;
  return {
    ...config,
    networking: withNetworkDefaults(config.networking),
    controlPlane: { name: 'master', ...config.controlPlane },
    compute: compute.some(({ name }) => name === 'worker')
      ? compute
      : [...compute, { name: 'worker' }],
    publish: config.publish || 'External',
  };
}

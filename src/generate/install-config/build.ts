import { toYaml } from '../../core/yaml.ts';
import { parseReleaseVersion } from '../../openshift/version.ts';
import { buildPlatform, buildPool, type PlatformInput, traitsOf } from './platforms/index.ts';
import type { InstallConfig } from './schema.ts';
import { buildCapabilities, type CapabilitiesInput } from './sections/capabilities.ts';
import {
  buildChoices,
  buildIdentity,
  buildSshKey,
  type IdentityInput,
} from './sections/identity.ts';
import { buildMachines, type MachinesInput } from './sections/machines.ts';
import { buildSources, type MirrorInput } from './sections/mirror.ts';
import { buildNetworks, type NetworksInput } from './sections/networks.ts';
import { buildProxy, type ProxyInput } from './sections/proxy.ts';
import { buildTrust, type TrustInput } from './sections/trust.ts';

export interface InstallConfigInput
  extends IdentityInput,
    MachinesInput,
    NetworksInput,
    MirrorInput,
    TrustInput {
  readonly platform: PlatformInput;
  /** The release decides between old and new fields; a new one is assumed when it is unknown. */
  readonly releaseVersion?: string | undefined;
  readonly proxy?: ProxyInput | undefined;
  readonly capabilities?: CapabilitiesInput | undefined;
}

/** An install-config. What is wrong with it, `validateInstallConfig` says. */
export function installConfig(input: InstallConfigInput): InstallConfig {
  const version = input.releaseVersion ? parseReleaseVersion(input.releaseVersion) : undefined;
  const { platform, mirrorRules = [] } = input;
  const { credentialsRequired, credentialsModes = [] } = traitsOf(platform);
  return {
    ...buildIdentity(input),
    ...buildMachines(input, (role) => buildPool(platform, role)),
    ...buildNetworks(input),
    platform: buildPlatform(platform, version),
    ...buildChoices(input, credentialsRequired ? credentialsModes[0] : undefined),
    ...buildCapabilities(input.capabilities),
    ...buildProxy(input.proxy, mirrorRules),
    ...buildSources(mirrorRules, version),
    ...buildTrust(input, version),
    pullSecret: input.pullSecret,
    ...buildSshKey(input),
  };
}

export function formatInstallConfig(config: InstallConfig): string {
  return toYaml(config);
}

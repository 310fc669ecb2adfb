import type { InstallConfig } from './schema.ts';
import { withNetworkDefaults } from './sections/networks.ts';

/** What the installer reads into a config that leaves these things out. */
export function withDefaults(config: InstallConfig): InstallConfig {
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

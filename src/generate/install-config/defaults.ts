import type { InstallConfig } from './schema.ts';

/** The networks of a cluster that names none. */
export const DEFAULT_NETWORKS = {
  machineNetwork: ['10.0.0.0/16'],
  clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
  serviceNetwork: ['172.30.0.0/16'],
} as const;

/** What the installer reads into a config that leaves these things out. */
export function withDefaults(config: InstallConfig): InstallConfig {
  const { networking = {}, compute = [] } = config;
  const { machineNetwork, clusterNetwork, serviceNetwork } = DEFAULT_NETWORKS;
  return {
    ...config,
    networking: {
      ...networking,
      machineNetwork: networking.machineNetwork ?? machineNetwork.map((cidr) => ({ cidr })),
      clusterNetwork: networking.clusterNetwork ?? clusterNetwork.map((entry) => ({ ...entry })),
      serviceNetwork: networking.serviceNetwork ?? [...serviceNetwork],
    },
    controlPlane: { name: 'master', ...config.controlPlane },
    compute: compute.some(({ name }) => name === 'worker')
      ? compute
      : [...compute, { name: 'worker' }],
    publish: config.publish || 'External',
  };
}

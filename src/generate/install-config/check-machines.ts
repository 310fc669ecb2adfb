import type { InstallFacts, InstanceFacts } from './facts.ts';
import type { InstallConfig, MachinePool } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

const NEEDED = {
  master: { vcpus: 4, memoryMiB: 16_384 },
  worker: { vcpus: 2, memoryMiB: 8192 },
} as const;

/** How many machines, of which kind, and whether they are large enough. */
export function checkMachines(config: InstallConfig, facts: InstallFacts): Violation[] {
  const { controlPlane, compute = [] } = config;
  return [
    ...(controlPlane
      ? [
          ...checkControlPlane(config, controlPlane),
          ...checkInstance('controlPlane', controlPlane, facts),
        ]
      : [error('controlPlane', 'it is missing', 'Name the control plane')]),
    ...compute.flatMap((pool, index) => [
      ...checkCompute(config, pool, `compute[${index}]`),
      ...checkInstance(`compute[${index}]`, pool, facts),
    ]),
    ...checkBootstrapInPlace(config),
  ];
}

function checkControlPlane(config: InstallConfig, pool: MachinePool): Violation[] {
  const path = 'controlPlane.replicas';
  const count = pool.replicas ?? 3;
  const workers = computeReplicas(config);
  return [
    ...when(pool.name !== 'master', () =>
      error('controlPlane.name', `it is "${pool.name}"`, 'Write "master"'),
    ),
    ...when(count < 1, () => error(path, `it is ${count}`, 'Use 1 or 3')),
    ...when(count === 2 || count > 5, () =>
      warning(
        path,
        `${count} members are no good quorum for etcd`,
        'Use 3, or 1 for a single node',
      ),
    ),
    ...when(count === 1 && workers > 0, () =>
      warning(path, 'one control plane machine with workers has no redundancy', 'Use 3'),
    ),
  ];
}

function checkCompute(config: InstallConfig, pool: MachinePool, path: string): Violation[] {
  const masters = config.controlPlane?.replicas ?? 3;
  const architecture = config.controlPlane?.architecture ?? 'amd64';
  const own = pool.architecture ?? 'amd64';
  return [
    ...when(!['worker', 'edge'].includes(pool.name), () =>
      error(`${path}.name`, `it is "${pool.name}"`, 'Write "worker"'),
    ),
    ...when((pool.replicas ?? 3) < 0, () =>
      error(`${path}.replicas`, 'it is negative', 'Use 0 or more'),
    ),
    ...when(pool.replicas === 1 && masters > 1, () =>
      warning(`${path}.replicas`, 'the two routers of the cluster want two machines', 'Use 2 or 0'),
    ),
    ...when(own !== architecture, () =>
      warning(
        `${path}.architecture`,
        `it is ${own} and the control plane ${architecture}: that needs a multi-architecture release`,
        'Use the same architecture, or mirror a "multi" payload',
      ),
    ),
  ];
}

function checkBootstrapInPlace(config: InstallConfig): Violation[] {
  if (!config.bootstrapInPlace) return [];
  const path = 'bootstrapInPlace';
  const single = (config.controlPlane?.replicas ?? 3) === 1 && computeReplicas(config) === 0;
  return [
    ...when(!single, () =>
      error(path, 'it is for a single node only', 'Use 1 control plane machine and no compute'),
    ),
    ...when(config.platform.none === undefined, () =>
      error(path, 'it exists on the platform "none" only', 'Remove it'),
    ),
    ...when(!config.bootstrapInPlace.installationDisk.startsWith('/dev/'), () =>
      error(`${path}.installationDisk`, 'it is not a device', 'Write a path below /dev'),
    ),
  ];
}

function checkInstance(path: string, pool: MachinePool, facts: InstallFacts): Violation[] {
  const type = (pool.platform as { aws?: { type?: string } } | undefined)?.aws?.type;
  const known = type === undefined ? undefined : facts.aws?.instanceTypes?.[type];
  if (!known || !type) return [];
  const needed: InstanceFacts = pool.name === 'master' ? NEEDED.master : NEEDED.worker;
  const small = known.vcpus < needed.vcpus || known.memoryMiB < needed.memoryMiB;
  return when(small, () =>
    error(
      `${path}.platform.aws.type`,
      `"${type}" has ${known.vcpus} vCPU and ${known.memoryMiB} MiB`,
      `Use one with at least ${needed.vcpus} vCPU and ${needed.memoryMiB} MiB`,
    ),
  );
}

function computeReplicas({ compute = [] }: InstallConfig): number {
  return compute.reduce((sum, pool) => sum + (pool.replicas ?? 3), 0);
}

import { knows } from '../../openshift/features.ts';
import type { InstallFacts, InstanceFacts } from './facts.ts';
import { type InstallConfig, type MachinePool, platformOf } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

const NEEDED = {
  master: { vcpus: 4, memoryMiB: 16_384 },
  worker: { vcpus: 2, memoryMiB: 8192 },
} as const;

/** Those of AWS first. */
const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x'];

/** How many machines, of which kind, and whether they are large enough. */
export function checkMachines(config: InstallConfig, facts: InstallFacts): Violation[] {
  const { controlPlane, compute = [] } = config;
  return [
    ...(controlPlane
      ? [
          ...checkControlPlane(config, controlPlane, facts),
          ...checkPool(config, controlPlane, 'controlPlane'),
          ...checkInstance('controlPlane', controlPlane, facts),
        ]
      : []),
    ...compute.flatMap((pool, index) => [
      ...checkCompute(config, pool, `compute[${index}]`),
      ...checkPool(config, pool, `compute[${index}]`),
      ...checkInstance(`compute[${index}]`, pool, facts),
    ]),
    ...checkNames(compute),
    ...checkBootstrapInPlace(config),
  ];
}

function checkControlPlane(
  config: InstallConfig,
  pool: MachinePool,
  facts: InstallFacts,
): Violation[] {
  const path = 'controlPlane.replicas';
  const count = pool.replicas ?? 3;
  const workers = computeReplicas(config);
  const isPair = count === 2 && knows(facts.version, 'twoControlPlaneNodes');
  return [
    ...when(pool.name !== 'master', () =>
      error('controlPlane.name', `it is "${pool.name}"`, 'Write "master"'),
    ),
    ...when(count < 1, () => error(path, `it is ${count}`, 'Use 1 or 3')),
    ...when(isPair && pool.fencing === undefined, () =>
      error(path, 'two members need fencing', 'Use 3, or 1 for a single node'),
    ),
    ...when((count === 2 && !isPair) || count > 5, () =>
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
    ...checkMixed(config, pool, `${path}.architecture`),
  ];
}

/** AWS takes arm64 and amd64 together, bare metal only under a control plane of amd64, others neither. */
function checkMixed(config: InstallConfig, pool: MachinePool, path: string): Violation[] {
  const architecture = config.controlPlane?.architecture || 'amd64';
  const own = pool.architecture || 'amd64';
  if (own === architecture) return [];
  const { aws, baremetal } = config.platform;
  const message = `it is ${own} and the control plane ${architecture}`;
  const isPossible = aws !== undefined || (baremetal !== undefined && architecture === 'amd64');
  if (!isPossible) return [error(path, message, 'Use the same architecture')];
  return [
    warning(
      path,
      `${message}: that needs a multi-architecture release`,
      'Use the same architecture, or mirror a "multi" payload',
    ),
  ];
}

/** What holds for a pool of any kind. */
function checkPool(config: InstallConfig, pool: MachinePool, path: string): Violation[] {
  const architectures = config.platform.aws ? ARCHITECTURES.slice(0, 2) : ARCHITECTURES;
  const { architecture, hyperthreading } = pool;
  return [
    ...when(!!architecture && !architectures.includes(architecture), () =>
      error(
        `${path}.architecture`,
        `"${architecture}" does not exist here`,
        `Write one of ${architectures.join(', ')}`,
      ),
    ),
    ...when(!!hyperthreading && !['Enabled', 'Disabled'].includes(hyperthreading), () =>
      error(`${path}.hyperthreading`, `it is "${hyperthreading}"`, 'Write "Enabled" or "Disabled"'),
    ),
    ...Object.keys(pool.platform ?? {})
      .filter((name) => name !== platformOf(config))
      .map((name) =>
        error(`${path}.platform.${name}`, 'the cluster is on another platform', 'Remove it'),
      ),
  ];
}

function checkNames(pools: readonly MachinePool[]): Violation[] {
  return pools.flatMap(({ name }, index) =>
    when(
      pools.slice(0, index).some((other) => other.name === name),
      () => error(`compute[${index}].name`, `"${name}" stands there twice`, 'Join the two'),
    ),
  );
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

import * as z from 'zod';
import { knows } from '../../../openshift/features.ts';
import { type Fields, list, part, text, whole, word } from '../fields.ts';
import type { Surroundings, Traits } from '../traits.ts';
import { error, missing, oneOf, repeated, type Violation, warning, when } from '../violation.ts';
import type { IdentityConfig } from './identity.ts';

/** `standard`: three and three; `compact`: three that do both; `single-node`: one. */
export type ClusterSize =
  | 'standard'
  | 'compact'
  | 'single-node'
  | { readonly controlPlane: number; readonly compute: number };

export interface MachinesInput {
  readonly size?: ClusterSize | undefined;
  readonly architecture?: 'amd64' | 'arm64' | 'ppc64le' | 's390x' | undefined;
  /** Disk of the one machine, for a single node that installs itself. */
  readonly installationDisk?: string | undefined;
}

const disk = { platformDiskID: text };
export const machinePool = z.looseObject({
  name: word,
  replicas: whole,
  architecture: text,
  hyperthreading: text,
  platform: part({}),
  management: text,
  fencing: part({
    credentials: list({
      hostName: text,
      macAddress: text,
      username: text,
      password: text,
      address: text,
      certificateVerification: text,
    }),
  }),
  diskSetup: list({
    type: text,
    userDefined: part({ ...disk, mountPath: text }),
    etcd: part(disk),
    swap: part(disk),
  }),
});
export type MachinePool = z.infer<typeof machinePool>;

/** The pools, each with what its platform adds. */
export const machineFields = <P extends z.ZodRawShape>(platforms: P) => {
  const pool = machinePool.extend({ platform: part(platforms) });
  return {
    controlPlane: pool.extend({ name: word.default('master') }).optional(),
    arbiter: pool.extend({ name: word.default('arbiter') }).optional(),
    compute: z.array(pool).optional(),
    bootstrapInPlace: z.looseObject({ installationDisk: word }).optional(),
  };
};
export type MachinesConfig = Fields<ReturnType<typeof machineFields<Record<never, never>>>>;

export function buildMachines(
  { size = 'standard', architecture = 'amd64', installationDisk }: MachinesInput,
  platformOf: (role: 'master' | 'worker') => Record<string, unknown>,
) {
  const { controlPlane, compute } = replicasOf(size);
  const pool = (name: 'master' | 'worker', replicas: number): MachinePool => ({
    ...{ name, architecture, hyperthreading: 'Enabled', replicas },
    platform: platformOf(name),
  });
  return {
    controlPlane: pool('master', controlPlane),
    compute: [pool('worker', compute)],
    ...(installationDisk ? { bootstrapInPlace: { installationDisk } } : {}),
  };
}

function replicasOf(size: ClusterSize): { controlPlane: number; compute: number } {
  if (typeof size === 'object') return size;
  if (size === 'standard') return { controlPlane: 3, compute: 3 };
  return { controlPlane: size === 'compact' ? 3 : 1, compute: 0 };
}

/** How many machines a config asks for, with what the installer takes for granted. */
export function countMachines({ controlPlane, arbiter, compute = [] }: MachinesConfig) {
  return {
    masters: controlPlane?.replicas ?? 3,
    arbiters: arbiter?.replicas ?? 0,
    workers: compute.reduce(
      (sum, pool) => sum + (pool.replicas ?? (pool.name === 'edge' ? 0 : 3)),
      0,
    ),
  };
}

/** All pools with their places in the file. */
export function poolsOf({ controlPlane, arbiter, compute = [] }: MachinesConfig) {
  return [
    ...(controlPlane ? [{ path: 'controlPlane', pool: controlPlane }] : []),
    ...(arbiter ? [{ path: 'arbiter', pool: arbiter }] : []),
    ...compute.map((pool, index) => ({ path: `compute[${index}]`, pool })),
  ];
}

/** Fields of features that no release has on by itself yet. */
export const checkGates = (config: MachinesConfig & IdentityConfig): Violation[] =>
  config.featureSet
    ? []
    : [
        ...(config.pki ? ['pki'] : []),
        ...poolsOf(config).flatMap(({ path, pool }) =>
          pool.diskSetup?.length ? [`${path}.diskSetup`] : [],
        ),
      ].map((path) =>
        error(path, 'it is for clusters with a feature set', 'Remove it, or set featureSet'),
      );

/** How many machines, and of which kind. */
export function checkMachines(config: MachinesConfig, around: Surroundings): Violation[] {
  const compute = config.compute ?? [];
  return [
    ...checkControlPlane(config, around),
    ...(config.arbiter ? checkArbiter(config, config.arbiter, around.platform) : []),
    ...compute.flatMap((pool, index) => checkCompute(config, pool, `compute[${index}]`, around)),
    ...repeated(compute.map(({ name }) => name)).map(({ value, index }) =>
      error(`compute[${index}].name`, `"${value}" stands there twice`, 'Join the two'),
    ),
    ...poolsOf(config).flatMap(({ path, pool }) => checkPool(pool, path, around.platform)),
    ...checkBootstrapInPlace(config, around.platform),
  ];
}

const REPLICAS = 'controlPlane.replicas';

function checkControlPlane(config: MachinesConfig, { facts, platform }: Surroundings): Violation[] {
  const { masters, workers } = countMachines(config);
  const isPair = masters === 2 && knows(facts.version, 'twoControlPlaneNodes');
  const isOdd = masters === 2 && !isPair && !config.arbiter;
  return [
    ...when(masters < 1, () => error(REPLICAS, `it is ${masters}`, 'Use 1 or 3')),
    ...checkFencing(config, isPair, platform),
    ...when(isOdd || masters > 5, () =>
      warning(
        REPLICAS,
        `${masters} members are no good quorum for etcd`,
        'Use 3, or 1 for a single node',
      ),
    ),
    ...(masters === 1 ? checkSingle(config, platform) : []),
    ...when(masters === 1 && workers > 0, () =>
      warning(REPLICAS, 'one control plane machine with workers has no redundancy', 'Use 3'),
    ),
  ];
}

function checkSingle({ bootstrapInPlace }: MachinesConfig, platform?: Traits): Violation[] {
  if (!platform || platform.singleNode === 'any') return [];
  const inPlace = platform.singleNode === 'in-place';
  return when(!inPlace || !bootstrapInPlace?.installationDisk, () =>
    error(
      REPLICAS,
      `a single node cannot be installed on ${platform.name}`,
      inPlace ? 'Name bootstrapInPlace.installationDisk' : 'Use 3, or the platform "none"',
    ),
  );
}

/** Two control plane machines and no arbiter have to be able to switch each other off. */
function checkFencing(config: MachinesConfig, isPair: boolean, platform?: Traits): Violation[] {
  const path = 'controlPlane.fencing';
  const fencing = config.controlPlane?.fencing;
  const credentials = fencing?.credentials ?? [];
  return [
    ...when(isPair && !config.arbiter && credentials.length !== 2, () =>
      error(
        REPLICAS,
        'two members need fencing with two credentials, or an arbiter',
        'Use 3, or 1 for a single node',
      ),
    ),
    ...when(!isPair && credentials.length > 0, () =>
      error(path, 'it is for two control plane machines', 'Remove it'),
    ),
    ...when(fencing !== undefined && platform !== undefined && !platform.twoNodes, () =>
      error(path, `it does not exist on ${platform?.name}`, 'Remove it'),
    ),
    ...credentials.flatMap((credential, index) =>
      missing(`${path}.credentials[${index}]`, credential, ['username', 'password', 'address']),
    ),
  ];
}

function checkArbiter(config: MachinesConfig, pool: MachinePool, platform?: Traits): Violation[] {
  return [
    ...when(platform !== undefined && !platform.twoNodes, () =>
      error('arbiter', `it does not exist on ${platform?.name}`, 'Remove it'),
    ),
    ...when((pool.replicas ?? 0) < 1, () =>
      error('arbiter.replicas', 'there is none', 'Use at least 1'),
    ),
    ...when(countMachines(config).masters < 2, () =>
      error(REPLICAS, 'an arbiter needs two control plane machines', 'Use 2 or more'),
    ),
  ];
}

function checkCompute(
  config: MachinesConfig,
  pool: MachinePool,
  path: string,
  { platform }: Surroundings,
): Violation[] {
  const { masters } = countMachines(config);
  const names = ['worker', ...(!platform || platform.isCloud ? ['edge'] : [])];
  return [
    ...when(pool.name === '', () => error(`${path}.name`, 'it is empty', 'Write "worker"')),
    ...oneOf(`${path}.name`, pool.name, names),
    ...when(pool.replicas === 1 && masters > 1 && pool.name === 'worker', () =>
      warning(`${path}.replicas`, 'the two routers of the cluster want two machines', 'Use 2 or 0'),
    ),
    ...when(pool.fencing !== undefined, () =>
      error(`${path}.fencing`, 'it is for the control plane only', 'Remove it'),
    ),
    ...checkMixed(config, pool, `${path}.architecture`, platform),
  ];
}

function checkMixed(
  config: MachinesConfig,
  pool: MachinePool,
  path: string,
  platform: Traits | undefined,
): Violation[] {
  const architecture = config.controlPlane?.architecture || 'amd64';
  const own = pool.architecture || 'amd64';
  if (own === architecture) return [];
  const message = `it is ${own} and the control plane ${architecture}`;
  const mixed = platform ? platform.mixedArchitectures : 'any';
  const isPossible = mixed === 'any' || (mixed && architecture === 'amd64' && own === 'arm64');
  if (!isPossible) return [error(path, message, 'Use the same architecture')];
  return [
    warning(
      path,
      `${message}: that needs a multi-architecture release`,
      'Use the same architecture, or mirror a "multi" payload',
    ),
  ];
}

const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x'];

/** What holds for a pool of any kind. */
function checkPool(pool: MachinePool, path: string, platform?: Traits): Violation[] {
  return [
    ...when((pool.replicas ?? 0) < 0, () =>
      error(`${path}.replicas`, 'it is negative', 'Use 0 or more'),
    ),
    ...oneOf(`${path}.architecture`, pool.architecture, platform?.architectures ?? ARCHITECTURES),
    ...when(
      pool.management === 'ClusterAPI' && (!platform?.isCloud || pool.name === 'master'),
      () => error(`${path}.management`, 'Cluster API does not manage such machines', 'Remove it'),
    ),
    ...oneOf(`${path}.hyperthreading`, pool.hyperthreading, ['Enabled', 'Disabled']),
    ...Object.keys(pool.platform ?? {})
      .filter((name) => platform !== undefined && name !== platform.name)
      .map((name) =>
        error(`${path}.platform.${name}`, 'the cluster is on another platform', 'Remove it'),
      ),
  ];
}

function checkBootstrapInPlace(config: MachinesConfig, platform?: Traits): Violation[] {
  if (!config.bootstrapInPlace) return [];
  const path = 'bootstrapInPlace';
  const { masters, workers } = countMachines(config);
  return [
    ...when(masters !== 1 || workers > 0, () =>
      error(path, 'it is for a single node only', 'Use 1 control plane machine and no compute'),
    ),
    ...when(platform !== undefined && !platform.bootstrapInPlace, () =>
      error(path, 'it exists on the platforms "none" and "external" only', 'Remove it'),
    ),
    ...when(!config.bootstrapInPlace.installationDisk.startsWith('/dev/'), () =>
      error(`${path}.installationDisk`, 'it is not a device', 'Write a path below /dev'),
    ),
  ];
}

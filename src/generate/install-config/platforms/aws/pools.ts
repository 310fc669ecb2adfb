import type { InstallFacts } from '../../facts.ts';
import { type MachinesConfig, poolsOf } from '../../sections/machines.ts';
import { error, missing, negative, oneOf, type Violation, when } from '../../violation.ts';
import type { AwsPool, AwsSection } from './fields.ts';

const NEEDED = {
  master: { vcpus: 4, memoryMiB: 16_384 },
  worker: { vcpus: 2, memoryMiB: 8192 },
} as const;
const MAX_GROUPS = 10;

/** The machines of each pool: where they stand, their disks, and whether they are large enough. */
export function checkAwsPools(
  section: AwsSection,
  config: MachinesConfig,
  facts: InstallFacts,
): Violation[] {
  const pools = poolsOf(config).flatMap(({ path, pool: { name, platform } }) => {
    const own = (platform as { aws?: AwsPool } | undefined)?.aws;
    return own ? [{ path: `${path}.platform.aws`, name, own }] : [];
  });
  const defaults = section.defaultMachinePlatform;
  return [
    ...pools,
    ...(defaults ? [{ path: 'platform.aws.defaultMachinePlatform', name: '', own: defaults }] : []),
  ].flatMap(({ path, name, own }) => [
    ...checkZones(path, own, section, facts),
    ...checkVolume(`${path}.rootVolume`, own.rootVolume),
    ...checkGroups(path, own, section),
    ...checkInstance(path, name, own.type, facts),
    ...checkPlacement(path, name, own),
    ...oneOf(`${path}.metadataService.authentication`, own.metadataService?.authentication, [
      'Required',
      'Optional',
    ]),
  ]);
}

function checkZones(
  path: string,
  { zones = [] }: AwsPool,
  { region = '' }: AwsSection,
  facts: InstallFacts,
): Violation[] {
  const inside = (facts.aws?.subnets ?? []).filter(({ isPublic }) => !isPublic);
  return zones.flatMap((zone, index) => [
    ...when(!zone.startsWith(region), () =>
      error(`${path}.zones[${index}]`, `"${zone}" is not in ${region}`, 'Use zones of the region'),
    ),
    ...when(
      zone.startsWith(region) && inside.length > 0 && !inside.some((one) => one.zone === zone),
      () =>
        error(`${path}.zones`, `no private subnet lies in ${zone}`, 'Add one, or remove the zone'),
    ),
  ]);
}

const VOLUMES = ['gp3', 'gp2', 'io1', 'io2', 'st1', 'sc1', 'standard'];
/** IOPS a volume has by itself, and how many each MiB/s of throughput needs. */
const [BASE_IOPS, IOPS_PER_MIB] = [3000, 4];

function checkVolume(path: string, volume: AwsPool['rootVolume']): Violation[] {
  if (!volume) return [];
  const type = volume.type?.toLowerCase() || 'gp3';
  const { iops = 0, throughput } = volume;
  const hasIops = ['gp3', 'io1', 'io2'].includes(type);
  return [
    ...oneOf(`${path}.type`, type, VOLUMES),
    ...negative(path, volume),
    ...when(iops !== 0 && !hasIops, () => error(`${path}.iops`, `${type} has none`, 'Remove it')),
    ...when(throughput !== undefined && type !== 'gp3', () =>
      error(`${path}.throughput`, `${type} has none`, 'Remove it'),
    ),
    ...when(
      type === 'gp3' &&
        throughput !== undefined &&
        (throughput < 125 || throughput > 2000 || throughput * IOPS_PER_MIB > (iops || BASE_IOPS)),
      () =>
        error(
          `${path}.throughput`,
          `${throughput} MiB/s is not possible`,
          `Use 125 to 2000, with ${IOPS_PER_MIB} iops for each`,
        ),
    ),
  ];
}

function checkPlacement(path: string, pool: string, own: AwsPool): Violation[] {
  const { hostPlacement: place, cpuOptions } = own;
  const isDedicated = place?.affinity === 'DedicatedHost';
  const hosts = place?.dedicatedHost ?? [];
  return [
    ...when(place !== undefined && pool !== 'worker', () =>
      error(`${path}.hostPlacement`, 'dedicated hosts are for workers', 'Remove it'),
    ),
    ...(place ? missing(`${path}.hostPlacement`, place, ['affinity']) : []),
    ...oneOf(`${path}.hostPlacement.affinity`, place?.affinity, ['AnyAvailable', 'DedicatedHost']),
    ...when(place !== undefined && isDedicated !== hosts.length > 0, () =>
      error(`${path}.hostPlacement.dedicatedHost`, 'it goes with DedicatedHost', 'Set both'),
    ),
    ...(cpuOptions ? missing(`${path}.cpuOptions`, cpuOptions, ['confidentialCompute']) : []),
    ...oneOf(`${path}.cpuOptions.confidentialCompute`, cpuOptions?.confidentialCompute, [
      'Disabled',
      'AMDEncryptedVirtualizationNestedPaging',
    ]),
  ];
}

function checkGroups(
  path: string,
  { additionalSecurityGroupIDs: groups = [] }: AwsPool,
  { vpc, subnets = [] }: AwsSection,
): Violation[] {
  const place = `${path}.additionalSecurityGroupIDs`;
  const hasNetwork = subnets.length > 0 || (vpc?.subnets ?? []).length > 0;
  return [
    ...when(groups.length > 0 && !hasNetwork, () =>
      error(place, 'it needs an existing VPC', 'Name its subnets, or remove the groups'),
    ),
    ...when(groups.length > MAX_GROUPS, () =>
      error(place, `it has ${groups.length}`, `Use at most ${MAX_GROUPS}`),
    ),
  ];
}

function checkInstance(
  path: string,
  pool: string,
  type: string | undefined,
  facts: InstallFacts,
): Violation[] {
  const known = type === undefined ? undefined : facts.aws?.instanceTypes?.[type];
  if (!known) return [];
  const needed = pool === 'master' ? NEEDED.master : NEEDED.worker;
  return when(known.vcpus < needed.vcpus || known.memoryMiB < needed.memoryMiB, () =>
    error(
      `${path}.type`,
      `"${type}" has ${known.vcpus} vCPU and ${known.memoryMiB} MiB`,
      `Use one with at least ${needed.vcpus} vCPU and ${needed.memoryMiB} MiB`,
    ),
  );
}

import { parseCidr } from '../ip.ts';
import { type InstallConfig, platformOf } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

/** The services decide: what families they have, machines and pods must have too. */
export function checkFamilies(
  config: InstallConfig,
  lists: Readonly<Record<string, readonly string[]>>,
): Violation[] {
  const services = familiesOf(lists['networking.serviceNetwork'] ?? []);
  const platform = platformOf(config);
  const onlyV6 = services.has(6) && !services.has(4);
  const isDual = services.size > 1;
  const family = String(config.platform.aws?.ipFamily ?? '');
  const lacking = Object.entries(lists).flatMap(([path, ranges]) =>
    [...services]
      .filter((family) => ranges.length > 0 && !familiesOf(ranges).has(family))
      .map((family) => ({ path, family })),
  );
  return [
    ...lacking.map(({ path, family }) =>
      error(
        path,
        `it has no IPv${family} range, and the service network has one`,
        `Add an IPv${family} range, or take it out of the service network`,
      ),
    ),
    ...when(onlyV6 && platform === 'aws', () =>
      error(
        'networking',
        `a cluster on ${platform} cannot live from IPv6 alone`,
        'Add IPv4 ranges',
      ),
    ),
    ...when(isDual && platform === 'aws' && !family.startsWith('DualStack'), () =>
      error(
        'networking',
        'on aws both address families need platform.aws.ipFamily',
        'Keep IPv4 ranges only, or set ipFamily to "DualStackIPv4Primary"',
      ),
    ),
    ...(isDual && platform === 'nutanix' ? checkOrder(lists) : []),
  ];
}

function checkOrder(lists: Readonly<Record<string, readonly string[]>>): Violation[] {
  return Object.entries(lists)
    .filter(([, [first = '']]) => parseCidr(first)?.family === 6)
    .map(([path]) => error(path, 'it starts with an IPv6 range', 'Put IPv4 first'));
}

function familiesOf(ranges: readonly string[]): Set<4 | 6> {
  return new Set(ranges.flatMap((range) => parseCidr(range)?.family ?? []));
}

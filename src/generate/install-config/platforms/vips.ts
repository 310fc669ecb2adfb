import * as z from 'zod';
import { parseAddress, parseCidr } from '../../ip.ts';
import { type Fields, given, part, text, texts } from '../fields.ts';
import { familiesOf, isWithin, rangesOf } from '../sections/networks.ts';
import { error, missing, oneOf, repeated, type Violation, warning, when } from '../violation.ts';
import type { PlatformConfig } from './platform.ts';

// Platforms with addresses of their own instead of a cloud's load balancer.

export const vipInput = { apiVips: z.array(given), ingressVips: z.array(given) };

export const vipFields = {
  apiVIPs: texts,
  ingressVIPs: texts,
  /** Deprecated. */
  apiVIP: text,
  ingressVIP: text,
  loadBalancer: part({ type: text }),
  dnsRecordsType: text,
};

export const buildVips = (input: {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
}) => ({ apiVIPs: [...input.apiVips], ingressVIPs: [...input.ingressVips] });

/** `required`: the cluster cannot be installed without them, nor with others than of its machines. */
export function checkVips(
  path: string,
  section: Fields<typeof vipFields>,
  config: PlatformConfig,
  required: boolean,
): Violation[] {
  const api = section.apiVIPs ?? (section.apiVIP ? [section.apiVIP] : []);
  const ingress = section.ingressVIPs ?? (section.ingressVIP ? [section.ingressVIP] : []);
  const userManaged = section.loadBalancer?.type === 'UserManaged';
  const shared = userManaged ? [] : api.filter((vip) => ingress.includes(vip));
  const isNeeded = required || api.length + ingress.length > 0;
  return [
    ...checkOldVip(`${path}.apiVIP`, section.apiVIP, api),
    ...checkOldVip(`${path}.ingressVIP`, section.ingressVIP, ingress),
    ...Object.entries({ apiVIPs: api, ingressVIPs: ingress }).flatMap(([field, vips]) => [
      ...when(isNeeded && vips.length === 0, () =>
        error(`${path}.${field}`, 'it is empty', 'Name an unused address of the machine network'),
      ),
      ...vips.flatMap((vip, index) =>
        checkVip(`${path}.${field}[${index}]`, vip, config, userManaged ? undefined : required),
      ),
      ...checkVipFamilies(`${path}.${field}`, vips, config),
    ]),
    ...when(shared.length > 0, () =>
      error(
        `${path}.ingressVIPs`,
        `${shared.join(', ')} is an API address too`,
        'Use another address',
      ),
    ),
    ...(section.loadBalancer
      ? missing(`${path}.loadBalancer`, section.loadBalancer, ['type'])
      : []),
    ...oneOf(`${path}.loadBalancer.type`, section.loadBalancer?.type, [
      'OpenShiftManagedDefault',
      'UserManaged',
    ]),
    ...when(section.dnsRecordsType === 'External' && !userManaged, () =>
      error(`${path}.dnsRecordsType`, 'it needs a load balancer of your own', 'Remove it'),
    ),
  ];
}

function checkOldVip(path: string, vip: string | undefined, vips: readonly string[]): Violation[] {
  if (!vip) return [];
  if (!vips.includes(vip)) return [error(path, `it is not among ${path}s`, 'Remove it')];
  return [warning(path, 'it is deprecated', `Use ${path}s, a list`)];
}

function checkVip(
  path: string,
  vip: string,
  config: PlatformConfig,
  mustBeInside: boolean | undefined,
): Violation[] {
  const address = parseAddress(vip);
  if (!address) return [error(path, `"${vip}" is not an address`, 'Write an IPv4 or IPv6 address')];
  const outside = mustBeInside !== undefined && !isWithin(rangesOf(config).machine, address);
  const found = mustBeInside ? error : warning;
  return when(outside, () =>
    found(
      path,
      `${vip} is outside of networking.machineNetwork`,
      'Use an address of the machine network',
    ),
  );
}

/** One of each family at most; where there are both, first that of the first ranges. */
function checkVipFamilies(
  path: string,
  vips: readonly string[],
  config: PlatformConfig,
): Violation[] {
  const families = vips.map((vip) => parseAddress(vip)?.family);
  const lists = rangesOf(config);
  const firsts = Object.values(lists).flatMap(([range = '']) => parseCidr(range)?.family ?? []);
  const isDual = familiesOf(lists.service).size > 1;
  return [
    ...when(repeated(families).length > 0 || families.length > 2, () =>
      error(path, `it has ${vips.length} addresses`, 'Name one, or one of each address family'),
    ),
    ...when(isDual && vips.length > 0 && firsts.some((family) => family !== families[0]), () =>
      error(
        path,
        'its first address is of another family than the first ranges',
        'Put the family of the first ranges first',
      ),
    ),
  ];
}

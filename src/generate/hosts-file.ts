import { AtollError } from '../core/errors.ts';
import { byFirst, sortedUnique } from '../core/order.ts';
import { hostNameOf } from '../oci/registries/location.ts';
import { parseAddress } from './ip.ts';
import type { MirrorRule } from './mirror-rule.ts';

export interface HostEntry {
  readonly address: string;
  readonly names: readonly string[];
}

const HEAD = [
  '127.0.0.1 localhost localhost.localdomain localhost4 localhost4.localdomain4',
  '::1 localhost localhost.localdomain localhost6 localhost6.localdomain6',
];
const NAME =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/;

/** `/etc/hosts` with the usual lines for localhost. A name may stand for one address of a family only. */
export function hostsFile(entries: readonly HostEntry[]): string {
  const byAddress = new Map<string, string[]>();
  for (const { address, names } of entries) {
    names.forEach(checkName);
    byAddress.set(address, [...(byAddress.get(address) ?? []), ...names]);
  }
  checkNoConflict(byAddress);
  const lines = [...byAddress.entries()]
    .toSorted(byFirst)
    .map(([address, names]) => [address, ...sortedUnique(names)].join(' '));
  return `${[...HEAD, ...lines].join('\n')}\n`;
}

/** The upstream names of these rules, all pointed at one address: the bastion. */
export function upstreamHosts(rules: readonly MirrorRule[], address: string): HostEntry {
  const names = rules.map(({ source }) => hostNameOf(source)).filter((name) => NAME.test(name));
  return { address, names: sortedUnique(names) };
}

function checkName(name: string): void {
  if (NAME.test(name) && name.length <= 253) return;
  throw new AtollError('INPUT_INVALID', `Cannot put "${name}" into a hosts file`, {
    hint: 'Use a host name without port, scheme or wildcard',
  });
}

function checkNoConflict(byAddress: ReadonlyMap<string, readonly string[]>): void {
  const seen = new Map<string, string>();
  for (const [address, names] of byAddress) {
    const parsed = parseAddress(address);
    if (!parsed) throw notAnAddress(address);
    for (const name of new Set(names)) {
      const key = `${parsed.family} ${name}`;
      const other = seen.get(key);
      if (other !== undefined) throw conflict(name, other, address);
      seen.set(key, address);
    }
  }
}

function notAnAddress(address: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot put "${address}" into a hosts file`, {
    hint: 'Use an IPv4 or IPv6 address',
  });
}

function conflict(name: string, a: string, b: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot point "${name}" at both ${a} and ${b}`, {
    hint: 'Name it once for each address family',
  });
}

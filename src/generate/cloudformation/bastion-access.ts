import { AtollError } from '../../core/errors.ts';
import { byText, sortedUnique } from '../../core/order.ts';
import { formatCidr, isCanonical, parseCidr } from '../ip.ts';
import type { Value } from './template.ts';

/** Who reaches which port of a bastion. A service that is not named has no open port. */
export interface BastionAccess {
  /** Networks of the people who log in by SSH. `0.0.0.0/0` only if it is named here. */
  readonly operators: readonly string[];
  /** Networks of the machines that use the services: usually the range of the VPC. */
  readonly clients: readonly string[];
  readonly registry?: number | undefined;
  readonly caches?: readonly number[] | undefined;
  readonly proxy?: readonly number[] | undefined;
  /** Services that operators reach from outside, too: to push images from there. */
  readonly openToOperators?: readonly BastionService[] | undefined;
  /** Where the bastion may go; everywhere unless it is said. */
  readonly egress?: readonly string[] | undefined;
}

export type BastionService = 'registry' | 'caches' | 'proxy';

const SSH_PORT = 22;

interface Opening {
  readonly port: number;
  readonly cidr: string;
  readonly why: string;
}

/** The rules of the security group, each network and port once. */
export function ingressRules(access: BastionAccess): readonly Value[] {
  if (access.operators.length === 0) {
    throw new AtollError('INPUT_INVALID', 'Cannot make a bastion that nobody may log in to', {
      hint: 'Name the network you work from, such as 203.0.113.7/32',
    });
  }
  return openings(access)
    .toSorted((a, b) => a.port - b.port || byText(a.cidr, b.cidr))
    .map(({ port, cidr, why }) => ({
      IpProtocol: 'tcp',
      FromPort: port,
      ToPort: port,
      ...cidrField(cidr),
      Description: why,
    }));
}

export function egressRules({ egress = ['0.0.0.0/0'] }: BastionAccess): readonly Value[] {
  return sortedUnique(egress.map(canonical)).map((cidr) => ({
    IpProtocol: '-1',
    ...cidrField(cidr),
    Description: 'Out',
  }));
}

function openings(access: BastionAccess): Opening[] {
  const services = [
    { name: 'registry', ports: access.registry === undefined ? [] : [access.registry] },
    { name: 'caches', ports: access.caches ?? [] },
    { name: 'proxy', ports: access.proxy ?? [] },
  ] as const;
  const open = [
    ...access.operators.map((cidr) => ({ port: SSH_PORT, cidr, why: 'SSH of operators' })),
    ...services.flatMap(({ name, ports }) =>
      ports.flatMap((port) =>
        clientsOf(access, name).map((cidr) => ({ port: checkPort(port), cidr, why: name })),
      ),
    ),
  ].map((opening) => ({ ...opening, cidr: canonical(opening.cidr) }));
  const keys = open.map(({ port, cidr }) => `${port} ${cidr}`);
  return open.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

function clientsOf(access: BastionAccess, service: BastionService): readonly string[] {
  const outside = access.openToOperators?.includes(service) ? access.operators : [];
  return [...access.clients, ...outside];
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port > 0 && port < 65_536 && port !== SSH_PORT) return port;
  throw new AtollError('INPUT_INVALID', `Cannot offer a service on port ${port}`, {
    hint: `Use 1 to 65535, but not ${SSH_PORT}`,
  });
}

function canonical(text: string): string {
  const cidr = parseCidr(text);
  if (cidr && isCanonical(cidr)) return formatCidr(cidr);
  throw new AtollError('INPUT_INVALID', `Cannot open a port to "${text}"`, {
    hint: cidr
      ? `Write the network as ${formatCidr(cidr)}`
      : 'Write a network such as 203.0.113.7/32',
  });
}

const cidrField = (cidr: string): { readonly [key: string]: Value } =>
  cidr.includes(':') ? { CidrIpv6: cidr } : { CidrIp: cidr };

import { Resolver } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { PlatformSite, PreflightCheck } from '../platform.ts';

/** What a port answers: nothing, a refusal, or a connection. */
type Answer = 'open' | 'refused' | 'silent';

export interface NetworkProbes {
  /** Addresses of a name, as the name servers of the hosts know them; empty when there is none. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  readonly knock: (address: string, port: number) => Promise<Answer>;
}

const PATIENCE_MS = 3000;

/** Asks name servers, and no file of this machine: nodes will not have that file. */
export function networkProbes(servers: readonly string[]): NetworkProbes {
  const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);
  return {
    async resolve(name) {
      const none = () => [];
      const found = await Promise.all([
        resolver.resolve4(name).catch(none),
        resolver.resolve6(name).catch(none),
      ]);
      return found.flat();
    },
    knock: (address, port) =>
      new Promise((answer) => {
        const socket = connect({ host: address, port, timeout: PATIENCE_MS });
        const end = (how: Answer) => {
          socket.destroy();
          answer(how);
        };
        socket.once('connect', () => end('open'));
        socket.once('timeout', () => end('silent'));
        socket.once('error', ({ code }: NodeJS.ErrnoException) =>
          end(code === 'ECONNREFUSED' ? 'refused' : 'silent'),
        );
      }),
  };
}

interface WantedName {
  readonly name: string;
  readonly why: string;
  /** Ports of the load balancer behind it. */
  readonly ports: readonly number[];
}

/** Names that must be there before machines boot, on a network that belongs to somebody else. */
function wantedNames({ domain, mirror }: Pick<PlatformSite, 'domain' | 'mirror'>): WantedName[] {
  const host = mirror?.replace(/:\d+$/, '') ?? '';
  return [
    { name: `api.${domain}`, why: 'people and nodes find the API by it', ports: [6443] },
    { name: `api-int.${domain}`, why: 'machines fetch their configuration there', ports: [22623] },
    { name: `atoll-doctor.apps.${domain}`, why: '*.apps leads to the routers', ports: [443, 80] },
    ...(isIP(host) || host === ''
      ? []
      : [{ name: host, why: 'nodes pull every image from it', ports: [] }]),
  ];
}

/** DNS and load balancers, as nodes will find them. Nothing but a boot needs them. */
export async function networkChecks(
  site: Pick<PlatformSite, 'domain' | 'mirror'>,
  probes: NetworkProbes,
): Promise<PreflightCheck[]> {
  const checks = await Promise.all(wantedNames(site).map((wanted) => nameChecks(wanted, probes)));
  return checks.flat();
}

async function nameChecks(
  { name, why, ports }: WantedName,
  probes: NetworkProbes,
): Promise<PreflightCheck[]> {
  const shown = name.replace(/^atoll-doctor\./, '*.');
  const addresses = await probes.resolve(name);
  const [address] = addresses;
  if (address === undefined)
    return [
      {
        ...{ subject: `DNS ${shown}`, severity: 'error', stops: 'boot' },
        message: `The name ${shown} has no address: ${why}`,
        hint: `Add it to the DNS of the hosts; if that is not the DNS of this machine, name its servers: platform.dns`,
      },
    ];
  const known = { subject: `DNS ${shown}`, severity: 'ok', message: addresses.join(', ') } as const;
  const doors = ports.map(async (port): Promise<PreflightCheck> => {
    const subject = `port ${shown}:${port}`;
    const answer = await probes.knock(address, port);
    if (answer === 'open') return { subject, severity: 'ok', message: 'somebody listens' };
    const found = answer === 'refused' ? 'refuses connections' : 'does not answer';
    return {
      ...{ subject, severity: 'warning', stops: 'boot' },
      message: `${address} ${found} at port ${port} (${shown})`,
      hint: 'Set up the load balancer; some of them answer only once a machine behind them does',
    };
  });
  return [known, ...(await Promise.all(doors))];
}

/** Where every kubelet listens. */
const KUBELET = 10_250;

/** A host that is to become a node must not be one: whoever boots it would take a running machine away. */
export async function hostChecks(
  machines: readonly {
    readonly name: string;
    readonly addresses?: readonly string[] | undefined;
  }[],
  { knock }: Pick<NetworkProbes, 'knock'>,
): Promise<PreflightCheck[]> {
  const checks = machines.map(async ({ name, addresses = [] }): Promise<PreflightCheck[]> => {
    const [address] = addresses;
    if (address === undefined) return [];
    const subject = `host ${name}`;
    if ((await knock(address, KUBELET)) !== 'open')
      return [{ subject, severity: 'ok', message: `${address} is no node of a cluster` }];
    return [
      {
        ...{ subject, severity: 'error', stops: 'boot' },
        message: `${address} (${name}) runs a kubelet already: it is a node of some cluster`,
        hint: 'Correct its address in platform.machines, or take that node out of its cluster',
      },
    ];
  });
  return (await Promise.all(checks)).flat();
}

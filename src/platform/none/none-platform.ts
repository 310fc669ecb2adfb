import * as z from 'zod';
import { exists } from '../../core/files.ts';
import { counted } from '../../core/format.ts';
import type { SshTarget } from '../../host/ssh-host.ts';
import { type ClusterMachine, definePlatform, type PlatformSite } from '../platform.ts';
import { givenBastion, pinOf } from '../shared/given-bastion.ts';
import { hostChecks, networkChecks, networkProbes } from '../shared/given-network.ts';
import { installer } from '../shared/installer.ts';
import { verifyInstalled } from '../shared/verify-installed.ts';

const login = z.strictObject({
  user: z.string().default('core'),
  port: z.number().int().min(1).max(65_535).optional(),
  jump: z.string().optional().describe('Hosts on the way there, as "ssh -J" takes them'),
  hostKeys: z
    .array(z.string())
    .default([])
    .describe('Its host keys, or their fingerprints; default: the hosts you know'),
});

const machine = z.strictObject({
  name: z.string().min(1).describe('Name of the node, as its kubelet gives it'),
  role: z.enum(['bootstrap', 'control-plane', 'worker']),
  addresses: z.array(z.string()).optional().describe('Addresses that belong to it'),
  ssh: login
    .optional()
    .describe(
      'How to log in to it; read of the bootstrap machine, whose journal says what it does',
    ),
}) satisfies z.ZodType<ClusterMachine>;

const settings = z.strictObject({
  type: z.literal('none'),
  machines: z
    .array(machine)
    .default([])
    .describe('The hosts: only their requests to join the cluster are granted'),
  dns: z
    .array(z.string())
    .default([])
    .describe('Name servers of the hosts, where they are not those of this machine'),
});

/** Machines and network are there and belong to somebody else: nothing is made, nothing removed. */
export const nonePlatform = definePlatform({
  name: 'none',
  summary: 'hosts of your own',
  settings,
  installPlatform: () => ({ platform: { type: 'none' } }),
  async open(site) {
    const { machines, dns } = site.settings;
    const bootstrap = bootstrapOf(machines);
    const { host, ...bastion } = givenBastion(site.bastion);
    const { boot, watch, installs, ...install } = installer(site, { host, machines: 'there' });
    const { verify, ...proof } = verifyInstalled(site);
    return {
      machines,
      bootstrap,
      installs,
      plan: () => ({
        infrastructure: [
          'use the network and the hosts that are there; nothing is made',
          `look up api, api-int, *.apps and the mirror${dns.length > 0 ? ` at ${dns.join(', ')}` : ''}`,
        ],
        bastion: bastion.plan,
        cluster: [
          ...install.plan,
          ...(bootstrap
            ? [`read the journal of the bootstrap machine at ${bootstrap.address}`]
            : []),
          admission(machines),
        ],
        verify: proof.plan,
      }),
      preflight: async (ctx) => [
        ...(await bastion.checks(ctx)),
        ...countChecks(site, machines),
        ...(await networkChecks(site, networkProbes(dns))),
        // Once the installer has begun they may well be ours.
        ...((await exists(installs?.kubeconfig ?? ''))
          ? []
          : await hostChecks(machines, networkProbes(dns))),
      ],
      provision: async () => undefined,
      bastion: host,
      boot,
      watch,
      verify,
      remove: async () => false,
      close: bastion.close,
    };
  },
});

function bootstrapOf(machines: readonly z.output<typeof machine>[]): SshTarget | undefined {
  const found = machines.find(({ role }) => role === 'bootstrap');
  const address = found?.addresses?.[0];
  if (address === undefined) return undefined;
  const { hostKeys, ...way } = login.parse(found?.ssh ?? {});
  return { ...way, address, pin: pinOf({ hostKeys }) };
}

function admission(machines: readonly ClusterMachine[]): string {
  if (machines.length === 0)
    return 'let nobody in by itself: platform.machines names no hosts, so certificates are yours to approve';
  const names = machines.flatMap(({ name, role }) => (role === 'bootstrap' ? [] : name));
  return `grant the certificates of ${names.join(', ')}, and of nobody else`;
}

/** Hosts that are named, but not as many as the cluster has, are a mistake in one of both. */
function countChecks({ cluster }: PlatformSite, machines: readonly ClusterMachine[]) {
  if (machines.length === 0) return [];
  const wanted = { 'control-plane': cluster.controlPlane, worker: cluster.workers } as const;
  return Object.entries(wanted).flatMap(([role, count]) => {
    const named = machines.filter((one) => one.role === role).length;
    if (named === count) return [];
    return {
      subject: 'platform.machines',
      severity: 'error' as const,
      message: `platform.machines names ${counted(named, `${role} machine`)}, the cluster has ${count}`,
      hint: 'Name each host of the cluster, or change cluster.controlPlane and cluster.workers',
    };
  });
}

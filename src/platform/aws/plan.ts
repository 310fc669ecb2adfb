import type { OpenPlatform } from '../platform.ts';
import type { AwsSite } from './network.ts';
import { stackName } from './network.ts';
import { networkInput } from './stack-inputs.ts';

type Plan = ReturnType<OpenPlatform['plan']>;

/** What the platform will do in each stage, for people. */
export function planAws(site: AwsSite, given: Pick<Plan, 'bastion' | 'cluster' | 'verify'>): Plan {
  const { settings, shape, disconnected } = site;
  const { endpoints = [], zoneName } = networkInput(site);
  const network = settings.vpc
    ? `use the network ${settings.vpc} and add what it lacks`
    : `make a network of ${settings.cidr ?? shape.machineNetwork} ${disconnected ? 'without a way out' : 'with a way out through NAT'}`;
  const services = endpoints.length > 0 ? `, with endpoints for ${endpoints.join(', ')}` : '';
  const zone = zoneName
    ? `, with the private zone ${zoneName}`
    : `, with the zone ${settings.hostedZone}`;
  return {
    infrastructure: [
      'look at credentials, quotas, machines and names first; nothing is made while something is in the way',
      `${network}${services}${zone} (stack ${stackName(site.name, 'network')} in ${settings.region})`,
      ...(shape.credentialsMode === 'Manual'
        ? [
            `make a user for each operator that asks for rights (stack ${stackName(site.name, 'credentials')})`,
          ]
        : []),
    ],
    bastion: site.bastion.address === undefined ? madeBastion(site) : given.bastion,
    cluster: [
      ...given.cluster,
      ...(disconnected
        ? [`meanwhile write *.apps.${site.domain}, once the router has its load balancer`]
        : []),
    ],
    verify: given.verify,
  };
}

function madeBastion(site: AwsSite): readonly string[] {
  const { settings, shape } = site;
  const image = shape.bastion.ami ?? 'the image of CoreOS that the release names';
  const address = settings.publicAddress === false ? 'no address outside' : 'an address outside';
  return [
    `make a machine from ${image}, with ${address} (stack ${stackName(site.name, 'bastion')})`,
    'trust it by the host keys on its console, and take away what it booted from',
  ];
}

import * as z from 'zod';
import { knows } from '../../../openshift/features.ts';
import { type Given, given } from '../fields.ts';
import { definePlatform } from './platform.ts';
import { buildVips, checkVips, vipInput } from './vips.ts';
import { checkVsphere } from './vsphere-checks.ts';
import { PATH, pool, section } from './vsphere-section.ts';

export const vsphereInput = z.strictObject({
  ...vipInput,
  type: z.literal('vsphere'),
  server: given,
  username: given,
  password: given,
  datacenter: given,
  cluster: given,
  datastore: given,
  network: given,
  folder: given.optional(),
  resourcePool: given.optional(),
  /** A template or OVA that can be reached without the internet. */
  template: given.optional(),
  clusterOsImage: given.optional(),
});
type Input = Given<typeof vsphereInput>;

export const vsphere = definePlatform({
  traits: { name: 'vsphere', capabilities: ['CloudCredential', 'CloudControllerManager'] },
  section,
  pool,
  secretsOf: (input: Input) => [input.password],
  build: (input: Input, version) =>
    knows(version, 'vsphereFailureDomains') ? build(input) : buildOld(input),
  check: (own, config, facts) => [
    ...(knows(facts.version, 'vsphereFailureDomains') ? checkVips(PATH, own, config, false) : []),
    ...checkVsphere(own, config, facts),
  ],
});

function build(input: Input) {
  const { server, datacenter, cluster, datastore, network } = input;
  const { folder, resourcePool, template } = input;
  const topology = {
    datacenter,
    computeCluster: cluster.startsWith('/') ? cluster : `/${datacenter}/host/${cluster}`,
    datastore: datastore.startsWith('/') ? datastore : `/${datacenter}/datastore/${datastore}`,
    networks: [network],
    ...(folder ? { folder } : {}),
    ...(resourcePool ? { resourcePool } : {}),
    ...(template ? { template } : {}),
  };
  const { username: user, password } = input;
  const name = 'failure-domain-1';
  return {
    ...buildVips(input),
    vcenters: [{ server, port: 443, user, password, datacenters: [datacenter] }],
    failureDomains: [{ name, region: 'region-1', zone: 'zone-1', server, topology }],
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
  };
}

function buildOld(input: Input) {
  const { username, password, datacenter, cluster, network, folder } = input;
  const [apiVIP] = input.apiVips;
  const [ingressVIP] = input.ingressVips;
  return {
    ...{ vCenter: input.server, username, password, datacenter },
    ...{ defaultDatastore: input.datastore, cluster, network },
    ...(folder ? { folder } : {}),
    ...(apiVIP ? { apiVIP } : {}),
    ...(ingressVIP ? { ingressVIP } : {}),
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
  };
}

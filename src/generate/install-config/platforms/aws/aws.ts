import { byText, sortedRecord, sortedUnique } from '../../../../core/order.ts';
import { knows } from '../../../../openshift/features.ts';
import type { ReleaseVersion } from '../../../../openshift/version.ts';
import { definePlatform } from '../platform.ts';
import { checkAws } from './check.ts';
import { awsPool, awsSection } from './fields.ts';
import type { AwsInput } from './input.ts';
import { checkAwsPools } from './pools.ts';

export const aws = definePlatform({
  traits: {
    name: 'aws',
    credentialsModes: ['Manual', 'Mint', 'Passthrough'],
    isCloud: true,
    dottedNames: true,
    architectures: ['amd64', 'arm64'],
    mixedArchitectures: 'any',
    singleNode: 'any',
    capabilities: ['CloudCredential', 'CloudControllerManager'],
  },
  section: awsSection,
  pool: awsPool,
  build,
  buildPool,
  check: (own, config, facts) => [
    ...checkAws(own, config, facts),
    ...checkAwsPools(own, config, facts),
  ],
});

function build(input: AwsInput, version: ReleaseVersion | undefined) {
  const subnets = (input.subnets ?? []).toSorted((a, b) => byText(a.id, b.id));
  const endpoints = Object.entries(sortedRecord(input.serviceEndpoints ?? {}));
  return {
    region: input.region,
    ...(subnets.length > 0 ? buildSubnets(subnets, version) : {}),
    ...(input.hostedZone ? { hostedZone: input.hostedZone } : {}),
    ...(input.hostedZoneRole ? { hostedZoneRole: input.hostedZoneRole } : {}),
    ...(input.amiId ? { amiID: input.amiId } : {}),
    ...(input.userTags ? { userTags: sortedRecord(input.userTags) } : {}),
    ...(endpoints.length > 0
      ? { serviceEndpoints: endpoints.map(([name, url]) => ({ name, url })) }
      : {}),
    ...(input.userProvisionedDns ? { userProvisionedDNS: 'Enabled' } : {}),
  };
}

/** Old releases know subnets only as a list of their ids. */
function buildSubnets(
  subnets: NonNullable<AwsInput['subnets']>,
  version: ReleaseVersion | undefined,
) {
  if (!knows(version, 'awsVpcSubnets')) return { subnets: subnets.map(({ id }) => id) };
  const entries = subnets.map(({ id, roles }) => ({
    id,
    ...(roles?.length ? { roles: sortedUnique(roles).map((type) => ({ type })) } : {}),
  }));
  return { vpc: { subnets: entries } };
}

function buildPool({ zones = [], ...input }: AwsInput, role: 'master' | 'worker') {
  const type = role === 'master' ? input.controlPlaneType : input.computeType;
  if (!type && zones.length === 0) return undefined;
  return {
    ...(type ? { type } : {}),
    ...(zones.length > 0 ? { zones: sortedUnique(zones) } : {}),
  };
}

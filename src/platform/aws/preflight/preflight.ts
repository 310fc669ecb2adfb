import type { Context } from '../../../core/context.ts';
import { counted } from '../../../core/format.ts';
import { DEFAULT_INSTANCE_TYPE } from '../../../generate/cloudformation/bastion.ts';
import type { PreflightCheck } from '../../platform.ts';
import { checked } from '../../shared/checked.ts';
import { childrenOf, listOf, textOf, under } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { awsNameOf } from '../client/failure.ts';
import { findNetwork } from '../existing-network.ts';
import { type AwsSite, stackName } from '../network.ts';
import { findStack } from '../stacks/stack-state.ts';
import { type Demand, quotaChecks } from './quotas.ts';

/** What the installer takes for machines of a cluster unless it is told otherwise. */
const NODE_TYPE = 'm6i.xlarge';

/** Looks at the account and at what the site names, before anything is made. */
export async function awsPreflight(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
): Promise<PreflightCheck[]> {
  const identity = await checked('credentials', () => identityCheck(ctx, aws));
  // Without credentials every other look would say the same again.
  if (identity.some(({ severity }) => severity === 'error')) return identity;
  const parts = [
    identity,
    await accessChecks(site),
    namesChecks(site),
    familyChecks(site),
    await checked('quotas', async () => quotaChecks(ctx, aws, await demandOf(ctx, aws, site))),
    await checked('machines', () => machineChecks(ctx, aws, site)),
    await checked('image', () => imageChecks(ctx, aws, site)),
    await checked('network', () => networkChecks(ctx, aws, site)),
    await checked('zone', () => zoneChecks(ctx, aws, site)),
  ];
  return parts.flat();
}

async function identityCheck(ctx: Context, aws: Aws): Promise<PreflightCheck[]> {
  const answer = await aws.query(ctx, 'sts', 'GetCallerIdentity');
  const arn = textOf(answer, 'GetCallerIdentityResult', 'Arn');
  return [{ subject: 'credentials', severity: 'ok', message: `works in ${aws.region} as ${arn}` }];
}

const makesBastion = ({ bastion }: AwsSite) => bastion.address === undefined;

async function accessChecks(site: AwsSite): Promise<PreflightCheck[]> {
  if (!makesBastion(site)) return [];
  const { authorizedKeys, allowFrom } = site.shape.bastion;
  const lacks: PreflightCheck[] = [];
  if ((await authorizedKeys()).length === 0) {
    lacks.push({
      subject: 'bastion',
      severity: 'error',
      message: 'Nobody could log in to the bastion: no public key is named',
      hint: 'Write the file of your public SSH key: bastion.sshKey',
    });
  }
  if (allowFrom.length === 0) {
    lacks.push({
      subject: 'bastion',
      severity: 'error',
      message: 'Nobody could reach the bastion: its port 22 is open to no network',
      hint: 'Write the network you work from: bastion.allowFrom: [203.0.113.7/32]',
    });
  }
  return lacks;
}

/** What has no endpoint in a network without a way out, and what that means. */
function namesChecks({ domain, disconnected, shape }: AwsSite): PreflightCheck[] {
  if (!disconnected) return [];
  const checks: PreflightCheck[] = [
    {
      subject: 'Route 53',
      severity: 'warning',
      message: `The cluster cannot reach Route 53, which has no endpoint: atoll writes *.apps.${domain} from here, once the router has its load balancer`,
      hint: 'Let "atoll up" run until the cluster is there; later changes of the router’s load balancer need its record changed, too',
    },
  ];
  if (shape.credentialsMode === 'Manual') return checks;
  return [
    ...checks,
    {
      subject: 'IAM',
      severity: 'error',
      message:
        'The cluster cannot reach IAM, which has no endpoint, to make users for its operators',
      hint: 'Let atoll make them: cluster.credentialsMode: Manual',
    },
  ];
}

/** No release installs on both families unless its whole cluster becomes a preview that cannot be updated. */
function familyChecks({ settings }: AwsSite): PreflightCheck[] {
  if (settings.dualStack !== true) return [];
  return [
    {
      subject: 'IPv6',
      severity: 'warning',
      message:
        'The network gets IPv6, the cluster does not: on AWS that is a Technology Preview (AWSDualStackInstall), and clusters with it cannot be updated',
      hint: 'To have it all the same, write platform.aws.ipFamily, two ranges of each network and the feature gate into install-config.yaml after the config stage',
    },
  ];
}

/** What is there already from an earlier run needs no room. */
async function demandOf(ctx: Context, aws: Aws, site: AwsSite): Promise<Demand> {
  const { vpc, nat, zones, publicAddress } = site.settings;
  const isMade = async (part: 'network' | 'bastion') =>
    (await findStack(ctx, aws, stackName(site.name, part))) !== undefined;
  const newNetwork = vpc === undefined && !(await isMade('network'));
  const newBastion = makesBastion(site) && publicAddress !== false && !(await isMade('bastion'));
  const zoneCount = zones?.length ?? 3;
  const gateways = site.disconnected
    ? 0
    : { none: 0, single: 1, 'per-zone': zoneCount }[nat ?? 'per-zone'];
  return {
    vpcs: newNetwork ? 1 : 0,
    addresses: (newNetwork ? gateways : 0) + (newBastion ? 1 : 0),
  };
}

/** Whether each zone has the kinds of machines that will run there. */
async function machineChecks(ctx: Context, aws: Aws, site: AwsSite): Promise<PreflightCheck[]> {
  const zones = await zonesOf(ctx, aws, site);
  const types = [
    NODE_TYPE,
    ...(makesBastion(site) ? [site.settings.instanceType ?? DEFAULT_INSTANCE_TYPE] : []),
  ];
  const answer = await aws.query(ctx, 'ec2', 'DescribeInstanceTypeOfferings', {
    LocationType: 'availability-zone',
    Filter: [{ Name: 'instance-type', Value: types }],
  });
  const offered = listOf(answer, 'instanceTypeOfferingSet').map(
    (each) => `${textOf(each, 'instanceType')} ${textOf(each, 'location')}`,
  );
  const missing = types.flatMap((type) =>
    zones
      .filter((zone) => !offered.includes(`${type} ${zone}`))
      .map((zone) => `${type} in ${zone}`),
  );
  const known =
    zones.length > 0 ? `${types.join(' and ')} in ${zones.join(', ')}` : types.join(' and ');
  if (missing.length === 0)
    return [{ subject: 'machines', severity: 'ok', message: `there are ${known}` }];
  return [
    {
      subject: 'machines',
      severity: 'error',
      message: `AWS does not offer ${missing.join(', ')}`,
      hint: 'Name other zones (platform.zones), or another kind of machine for the bastion (platform.instanceType)',
    },
  ];
}

async function zonesOf(ctx: Context, aws: Aws, { settings }: AwsSite): Promise<readonly string[]> {
  if (settings.zones) return settings.zones;
  if (settings.vpc) return [];
  const answer = await aws.query(ctx, 'ec2', 'DescribeAvailabilityZones', {
    Filter: [{ Name: 'zone-type', Value: ['availability-zone'] }],
  });
  const names = listOf(answer, 'availabilityZoneInfo').map((zone) => textOf(zone, 'zoneName'));
  return names.slice(0, 3);
}

async function imageChecks(ctx: Context, aws: Aws, { shape }: AwsSite): Promise<PreflightCheck[]> {
  const { ami } = shape.bastion;
  if (ami === undefined) return [];
  const answer = await aws
    .query(ctx, 'ec2', 'DescribeImages', { ImageId: [ami] })
    .catch((error: unknown) => {
      if (awsNameOf(error)?.startsWith('InvalidAMIID')) return undefined;
      throw error;
    });
  const [image] = listOf(answer, 'imagesSet');
  if (image !== undefined) {
    return [{ subject: 'image', severity: 'ok', message: `${ami} is ${textOf(image, 'name')}` }];
  }
  return [
    {
      subject: 'image',
      severity: 'error',
      message: `There is no image ${ami} in ${aws.region}`,
      hint: 'Correct bastion.ami, or leave it out: the release names one',
    },
  ];
}

async function networkChecks(ctx: Context, aws: Aws, site: AwsSite): Promise<PreflightCheck[]> {
  const { vpc, subnets = [] } = site.settings;
  if (vpc === undefined) return [];
  const found = await findNetwork(ctx, aws, { site: site.name, vpc, subnets });
  const subject = `network ${vpc}`;
  const checks: PreflightCheck[] = [
    {
      subject,
      severity: 'ok',
      message: `${counted(found.subnets.length, 'subnet')} of ${found.cidr}`,
    },
  ];
  if (!found.dns.support || !found.dns.names) {
    checks.push({
      subject,
      severity: 'error',
      message:
        'Names of endpoints and zones would not resolve: DNS support or DNS hostnames are off',
      hint: `Switch them on: aws ec2 modify-vpc-attribute --vpc-id ${vpc} --enable-dns-support, then --enable-dns-hostnames`,
    });
  }
  const open = found.subnets.filter(({ waysOut }) => waysOut.length > 0);
  if (site.disconnected && open.length > 0) {
    checks.push({
      subject,
      severity: 'warning',
      message: `${open.map(({ id, waysOut }) => `${id} has a way out through ${waysOut.join(', ')}`).join('; ')}: the cluster would not be disconnected`,
      hint: 'Take the default route away, or make the site private: mode: private',
    });
  }
  return checks;
}

/** A zone that is not associated with the network resolves nothing there. */
async function zoneChecks(
  ctx: Context,
  aws: Aws,
  { settings }: AwsSite,
): Promise<PreflightCheck[]> {
  const { hostedZone, vpc } = settings;
  if (hostedZone === undefined) return [];
  const answer = await aws.rest(ctx, 'route53', {
    action: 'GetHostedZone',
    method: 'GET',
    path: `/2013-04-01/hostedzone/${encodeURIComponent(hostedZone)}`,
  });
  const subject = `zone ${hostedZone}`;
  const isPrivate = textOf(answer, 'HostedZone', 'Config', 'PrivateZone') === 'true';
  const vpcs = childrenOf(under(answer, 'VPCs'), 'VPC').map((each) => textOf(each, 'VPCId'));
  if (!isPrivate) {
    return [
      {
        subject,
        severity: 'error',
        message: 'It is a public zone: names of the cluster would be for all to see',
        hint: 'Name a private zone: platform.hostedZone',
      },
    ];
  }
  if (vpc === undefined || vpcs.includes(vpc)) {
    return [{ subject, severity: 'ok', message: `is ${textOf(answer, 'HostedZone', 'Name')}` }];
  }
  return [
    {
      subject,
      severity: 'error',
      message: `It is not asked from ${vpc}`,
      hint: `Associate it: aws route53 associate-vpc-with-hosted-zone --hosted-zone-id ${hostedZone} --vpc VPCRegion=${aws.region},VPCId=${vpc}`,
    },
  ];
}

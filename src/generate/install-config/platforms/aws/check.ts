import { nearest } from '../../../../core/nearest.ts';
import { knows } from '../../../../openshift/features.ts';
import { parseCidr } from '../../../ip.ts';
import type { InstallFacts } from '../../facts.ts';
import { poolsOf } from '../../sections/machines.ts';
import { familiesOf, isWithin, rangesOf } from '../../sections/networks.ts';
import { error, oneOf, type Violation, warning, when } from '../../violation.ts';
import type { PlatformConfig } from '../platform.ts';
import type { AwsPool, AwsSection } from './fields.ts';
import { checkSubnetFacts } from './subnet-facts.ts';
import { type ConfiguredSubnet, checkSubnets, subnetsOf } from './subnets.ts';

/** The AWS part, as far as it can be judged from here and from what is known of the VPC. */
export function checkAws(
  section: AwsSection,
  config: PlatformConfig,
  facts: InstallFacts,
): Violation[] {
  const subnets = subnetsOf(section);
  const isPrivate = config.publish === 'Internal';
  return [
    ...checkRegion(section),
    ...checkImage(section, config),
    ...checkSubnets(section, config.publish ?? 'External', facts),
    ...checkHostedZone(section, config, facts),
    ...checkEndpoints(section),
    ...checkTags(section),
    ...checkFamily(section, config),
    ...checkPrivate(section, isPrivate, facts),
    ...checkSubnetFacts(subnets, isPrivate, facts),
    ...checkMachineNetwork(subnets, config, facts),
  ];
}

/** Those of today; there may be more tomorrow, and some that nobody talks about. */
const REGIONS = (
  'af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ' +
  'ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ' +
  'ap-southeast-7 ca-central-1 ca-west-1 cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 ' +
  'eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 eusc-de-east-1 il-central-1 ' +
  'me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1 us-gov-west-1 ' +
  'us-iso-east-1 us-iso-west-1 us-isob-east-1 us-west-1 us-west-2'
).split(' ');
/** Where the installer cannot copy its image to. */
const OWN_IMAGE = /^(?:us-isob?-|cn-)/;

function checkRegion({ region = '', serviceEndpoints = [] }: AwsSection): Violation[] {
  const path = 'platform.aws.region';
  if (region === '') return [error(path, 'it is missing', 'Name the region')];
  const close = nearest(region, REGIONS);
  const fix = close ? `Did you mean "${close}"?` : 'Write it as "us-east-1"';
  const isForm = /^[a-z]{2,4}(?:-[a-z]+){1,2}-\d{1,2}$/.test(region);
  const isNew = isForm && !REGIONS.includes(region) && serviceEndpoints.length === 0;
  return [
    ...when(!isForm, () => error(path, `"${region}" is not a region`, fix)),
    ...when(isNew, () => warning(path, `"${region}" is not among the known regions`, fix)),
  ];
}

function checkImage({ region = '', ...section }: AwsSection, config: PlatformConfig): Violation[] {
  const isNamed =
    !!section.amiID ||
    !!section.defaultMachinePlatform?.amiID ||
    poolsOf(config).every(({ pool }) => (pool.platform as { aws?: AwsPool })?.aws?.amiID);
  return when(OWN_IMAGE.test(region) && !isNamed, () =>
    error('platform.aws.amiID', `there is no image in ${region}`, 'Upload one and name it'),
  );
}

const MAX_TAGS = 25;
const TAG = /^[0-9A-Za-z_.:/=+@,<>;?\p{Z}-]+$/u;
const RESERVED = /^(?:[^/]*\.)?(?:kubernetes|openshift)\.io\/|^name$|^aws:/i;

/** Tags of a user, as AWS takes them and without those the cluster makes itself. */
function checkTags({ userTags = {} }: AwsSection): Violation[] {
  const path = 'platform.aws.userTags';
  const tags = Object.entries(userTags);
  const isText = (text: string, most: number) => text.length <= most && TAG.test(text);
  return [
    ...when(tags.length > MAX_TAGS, () =>
      error(path, `it has ${tags.length} tags`, `Use at most ${MAX_TAGS}`),
    ),
    ...tags
      .filter(([key]) => RESERVED.test(key))
      .map(([key]) => error(path, `"${key}" is not for users`, 'Choose another key')),
    ...tags
      .filter(([key, value]) => !isText(key, 128) || !isText(value, 256))
      .map(([key]) =>
        error(
          path,
          `"${key}" or its value is empty, too long or has odd characters`,
          'Use letters, digits, blanks and _.:/=+-@; 128 for a key and 256 for a value',
        ),
      ),
  ];
}

/** IPv6 only beside IPv4, and only where the platform says so too. */
function checkFamily({ ipFamily, lbType }: AwsSection, config: PlatformConfig): Violation[] {
  const lists = rangesOf(config);
  const services = familiesOf(lists.service);
  const isDual = ipFamily?.startsWith('DualStack') === true;
  const first = ipFamily === 'DualStackIPv6Primary' ? 6 : 4;
  const path = 'platform.aws.ipFamily';
  return [
    ...oneOf(path, ipFamily, ['IPv4', 'DualStackIPv4Primary', 'DualStackIPv6Primary']),
    ...when(services.has(6) && !services.has(4), () =>
      error('networking', 'a cluster on aws cannot live from IPv6 alone', 'Add IPv4 ranges'),
    ),
    ...when(services.size > 1 && !isDual, () =>
      error(
        'networking',
        'on aws both address families need platform.aws.ipFamily',
        'Keep IPv4 ranges only, or set ipFamily to "DualStackIPv4Primary"',
      ),
    ),
    ...when(isDual && services.size === 1, () =>
      error('networking.serviceNetwork', `${ipFamily} needs two`, 'Name one of each family'),
    ),
    ...when(isDual && lbType === 'Classic', () =>
      error('platform.aws.lbType', 'Classic knows IPv4 only', 'Write "NLB"'),
    ),
    ...Object.entries(isDual ? lists : {})
      .filter(([, ranges]) => familiesOf(ranges).size > 1)
      .filter(([, [range = '']]) => parseCidr(range)?.family !== first)
      .map(([name]) =>
        error(
          `networking.${name}Network`,
          `${ipFamily} wants IPv${first} first`,
          'Swap the ranges',
        ),
      ),
  ];
}

function checkHostedZone(
  aws: AwsSection,
  config: PlatformConfig,
  facts: InstallFacts,
): Violation[] {
  const path = 'platform.aws.hostedZone';
  const vpcs = facts.aws?.hostedZoneVpcIds;
  const vpc = facts.aws?.vpcId;
  const mode = config.credentialsMode ?? '';
  return [
    ...when(aws.hostedZone !== undefined && subnetsOf(aws).length === 0, () =>
      error(path, 'it needs an existing VPC', 'Name its subnets, or remove the zone'),
    ),
    ...when(
      aws.hostedZone !== undefined && vpc !== undefined && vpcs?.includes(vpc) === false,
      () =>
        error(
          path,
          `"${aws.hostedZone}" is not associated with ${vpc}`,
          'Associate the zone with the VPC',
        ),
    ),
    ...when(aws.hostedZoneRole !== undefined && aws.hostedZone === undefined, () =>
      error(`${path}Role`, 'it needs hostedZone', 'Name the zone, or remove the role'),
    ),
    ...when(aws.hostedZoneRole !== undefined && !['Manual', 'Passthrough'].includes(mode), () =>
      error(`${path}Role`, 'it does not work in this credentialsMode', 'Use Manual or Passthrough'),
    ),
  ];
}

function checkEndpoints(aws: AwsSection): Violation[] {
  const endpoints = aws.serviceEndpoints ?? [];
  return endpoints.flatMap(({ name, url }, index) => [
    ...when(
      endpoints.slice(0, index).some((other) => other.name === name),
      () =>
        error(`platform.aws.serviceEndpoints[${index}].name`, `"${name}" has two`, 'Remove one'),
    ),
    ...when(!/^(?:https:\/\/)?[^:/?#\s]+(?::\d+)?\/?$/.test(url), () =>
      error(
        `platform.aws.serviceEndpoints[${index}].url`,
        `"${url}" of ${name} is not a plain https URL`,
        'Write "https://host" without path or query',
      ),
    ),
  ]);
}

function checkPrivate(aws: AwsSection, isPrivate: boolean, facts: InstallFacts): Violation[] {
  return [
    ...when((isPrivate || facts.disconnected === true) && subnetsOf(aws).length === 0, () =>
      error(
        knows(facts.version, 'awsVpcSubnets') ? 'platform.aws.vpc.subnets' : 'platform.aws.subnets',
        'it is empty: the installer would make a network with a way to the internet',
        'Name the private subnets of the VPC',
      ),
    ),
    ...when(facts.disconnected === true && !isPrivate, () =>
      error(
        'publish',
        'a disconnected cluster cannot be published to the internet',
        'Write "Internal"',
      ),
    ),
    ...when(
      facts.disconnected === true && !aws.hostedZone && aws.userProvisionedDNS !== 'Enabled',
      () =>
        warning(
          'platform.aws.hostedZone',
          'the ingress operator cannot reach Route 53 from a closed network',
          'Prepare a private zone with *.apps, or set userProvisionedDNS',
        ),
    ),
  ];
}

function checkMachineNetwork(
  subnets: readonly ConfiguredSubnet[],
  config: PlatformConfig,
  facts: InstallFacts,
): Violation[] {
  const { machine } = rangesOf(config);
  return subnets.flatMap(({ path, id }) => {
    const text = facts.aws?.subnets?.find((subnet) => subnet.id === id)?.cidr;
    const start = text === undefined ? undefined : parseCidr(text);
    return when(start !== undefined && !isWithin(machine, start), () =>
      error(
        path,
        `${text} of "${id}" is outside of networking.machineNetwork`,
        `Add ${text} or its VPC to machineNetwork`,
      ),
    );
  });
}

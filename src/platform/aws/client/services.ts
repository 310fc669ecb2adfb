/** How one service of AWS is spoken to. */
export interface ServiceFacts {
  /** First part of its host name. */
  readonly host: string;
  /** What a request is signed for, where it is not the host. */
  readonly signedAs?: string;
  /** What its actions are called in a policy, where it is not the host. */
  readonly prefix?: string;
  readonly version: string;
  /** End of the `AWS_ENDPOINT_URL_…` variable. */
  readonly variable: string;
  /** One endpoint for a whole partition. */
  readonly isGlobal?: boolean;
}

/** Services whose calls are forms and whose answers are XML. */
const QUERY = {
  cloudformation: {
    host: 'cloudformation',
    version: '2010-05-15',
    variable: 'CLOUDFORMATION',
  },
  ec2: { host: 'ec2', version: '2016-11-15', variable: 'EC2' },
  elb: { host: 'elasticloadbalancing', version: '2012-06-01', variable: 'ELASTIC_LOAD_BALANCING' },
  elbv2: {
    host: 'elasticloadbalancing',
    version: '2015-12-01',
    variable: 'ELASTIC_LOAD_BALANCING_V2',
  },
  iam: { host: 'iam', version: '2010-05-08', variable: 'IAM', isGlobal: true },
  sts: { host: 'sts', version: '2011-06-15', variable: 'STS' },
} as const satisfies Record<string, ServiceFacts>;

/** Services that take and give JSON; `version` is the beginning of the target header. */
const JSON_SERVICES = {
  tagging: {
    host: 'tagging',
    prefix: 'tag',
    version: 'ResourceGroupsTaggingAPI_20170126',
    variable: 'RESOURCE_GROUPS_TAGGING_API',
  },
  servicequotas: {
    host: 'servicequotas',
    version: 'ServiceQuotasV20190624',
    variable: 'SERVICE_QUOTAS',
  },
} as const satisfies Record<string, ServiceFacts>;

/** Services in which the path is what is acted on. */
const REST = {
  s3: { host: 's3', version: '2006-03-01', variable: 'S3' },
  route53: { host: 'route53', version: '2013-04-01', variable: 'ROUTE_53', isGlobal: true },
} as const satisfies Record<string, ServiceFacts>;

const SERVICES = { ...QUERY, ...JSON_SERVICES, ...REST };

export type QueryService = keyof typeof QUERY;
export type JsonService = keyof typeof JSON_SERVICES;
export type RestService = keyof typeof REST;
export type AwsService = keyof typeof SERVICES;

export const factsOf = (service: AwsService): ServiceFacts => SERVICES[service];

/** An action as policies name it: `ec2:RunInstances`. */
export function permissionOf(service: AwsService, action: string): string {
  const { prefix, host } = factsOf(service);
  return `${prefix ?? host}:${action}`;
}

interface Partition {
  readonly regions: RegExp;
  readonly suffix: string;
  /** Where global services are signed for. */
  readonly home: string;
  /** Host of a global service, where it is not `SERVICE.SUFFIX`. */
  readonly globalHost?: (service: string) => string;
}

const PARTITIONS: readonly Partition[] = [
  {
    regions: /^cn-/,
    suffix: 'amazonaws.com.cn',
    home: 'cn-north-1',
    globalHost: (service) =>
      service === 'route53' ? 'route53.amazonaws.com.cn' : `${service}.cn-north-1.amazonaws.com.cn`,
  },
  {
    regions: /^us-gov-/,
    suffix: 'amazonaws.com',
    home: 'us-gov-west-1',
    globalHost: (service) => `${service}.us-gov.amazonaws.com`,
  },
  { regions: /^us-iso-/, suffix: 'c2s.ic.gov', home: 'us-iso-east-1' },
  { regions: /^us-isob-/, suffix: 'sc2s.sgov.gov', home: 'us-isob-east-1' },
  { regions: /^/, suffix: 'amazonaws.com', home: 'us-east-1' },
];

type Env = Readonly<Record<string, string | undefined>>;

export interface Endpoint {
  readonly url: URL;
  /** The region that signatures are for. */
  readonly region: string;
}

/** Where a service is: at the address the environment gives, or at its own in the region. */
export function endpointOf(service: AwsService, region: string, env: Env): Endpoint {
  const { host, variable, isGlobal } = factsOf(service);
  const { suffix, home, globalHost } = partitionOf(region);
  const signedFor = isGlobal ? home : region;
  const given = env[`AWS_ENDPOINT_URL_${variable}`] || env.AWS_ENDPOINT_URL;
  if (given) return { url: new URL(given), region: signedFor };
  const name = isGlobal
    ? (globalHost?.(host) ?? `${host}.${suffix}`)
    : `${host}.${region}.${suffix}`;
  return { url: new URL(`https://${name}`), region: signedFor };
}

function partitionOf(region: string): Partition {
  const found = PARTITIONS.find(({ regions }) => regions.test(region));
  if (found) return found;
  throw new Error('The last partition takes every region');
}

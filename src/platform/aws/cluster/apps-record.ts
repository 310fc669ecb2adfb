import type { Context } from '../../../core/context.ts';
import { messageOf } from '../../../core/errors.ts';
import { sleep } from '../../../core/retry.ts';
import type { Aws } from '../client/aws.ts';
import { listOf, textOf } from '../client/xml.ts';
import { putAlias } from '../zone.ts';

const POLL_MS = 15_000;
/** How the cloud provider of a cluster marks the load balancer of its router. */
const SERVICE_TAG = {
  Key: 'kubernetes.io/service-name',
  Values: ['openshift-ingress/router-default'],
};

export interface AppsPlace {
  /** The private zone of the cluster. */
  readonly zone: string;
  /** `<cluster>.<base domain>`. */
  readonly domain: string;
  readonly vpc: string;
}

export const appsName = (domain: string) => `*.apps.${domain}`;

/**
 * Does something that ends with the cluster, and meanwhile points `*.apps` at the load balancer of the router as soon
 * as there is one: from inside a closed network nobody could, and without it the install does not finish.
 */
export async function withAppsRecord<T>(
  ctx: Context,
  aws: Aws,
  place: AppsPlace,
  task: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([ctx.signal, over.signal]);
  const writing = untilWritten({ ...ctx, signal }, aws, place).catch((error: unknown) => {
    if (signal.aborted) return;
    const message = `Cannot write ${appsName(place.domain)}: ${messageOf(error)}`;
    ctx.emit({ type: 'warning.raised', subject: 'apps', message });
  });
  try {
    return await task();
  } finally {
    over.abort(new Error('The cluster is there, or never will be'));
    await writing;
  }
}

async function untilWritten(ctx: Context, aws: Aws, place: AppsPlace): Promise<void> {
  while (!(await writeAppsRecord(ctx, aws, place))) await sleep(ctx, POLL_MS);
}

/** Points `*.apps` at the router; false while its load balancer is not there. */
export async function writeAppsRecord(ctx: Context, aws: Aws, place: AppsPlace): Promise<boolean> {
  const balancer = await routerBalancer(ctx, aws, place.vpc);
  if (!balancer) return false;
  const name = appsName(place.domain);
  await putAlias(ctx, aws, place.zone, { name, ...balancer });
  ctx.emit({ type: 'note.added', message: `${name} leads to ${balancer.target}` });
  return true;
}

interface Balancer {
  readonly target: string;
  readonly targetZone: string;
}

interface Tagged {
  readonly ResourceTagMappingList?: readonly { readonly ResourceARN: string }[];
}

/** The load balancer of the router in this network: of the first kind or of the second. */
async function routerBalancer(ctx: Context, aws: Aws, vpc: string): Promise<Balancer | undefined> {
  const tagged = (await aws.json(ctx, 'tagging', 'GetResources', {
    TagFilters: [SERVICE_TAG],
    ResourceTypeFilters: ['elasticloadbalancing:loadbalancer'],
  })) as Tagged;
  for (const { ResourceARN } of tagged.ResourceTagMappingList ?? []) {
    const found = await balancerOf(ctx, aws, ResourceARN);
    if (found?.vpc === vpc) return found;
  }
  return undefined;
}

async function balancerOf(
  ctx: Context,
  aws: Aws,
  arn: string,
): Promise<(Balancer & { readonly vpc: string }) | undefined> {
  const name = arn.split('loadbalancer/')[1] ?? '';
  if (name.includes('/')) {
    const answer = await aws.query(ctx, 'elbv2', 'DescribeLoadBalancers', {
      LoadBalancerArns: [arn],
    });
    const [found] = listOf(answer, 'DescribeLoadBalancersResult', 'LoadBalancers');
    return {
      target: textOf(found, 'DNSName'),
      targetZone: textOf(found, 'CanonicalHostedZoneId'),
      vpc: textOf(found, 'VpcId'),
    };
  }
  const answer = await aws.query(ctx, 'elb', 'DescribeLoadBalancers', {
    LoadBalancerNames: [name],
  });
  const [found] = listOf(answer, 'DescribeLoadBalancersResult', 'LoadBalancerDescriptions');
  return {
    target: textOf(found, 'DNSName'),
    targetZone: textOf(found, 'CanonicalHostedZoneNameID'),
    vpc: textOf(found, 'VPCId'),
  };
}

import type { Context } from '../../../core/context.ts';
import { messageOf } from '../../../core/errors.ts';
import { sleep } from '../../../core/retry.ts';
import { listOf, textOf, type Xml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { putAlias } from '../zone.ts';

const POLL_MS = 15_000;

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

/** The load balancer of the router in this network: of the first kind or of the second. */
async function routerBalancer(ctx: Context, aws: Aws, vpc: string): Promise<Balancer | undefined> {
  return (await classicBalancer(ctx, aws, vpc)) ?? (await networkBalancer(ctx, aws, vpc));
}

async function classicBalancer(ctx: Context, aws: Aws, vpc: string): Promise<Balancer | undefined> {
  const answer = await aws.query(ctx, 'elb', 'DescribeLoadBalancers');
  const all = listOf(answer, 'DescribeLoadBalancersResult', 'LoadBalancerDescriptions');
  for (const each of all.filter((one) => textOf(one, 'VPCId') === vpc)) {
    const LoadBalancerNames = [textOf(each, 'LoadBalancerName')];
    if (isOfRouter(await aws.query(ctx, 'elb', 'DescribeTags', { LoadBalancerNames }))) {
      return {
        target: textOf(each, 'DNSName'),
        targetZone: textOf(each, 'CanonicalHostedZoneNameID'),
      };
    }
  }
  return undefined;
}

async function networkBalancer(ctx: Context, aws: Aws, vpc: string): Promise<Balancer | undefined> {
  const answer = await aws.query(ctx, 'elbv2', 'DescribeLoadBalancers');
  const all = listOf(answer, 'DescribeLoadBalancersResult', 'LoadBalancers');
  for (const each of all.filter((one) => textOf(one, 'VpcId') === vpc)) {
    const ResourceArns = [textOf(each, 'LoadBalancerArn')];
    if (isOfRouter(await aws.query(ctx, 'elbv2', 'DescribeTags', { ResourceArns }))) {
      return { target: textOf(each, 'DNSName'), targetZone: textOf(each, 'CanonicalHostedZoneId') };
    }
  }
  return undefined;
}

function isOfRouter(answer: Xml): boolean {
  const [found] = listOf(answer, 'DescribeTagsResult', 'TagDescriptions');
  return listOf(found, 'Tags').some(
    (tag) =>
      textOf(tag, 'Key') === 'kubernetes.io/service-name' &&
      textOf(tag, 'Value') === 'openshift-ingress/router-default',
  );
}

import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { PreflightCheck } from '../../platform.ts';
import { listOf } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';

/** Something an account may have only so many of. */
interface Quota {
  readonly what: string;
  readonly service: string;
  readonly code: string;
  /** What an account has that never asked for more. */
  readonly usual: number;
  readonly used: (ctx: Context, aws: Aws) => Promise<number>;
}

const count = (action: string, set: string) => async (ctx: Context, aws: Aws) =>
  listOf(await aws.query(ctx, 'ec2', action), set).length;

const QUOTAS = {
  vpcs: {
    what: 'VPCs',
    service: 'vpc',
    code: 'L-F678F1CE',
    usual: 5,
    used: count('DescribeVpcs', 'vpcSet'),
  },
  addresses: {
    what: 'Elastic IP addresses',
    service: 'ec2',
    code: 'L-0263D0A3',
    usual: 5,
    used: count('DescribeAddresses', 'addressesSet'),
  },
} as const satisfies Record<string, Quota>;

/** How many of each a site will add. */
export type Demand = Readonly<Record<keyof typeof QUOTAS, number>>;

/** Whether the account has room for what the site adds. */
export async function quotaChecks(
  ctx: Context,
  aws: Aws,
  demand: Demand,
): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = [];
  for (const name of Object.keys(QUOTAS) as (keyof typeof QUOTAS)[]) {
    if (demand[name] > 0) checks.push(await quotaCheck(ctx, aws, QUOTAS[name], demand[name]));
  }
  return checks;
}

async function quotaCheck(
  ctx: Context,
  aws: Aws,
  quota: Quota,
  wanted: number,
): Promise<PreflightCheck> {
  const limit = await limitOf(ctx, aws, quota);
  const used = await quota.used(ctx, aws);
  const most = limit ?? quota.usual;
  const subject = `quota of ${quota.what}`;
  const told = `${used} of ${most} ${quota.what} are used in ${aws.region}, and the site needs ${wanted} more`;
  if (used + wanted <= most) return { subject, severity: 'ok', message: told };
  return {
    subject,
    // Where the limit could not be asked for, it is only what is usual.
    severity: limit === undefined ? 'warning' : 'error',
    message: told,
    hint: `Ask for more: aws service-quotas request-service-quota-increase --service-code ${quota.service} --quota-code ${quota.code} --desired-value ${used + wanted}`,
  };
}

interface Answer {
  readonly Quota?: { readonly Value?: number };
}

/** Undefined where these credentials may not ask, or the region has no such service. */
async function limitOf(
  ctx: Context,
  aws: Aws,
  { service, code }: Quota,
): Promise<number | undefined> {
  try {
    const answer = (await aws.json(ctx, 'servicequotas', 'GetServiceQuota', {
      ServiceCode: service,
      QuotaCode: code,
    })) as Answer;
    return answer.Quota?.Value;
  } catch (error) {
    if (error instanceof AtollError && /^CLOUD_(?:DENIED|REFUSED)$/.test(error.code))
      return undefined;
    throw error;
  }
}

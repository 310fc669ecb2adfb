import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted } from '../../../core/format.ts';
import { sortedUnique } from '../../../core/order.ts';
import { sleep } from '../../../core/retry.ts';
import { SITE_TAG } from '../../../generate/cloudformation/tags.ts';
import { listOf, textOf, type Xml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';

const POLL_MS = 5000;
/** Tags of what is gone stay visible for a while: five minutes are given to them. */
export const PROOF_POLLS = 60;

/** Proves that nothing with the tag of a site is left in its region; names what is. */
export async function proveEmpty(
  ctx: Context,
  aws: Aws,
  site: string,
  mostPolls: number,
): Promise<void> {
  for (let polls = 1; ; polls += 1) {
    const left = await leftovers(ctx, aws, site);
    if (left.length === 0) return;
    if (polls >= mostPolls) throw notEmpty(site, left);
    await sleep(ctx, POLL_MS);
  }
}

function notEmpty(site: string, left: readonly string[]): AtollError {
  return new AtollError(
    'CLOUD_LEFTOVERS',
    `Cannot forget the site "${site}": ${counted(left.length, 'resource')} tagged ${SITE_TAG}=${site} are left: ${left.join(', ')}`,
    {
      hint: 'Remove them, or take their tag away if they are somebody else’s, and run the same command again',
      details: { left: left.length },
    },
  );
}

/** Everything that still carries the tag of the site: by the tagging service, by EC2 itself, and the stacks. */
export async function leftovers(ctx: Context, aws: Aws, site: string): Promise<readonly string[]> {
  const { live, gone } = await taggedInEc2(ctx, aws, site);
  const tagged = [...(await arnsOf(ctx, aws, site)), ...(await stacksOf(ctx, aws, site))];
  const own = (name: string) => name.split('/').at(-1) ?? name;
  // EC2 names them by id alone, the tagging service by a path that ends in it.
  const others = live.filter((id) => !tagged.some((arn) => own(arn) === id));
  return sortedUnique([...tagged.filter((arn) => !gone.includes(own(arn))), ...others]);
}

interface TaggedPage {
  readonly PaginationToken?: string;
  readonly ResourceTagMappingList?: readonly { readonly ResourceARN: string }[];
}

async function arnsOf(ctx: Context, aws: Aws, site: string): Promise<string[]> {
  const found: string[] = [];
  let token = '';
  do {
    const page = (await aws.json(ctx, 'tagging', 'GetResources', {
      TagFilters: [{ Key: SITE_TAG, Values: [site] }],
      ...(token ? { PaginationToken: token } : {}),
    })) as TaggedPage;
    found.push(...(page.ResourceTagMappingList ?? []).map(({ ResourceARN }) => ResourceARN));
    token = page.PaginationToken ?? '';
  } while (token);
  return found;
}

async function stacksOf(ctx: Context, aws: Aws, site: string): Promise<string[]> {
  const found: Xml[] = [];
  let token: string | undefined;
  do {
    const page = await aws.query(ctx, 'cloudformation', 'DescribeStacks', { NextToken: token });
    found.push(...listOf(page, 'DescribeStacksResult', 'Stacks'));
    token = textOf(page, 'DescribeStacksResult', 'NextToken') || undefined;
  } while (token);
  const isOurs = (stack: Xml) =>
    listOf(stack, 'Tags').some(
      (tag) => textOf(tag, 'Key') === SITE_TAG && textOf(tag, 'Value') === site,
    );
  return found
    .filter((stack) => textOf(stack, 'StackStatus') !== 'DELETE_COMPLETE' && isOurs(stack))
    .map((stack) => textOf(stack, 'StackId'));
}

/** What EC2 has of a site: how it is asked for, where it stands, and its id. */
const KINDS = [
  ['DescribeInstances', ['reservationSet', 'instancesSet'], 'instanceId'],
  ['DescribeVolumes', ['volumeSet'], 'volumeId'],
  ['DescribeAddresses', ['addressesSet'], 'allocationId'],
  ['DescribeNatGateways', ['natGatewaySet'], 'natGatewayId'],
  ['DescribeVpcEndpoints', ['vpcEndpointSet'], 'vpcEndpointId'],
  ['DescribeLaunchTemplates', ['launchTemplates'], 'launchTemplateId'],
  ['DescribeSecurityGroups', ['securityGroupInfo'], 'groupId'],
  ['DescribeRouteTables', ['routeTableSet'], 'routeTableId'],
  ['DescribeInternetGateways', ['internetGatewaySet'], 'internetGatewayId'],
  ['DescribeSubnets', ['subnetSet'], 'subnetId'],
  ['DescribeVpcs', ['vpcSet'], 'vpcId'],
] as const;

/** Machines, gateways and endpoints that are no more are still listed for an hour. */
const GONE = /^(?:terminated|deleted)$/i;

/** EC2 knows at once what is gone; the tagging service takes its time. */
async function taggedInEc2(
  ctx: Context,
  aws: Aws,
  site: string,
): Promise<{ live: string[]; gone: string[] }> {
  const live: string[] = [];
  const gone: string[] = [];
  for (const [action, [set, inner], id] of KINDS) {
    const answer = await aws.query(ctx, 'ec2', action, {
      Filter: [{ Name: `tag:${SITE_TAG}`, Value: [site] }],
    });
    const found = listOf(answer, set).flatMap((each) => (inner ? listOf(each, inner) : [each]));
    for (const each of found) {
      const state = textOf(each, 'instanceState', 'name') || textOf(each, 'state');
      (GONE.test(state) ? gone : live).push(textOf(each, id));
    }
  }
  return { live, gone };
}

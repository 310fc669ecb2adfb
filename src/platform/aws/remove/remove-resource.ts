import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted } from '../../../core/format.ts';
import { SITE_TAG } from '../../../generate/cloudformation/tags.ts';
import type { SiteResource } from '../../platform.ts';
import { listOf, textOf } from '../../shared/xml.ts';
import { emptyBucket, removeObject } from '../bucket.ts';
import type { Aws } from '../client/aws.ts';
import { awsNameOf } from '../client/failure.ts';
import type { AwsSite } from '../network.ts';
import { removeStack } from '../stacks/remove-stack.ts';
import { findStack } from '../stacks/stack-state.ts';
import { removeRecords } from '../zone.ts';
import { leaveZone } from '../zone-association.ts';
import { proveEmpty } from './leftovers.ts';

export interface Removal {
  readonly site: AwsSite;
  /** Gives a client of the region that a resource is in. */
  readonly regions: (region: string) => Aws;
  /** How often it is looked whether anything is left. */
  readonly proofPolls: number;
}

/** Removes something the platform made; false when it is not one of its kinds. */
export async function removeResource(
  ctx: Context,
  removal: Removal,
  { kind, id }: SiteResource,
): Promise<boolean> {
  const [region = '', ...rest] = id.split('/');
  const name = rest.join('/');
  const remove = REMOVERS[kind];
  if (!remove) return false;
  await remove(ctx, removal.regions(region), removal, name);
  return true;
}

type Remover = (ctx: Context, aws: Aws, removal: Removal, name: string) => Promise<void>;

const REMOVERS: Readonly<Record<string, Remover>> = {
  'cloudformation-stack': (ctx, aws, { site }, name) => removeSiteStack(ctx, aws, site, name),
  's3-object': (ctx, aws, _site, name) => {
    const [bucket = '', ...key] = name.split('/');
    return removeObject(ctx, aws, { bucket, key: key.join('/') });
  },
  'route53-record': async (ctx, aws, _site, name) => {
    const [zone = '', record = ''] = name.split('/');
    await removeRecords(ctx, aws, zone, (each) => each === record);
  },
  'route53-association': async (ctx, aws, _site, name) => {
    const [zone = '', vpc = ''] = name.split('/');
    await leaveZone(ctx, aws, { zone, vpc });
  },
  'aws-site': async (ctx, aws, { site, proofPolls }) => {
    await proveEmpty(ctx, aws, site.name, proofPolls);
    tellWhatStays(ctx, site);
  },
};

/** A stack goes only without what was put into its bucket and zone, and the keys of its users. */
async function removeSiteStack(ctx: Context, aws: Aws, site: AwsSite, name: string): Promise<void> {
  const found = await findStack(ctx, aws, name);
  if (found?.site === site.name) {
    const { VpcId, IgnitionBucket, HostedZoneId, InstanceId } = found.outputs;
    if (VpcId && InstanceId === undefined) await refuseStrangers(ctx, aws, site, VpcId);
    if (IgnitionBucket) await emptyBucket(ctx, aws, IgnitionBucket);
    if (HostedZoneId) await removeRecords(ctx, aws, HostedZoneId, () => true);
    const users = Object.entries(found.outputs).filter(([key]) => key.endsWith('User'));
    for (const [, user] of users) await removeKeys(ctx, aws, user);
  }
  await removeStack(ctx, aws, { name, site: site.name });
}

/** A network in which machines run that are not of the site is still somebody's. */
async function refuseStrangers(
  ctx: Context,
  aws: Aws,
  { name, settings }: AwsSite,
  vpc: string,
): Promise<void> {
  if (settings.vpc !== undefined) return;
  const answer = await aws.query(ctx, 'ec2', 'DescribeInstances', {
    Filter: [
      { Name: 'vpc-id', Value: [vpc] },
      { Name: 'instance-state-name', Value: ['pending', 'running', 'stopping', 'stopped'] },
    ],
  });
  const machines = listOf(answer, 'reservationSet').flatMap((each) => listOf(each, 'instancesSet'));
  const strangers = machines.filter(
    (each) =>
      !listOf(each, 'tagSet').some(
        (tag) => textOf(tag, 'key') === SITE_TAG && textOf(tag, 'value') === name,
      ),
  );
  if (strangers.length === 0) return;
  const ids = strangers.map((each) => textOf(each, 'instanceId')).join(', ');
  throw new AtollError(
    'CLOUD_LEFTOVERS',
    `Cannot remove the network ${vpc}: ${counted(strangers.length, 'machine')} that atoll did not make run in it: ${ids}`,
    {
      hint: 'If they are those of the cluster, destroy it first: openshift-install destroy cluster --dir .atoll/install/cluster',
      details: { vpc },
    },
  );
}

/** Keys of a user, of which a stack knows nothing. */
export async function removeKeys(ctx: Context, aws: Aws, user: string): Promise<void> {
  for (const AccessKeyId of await keysOf(ctx, aws, user)) {
    await aws
      .query(ctx, 'iam', 'DeleteAccessKey', { UserName: user, AccessKeyId })
      .catch(unlessGone);
  }
}

async function keysOf(ctx: Context, aws: Aws, user: string): Promise<string[]> {
  const answer = await aws
    .query(ctx, 'iam', 'ListAccessKeys', { UserName: user })
    .catch(unlessGone);
  const keys = listOf(answer, 'ListAccessKeysResult', 'AccessKeyMetadata');
  return keys.map((key) => textOf(key, 'AccessKeyId'));
}

function unlessGone(error: unknown): undefined {
  if (awsNameOf(error) !== 'NoSuchEntity') throw error;
  return undefined;
}

/** What the site used and others made is named, so that nobody waits for it to go. */
function tellWhatStays(ctx: Context, { settings, bastion }: AwsSite): void {
  const { vpc, subnets = [], hostedZone } = settings;
  const kept = [
    ...(vpc ? [`network ${vpc}`, ...subnets.map((id) => `subnet ${id}`)] : []),
    ...(hostedZone ? [`DNS zone ${hostedZone}`] : []),
    ...(bastion.address ? [`bastion ${bastion.address}`] : []),
  ];
  if (kept.length === 0) return;
  ctx.emit({
    type: 'note.added',
    message: `Left as they are, atoll did not make them: ${kept.join(', ')}`,
  });
}

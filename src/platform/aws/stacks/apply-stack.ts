import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { sleep } from '../../../core/retry.ts';
import { SITE_TAG } from '../../../generate/cloudformation/tags.ts';
import { listOf, textOf, under, type Xml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { awsNameOf } from '../client/failure.ts';
import { removeStack } from './remove-stack.ts';
import { findStack, type StackState } from './stack-state.ts';
import { knownEvents, watchStack } from './watch-stack.ts';

export interface StackOrder {
  readonly name: string;
  /** The site it is made for; a stack of another is not touched. */
  readonly site: string;
  readonly template: string;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

const POLL_MS = 2000;
/** Left by a failed creation: nothing is in it, or what is goes first. */
const DEAD = /^(?:ROLLBACK_(?:COMPLETE|FAILED)|CREATE_FAILED|DELETE_FAILED)$/;
const EMPTY = /didn't contain changes|no updates are to be performed/i;

/** Makes the stack, or brings it to its template, through a change set. Returns its outputs. */
export async function applyStack(
  ctx: Context,
  aws: Aws,
  order: StackOrder,
): Promise<StackState['outputs']> {
  const before = await settled(ctx, aws, order);
  const isNew = before === undefined || before.status === 'REVIEW_IN_PROGRESS';
  const set = await changeSet(ctx, aws, order, isNew);
  if (set.isEmpty && before) return before.outputs;
  refuseReplacement(order, set.changes);
  const known = await knownEvents(ctx, aws, set.stackId);
  await execute(ctx, aws, set);
  const doing = isNew ? 'make' : 'change';
  const total = set.changes.length;
  return (await watchStack(ctx, aws, { ...order, id: set.stackId, doing, known, total })).outputs;
}

/** The stack once nobody works on it, without the rest of an earlier failure. */
async function settled(ctx: Context, aws: Aws, order: StackOrder): Promise<StackState | undefined> {
  const { name, site } = order;
  for (;;) {
    const found = await findStack(ctx, aws, name);
    if (found === undefined) return undefined;
    if (found.site !== site) throw strange(name, found.site);
    if (DEAD.test(found.status)) {
      ctx.emit({
        type: 'note.added',
        message: `Removing what an earlier run left of the stack ${name}`,
      });
      await removeStack(ctx, aws, { name, site });
      return undefined;
    }
    if (found.status === 'UPDATE_ROLLBACK_FAILED') throw stuck(name);
    const isBusy = found.status.endsWith('_IN_PROGRESS') && found.status !== 'REVIEW_IN_PROGRESS';
    if (!isBusy) return found;
    await sleep(ctx, POLL_MS);
  }
}

function strange(name: string, site: string): AtollError {
  const whose = site === '' ? 'nobody tagged it' : `it belongs to the site "${site}"`;
  return new AtollError('CLOUD_REFUSED', `Cannot use the stack "${name}": ${whose}`, {
    hint: `Rename the site, or tag the stack ${SITE_TAG} if it is yours`,
    details: { stack: name },
  });
}

function stuck(name: string): AtollError {
  return new AtollError(
    'CLOUD_STACK_FAILED',
    `Cannot change the stack "${name}": its rollback failed`,
    {
      hint: `Mend what its events name, then: aws cloudformation continue-update-rollback --stack-name ${name}`,
      details: { stack: name },
    },
  );
}

interface ChangeSet {
  readonly name: string;
  readonly stackId: string;
  readonly changes: readonly Xml[];
  readonly isEmpty: boolean;
}

async function changeSet(
  ctx: Context,
  aws: Aws,
  order: StackOrder,
  isNew: boolean,
): Promise<ChangeSet> {
  const { name, site, template, parameters = {} } = order;
  const set = `atoll-${ctx.now().getTime().toString(36)}`;
  const which = { StackName: name, ChangeSetName: set };
  try {
    await aws.query(ctx, 'cloudformation', 'CreateChangeSet', {
      ...which,
      ChangeSetType: isNew ? 'CREATE' : 'UPDATE',
      TemplateBody: template,
      ClientToken: set,
      Capabilities: ['CAPABILITY_NAMED_IAM'],
      Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      })),
      Tags: [{ Key: SITE_TAG, Value: site }],
    });
  } catch (error) {
    if (awsNameOf(error) !== 'AlreadyExistsException') throw error;
  }
  return await madeChangeSet(ctx, aws, which);
}

async function madeChangeSet(
  ctx: Context,
  aws: Aws,
  which: { StackName: string; ChangeSetName: string },
): Promise<ChangeSet> {
  for (;;) {
    const answer = await aws.query(ctx, 'cloudformation', 'DescribeChangeSet', which);
    const found = under(answer, 'DescribeChangeSetResult');
    const status = textOf(found, 'Status');
    const reason = textOf(found, 'StatusReason');
    const set = {
      name: textOf(found, 'ChangeSetId') || which.ChangeSetName,
      stackId: textOf(found, 'StackId') || which.StackName,
      changes: listOf(found, 'Changes'),
    };
    if (status === 'CREATE_COMPLETE') return { ...set, isEmpty: false };
    if (status === 'FAILED' && EMPTY.test(reason)) {
      await aws.query(ctx, 'cloudformation', 'DeleteChangeSet', which);
      return { ...set, isEmpty: true };
    }
    if (status === 'FAILED') {
      throw new AtollError(
        'CLOUD_STACK_FAILED',
        `Cannot plan the stack "${which.StackName}": ${reason}`,
        {
          hint: 'Mend what it names and run the same command again',
          details: { stack: which.StackName, status },
        },
      );
    }
    await sleep(ctx, POLL_MS);
  }
}

/** What cannot be made again without losing what is on it. */
const KEPT = /^AWS::(?:EC2::(?:Instance|VPC|Subnet)|S3::Bucket|Route53::HostedZone)$/;

/** Changes that would take a machine or a network away are the operator's to begin, with `down`. */
function refuseReplacement({ name }: StackOrder, changes: readonly Xml[]): void {
  const lost = changes
    .map((change) => under(change, 'ResourceChange'))
    .filter((change) => KEPT.test(textOf(change, 'ResourceType')))
    .filter(
      (change) => textOf(change, 'Action') === 'Remove' || textOf(change, 'Replacement') === 'True',
    )
    .map((change) => textOf(change, 'LogicalResourceId'));
  if (lost.length === 0) return;
  throw new AtollError(
    'CLOUD_STACK_FAILED',
    `Cannot change the stack "${name}": AWS would remove ${lost.join(', ')} and what is on it`,
    {
      hint: 'Undo the change of the site file, or take the site down first: atoll down',
      details: { stack: name },
    },
  );
}

/** An answer that got lost may hide that it is running already. */
async function execute(ctx: Context, aws: Aws, { name, stackId }: ChangeSet): Promise<void> {
  try {
    await aws.query(ctx, 'cloudformation', 'ExecuteChangeSet', {
      ChangeSetName: name,
      StackName: stackId,
    });
  } catch (error) {
    if (awsNameOf(error) !== 'InvalidChangeSetStatus') throw error;
  }
}

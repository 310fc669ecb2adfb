import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { SITE_TAG } from '../../../generate/cloudformation/tags.ts';
import { listOf, textOf, type Xml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { awsNameOf, missingPermission, statementFor } from '../client/failure.ts';

/** A stack as it is now. */
export interface StackState {
  readonly id: string;
  readonly status: string;
  /** The site that made it. */
  readonly site: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** The stack of this name or id, or undefined when there is none. */
export async function findStack(
  ctx: Context,
  aws: Aws,
  name: string,
): Promise<StackState | undefined> {
  try {
    const answer = await aws.query(ctx, 'cloudformation', 'DescribeStacks', { StackName: name });
    const [stack] = listOf(answer, 'DescribeStacksResult', 'Stacks');
    return stack === undefined ? undefined : stateOf(stack);
  } catch (error) {
    // What DescribeStacks says about a well formed name that no stack has.
    if (awsNameOf(error) === 'ValidationError') return undefined;
    throw error;
  }
}

function stateOf(stack: Xml): StackState | undefined {
  const status = textOf(stack, 'StackStatus');
  if (status === 'DELETE_COMPLETE') return undefined;
  const tags = pairs(listOf(stack, 'Tags'), 'Key', 'Value');
  return {
    id: textOf(stack, 'StackId'),
    status,
    site: tags[SITE_TAG] ?? '',
    outputs: pairs(listOf(stack, 'Outputs'), 'OutputKey', 'OutputValue'),
  };
}

function pairs(list: readonly Xml[], key: string, value: string): Record<string, string> {
  return Object.fromEntries(list.map((each) => [textOf(each, key), textOf(each, value)]));
}

/** Something that happened to a resource of a stack. */
export interface StackEvent {
  readonly id: string;
  readonly resource: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** The events of a stack that are not among the known ones, oldest first. */
export async function newEvents(
  ctx: Context,
  aws: Aws,
  stack: string,
  known: ReadonlySet<string>,
): Promise<StackEvent[]> {
  const found: StackEvent[] = [];
  let token: string | undefined;
  do {
    const page = await aws.query(ctx, 'cloudformation', 'DescribeStackEvents', {
      StackName: stack,
      NextToken: token,
    });
    const events = listOf(page, 'DescribeStackEventsResult', 'StackEvents').map(eventOf);
    found.push(...events.filter(({ id }) => !known.has(id)));
    // Newest first: behind a known one there is nothing new.
    const isOver = events.some(({ id }) => known.has(id));
    token = isOver
      ? undefined
      : textOf(page, 'DescribeStackEventsResult', 'NextToken') || undefined;
  } while (token);
  return found.toReversed();
}

const eventOf = (event: Xml): StackEvent => ({
  id: textOf(event, 'EventId'),
  resource: textOf(event, 'LogicalResourceId'),
  type: textOf(event, 'ResourceType'),
  status: textOf(event, 'ResourceStatus'),
  reason: textOf(event, 'ResourceStatusReason'),
});

/** What was stopped because of another failure says only that. */
const ECHO = /cancel/i;

/** The failure of a stack: what failed first, and why. */
export function stackFailure(
  name: string,
  doing: 'make' | 'change' | 'remove',
  status: string,
  events: readonly StackEvent[],
): AtollError {
  const failed = events.filter(({ status: each }) => each.endsWith('_FAILED'));
  const own = failed.filter(({ type }) => type !== 'AWS::CloudFormation::Stack');
  const first = own.find(({ reason }) => !ECHO.test(reason)) ?? own[0] ?? failed[0];
  const what = first
    ? `${first.resource} (${first.type}): ${first.reason || first.status}`
    : `it is ${status}`;
  return new AtollError('CLOUD_STACK_FAILED', `Cannot ${doing} the stack "${name}": ${what}`, {
    hint: hintFor(first?.reason ?? ''),
    details: { stack: name, status, ...(first ? { resource: first.resource } : {}) },
  });
}

function hintFor(reason: string): string {
  const missing = missingPermission(reason);
  if (missing) return `Allow it with ${statementFor(missing)}, then run the same command again`;
  if (/limit|quota/i.test(reason)) {
    return 'Ask for more of it in the Service Quotas of the account, then run the same command again';
  }
  return 'Mend what it names and run the same command again: it goes on from there';
}

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { recordingContext, silentContext } from '../../../core/context.ts';
import { readXml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { awsFailure } from '../client/failure.ts';
import { applyStack } from './apply-stack.ts';
import { removeStack } from './remove-stack.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const order = { name: 'north-network', site: 'north', template: '{}' };

const stack = (status: string, site = 'north') =>
  `<R><DescribeStacksResult><Stacks><member><StackId>arn:1</StackId><StackStatus>${status}</StackStatus>` +
  `<Tags><member><Key>atoll/site</Key><Value>${site}</Value></member></Tags>` +
  `</member></Stacks></DescribeStacksResult></R>`;
const none = 'ValidationError';

interface Event {
  readonly id: string;
  readonly resource: string;
  readonly status: string;
  readonly reason?: string;
}
/** Newest first, as the service lists them. */
const events = (...list: readonly Event[]) =>
  `<R><DescribeStackEventsResult><StackEvents>${list
    .map(
      ({ id, resource, status, reason = '' }) =>
        `<member><EventId>${id}</EventId><LogicalResourceId>${resource}</LogicalResourceId><ResourceType>AWS::EC2::${resource}</ResourceType>` +
        `<ResourceStatus>${status}</ResourceStatus><ResourceStatusReason>${reason}</ResourceStatusReason></member>`,
    )
    .join('')}</StackEvents></DescribeStackEventsResult></R>`;
const changeSet = (status: string, changes = '', reason = '') =>
  `<R><DescribeChangeSetResult><Status>${status}</Status><StatusReason>${reason}</StatusReason><StackId>arn:1</StackId>` +
  `<Changes>${changes}</Changes></DescribeChangeSetResult></R>`;

/** Answers each action with its next answer, the last one for ever; a bare word is a refusal of that name. */
function scripted(answers: Readonly<Record<string, readonly string[]>>) {
  const calls: string[] = [];
  const aws: Aws = {
    region: 'us-east-1',
    query: async (_ctx, service, action) => {
      const times = calls.filter((each) => each === action).length;
      calls.push(action);
      const given = answers[action] ?? ['<R/>'];
      const text = given[Math.min(times, given.length - 1)] ?? '';
      if (text.startsWith('<')) return readXml(text);
      const body = `<R><Error><Code>${text}</Code></Error></R>`;
      throw awsFailure({ service, action }, { status: 400, text: body, headers: {} });
    },
    json: async () => ({}),
    rest: async () => '',
    close: () => undefined,
  };
  return { aws, calls };
}

/** Waits are over as soon as they begin. */
async function soon<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  ended.catch(() => undefined);
  while (!isDone) await vi.advanceTimersByTimeAsync(2000);
  return await ended;
}

const BEGUN = { id: 'e1', resource: 'Vpc', status: 'CREATE_IN_PROGRESS' };

describe('applyStack', () => {
  test('tells resource by resource how a stack comes about', async () => {
    const ctx = recordingContext();
    const { aws } = scripted({
      DescribeStacks: [none, stack('CREATE_IN_PROGRESS'), stack('CREATE_COMPLETE')],
      DescribeChangeSet: [
        changeSet('CREATE_PENDING'),
        changeSet('CREATE_COMPLETE', '<member/><member/>'),
      ],
      DescribeStackEvents: [
        events(),
        events(BEGUN),
        events({ id: 'e2', resource: 'Vpc', status: 'CREATE_COMPLETE' }, BEGUN),
      ],
    });

    await soon(applyStack(ctx, aws, order));

    expect(ctx.events.filter(({ type }) => type === 'task.progressed')).toMatchObject([
      { note: 'Vpc create in progress', doneItems: 0, totalItems: 2 },
      { note: 'Vpc create complete', doneItems: 1, totalItems: 2 },
    ]);
  });

  test('names the first resource that failed, and the permission it lacked', async () => {
    const reason =
      'User: arn:aws:iam::1:user/ann is not authorized to perform: ec2:CreateVpc on resource: arn:aws:ec2:::vpc/*';
    const { aws } = scripted({
      DescribeStacks: [none, stack('ROLLBACK_COMPLETE')],
      DescribeChangeSet: [changeSet('CREATE_COMPLETE')],
      DescribeStackEvents: [
        events(),
        events(
          { id: 'e4', resource: 'Bucket', status: 'DELETE_COMPLETE' },
          { id: 'e3', resource: 'Vpc', status: 'CREATE_FAILED', reason },
          {
            id: 'e2',
            resource: 'Gate',
            status: 'CREATE_FAILED',
            reason: 'Resource creation cancelled',
          },
        ),
      ],
    });

    await expect(soon(applyStack(silentContext(), aws, order))).rejects.toMatchObject({
      code: 'CLOUD_STACK_FAILED',
      message: expect.stringContaining('"north-network": Vpc (AWS::EC2::Vpc): User:'),
      hint: expect.stringContaining('"Action":"ec2:CreateVpc"'),
    });
  });

  test('removes what a failed creation left, and makes the stack', async () => {
    const { aws, calls } = scripted({
      DescribeStacks: [
        stack('ROLLBACK_IN_PROGRESS'),
        stack('ROLLBACK_COMPLETE'),
        stack('ROLLBACK_COMPLETE'),
        none,
        stack('CREATE_COMPLETE'),
      ],
      DescribeChangeSet: [changeSet('CREATE_COMPLETE')],
    });

    await soon(applyStack(silentContext(), aws, order));

    expect(calls.indexOf('DeleteStack')).toBeLessThan(calls.indexOf('CreateChangeSet'));
    expect(calls).toContain('ExecuteChangeSet');
  });

  test('does not let AWS take a machine away to change it', async () => {
    const change =
      '<member><ResourceChange><Action>Modify</Action><Replacement>True</Replacement>' +
      '<ResourceType>AWS::EC2::Instance</ResourceType><LogicalResourceId>Bastion</LogicalResourceId>' +
      '</ResourceChange></member>';
    const { aws, calls } = scripted({
      DescribeStacks: [stack('CREATE_COMPLETE')],
      DescribeChangeSet: [changeSet('CREATE_COMPLETE', change)],
    });

    await expect(soon(applyStack(silentContext(), aws, order))).rejects.toMatchObject({
      code: 'CLOUD_STACK_FAILED',
      message: expect.stringContaining('would remove Bastion'),
      hint: expect.stringContaining('atoll down'),
    });
    expect(calls).not.toContain('ExecuteChangeSet');
  });

  test.each([
    ['a change set that AWS refuses', 'CREATE_COMPLETE', changeSet('FAILED', '', 'Template error')],
    ['a rollback that failed', 'UPDATE_ROLLBACK_FAILED', changeSet('CREATE_COMPLETE')],
  ])('says why it stops at %s', async (_, status, set) => {
    const { aws } = scripted({ DescribeStacks: [stack(status)], DescribeChangeSet: [set] });

    await expect(soon(applyStack(silentContext(), aws, order))).rejects.toMatchObject({
      code: 'CLOUD_STACK_FAILED',
      hint: expect.any(String),
    });
  });
});

test('removeStack names what AWS could not remove', async () => {
  const { aws } = scripted({
    DescribeStacks: [stack('CREATE_COMPLETE'), stack('DELETE_FAILED')],
    DescribeStackEvents: [
      events(),
      events({ id: 'e9', resource: 'Subnet', status: 'DELETE_FAILED', reason: 'has dependencies' }),
    ],
  });

  await expect(soon(removeStack(silentContext(), aws, order))).rejects.toMatchObject({
    message: 'Cannot remove the stack "north-network": Subnet (AWS::EC2::Subnet): has dependencies',
  });
});

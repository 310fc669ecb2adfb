import { type Fate, type Mending, refusal } from './aws-proxy.ts';
import { type AwsQuery, awsQuery, elements } from './aws-query.ts';

/**
 * What moto does otherwise than AWS, made good over its own API. It makes the resources of a change set, but not the
 * outputs of its stack: those it makes when a stack is updated. A change set of the same token makes a second stack
 * there; AWS knows it again. Of the resources of a stack it removes some, and forgets the others.
 */
export function motoMending(url: string): Mending {
  const aws = awsQuery(url);
  const orders = new Map<string, Record<string, string>>();
  const field = (body: string, name: string) => new URLSearchParams(body).get(name) ?? '';
  /** The AWS command line sends no token; its change sets are named by the second, so two stacks may share one. */
  const tokenOf = (body: string) => field(body, 'ClientToken') || field(body, 'ChangeSetName');
  const keyOf = (body: string) => `${field(body, 'StackName')} ${tokenOf(body)}`;
  const applied = new Map<string, string>();
  const empty = new Set<string>();
  /** A change set that changes nothing: moto refuses it, AWS makes it and says that it failed. */
  const emptyChangeSet = (action: string, form: URLSearchParams): Fate | undefined => {
    const set = form.get('ChangeSetName') ?? '';
    const order = Object.fromEntries(form);
    const isSame = applied.get(order.StackName ?? '') === wanted(order);
    if (action === 'CreateChangeSet' && order.ChangeSetType === 'UPDATE' && isSame) empty.add(set);
    if (!empty.has(set) || !action.endsWith('ChangeSet')) return undefined;
    const body = `<R><DescribeChangeSetResult><Status>FAILED</Status><StatusReason>${NOTHING}</StatusReason></DescribeChangeSetResult></R>`;
    return { status: 200, body };
  };
  return {
    async before({ action, body }) {
      const empty = emptyChangeSet(action, new URLSearchParams(body));
      if (empty) return empty;
      if (action === 'DeleteStack') await removeForgotten(aws, url, field(body, 'StackName'));
      const isKnown = action === 'CreateChangeSet' && orders.has(keyOf(body));
      if (action === 'CreateChangeSet' && !isKnown) {
        await removeShell(aws, field(body, 'StackName'));
      }
      return isKnown
        ? refusal('AlreadyExistsException', 'There is such a change set', 409)
        : undefined;
    },
    async after({ action, body }) {
      if (action === 'CreateChangeSet') {
        orders.set(keyOf(body), Object.fromEntries(new URLSearchParams(body)));
      }
      if (action !== 'ExecuteChangeSet') return;
      const set = field(body, 'ChangeSetName');
      const stack = nameOf(field(body, 'StackName'));
      const order = [...orders].find(([key]) => {
        const [ofStack, token = ''] = key.split(' ');
        return ofStack === stack && set.includes(token);
      })?.[1];
      if (!order) return;
      applied.set(order.StackName ?? '', wanted(order));
      const update = { ...order, Action: 'UpdateStack' };
      // The first is there for the second: an update that changes nothing is refused.
      const TemplateBody = `${order.TemplateBody}\n`;
      await aws.call('cloudformation', 'UpdateStack', { ...update, TemplateBody });
      await aws.call('cloudformation', 'UpdateStack', update);
    },
  };
}

/** A stack is asked for by its name or by its ARN, where the name stands between slashes. */
function nameOf(stack: string): string {
  return stack.startsWith('arn:') ? (stack.split('/')[1] ?? '') : stack;
}

/** A stack that was never executed is taken over by AWS; moto would make another one of the same name. */
async function removeShell(aws: AwsQuery, StackName: string): Promise<void> {
  const xml = await aws.call('cloudformation', 'DescribeStacks', { StackName }).catch(() => '');
  const [status] = elements(xml, 'StackStatus');
  const [id = ''] = elements(xml, 'StackId');
  if (status === 'REVIEW_IN_PROGRESS') {
    await aws.call('cloudformation', 'DeleteStack', { StackName: id });
  }
}

const NOTHING = "The submitted information didn't contain changes.";

/** What a change set wants, whatever its name. */
function wanted(order: Readonly<Record<string, string>>): string {
  const parts = Object.entries(order).filter(([name]) => /^(?:Template|Parameters)/.test(name));
  return JSON.stringify(parts.toSorted());
}

type Remover = (aws: AwsQuery, id: string, url: string) => Promise<unknown>;

/** In the order in which they have to go. */
const FORGOTTEN: readonly (readonly [string, Remover])[] = [
  ['AWS::EC2::EIP', releaseAddress],
  ['AWS::EC2::NatGateway', (aws, id) => aws.call('ec2', 'DeleteNatGateway', { NatGatewayId: id })],
  [
    'AWS::EC2::VPCEndpoint',
    (aws, id) => aws.call('ec2', 'DeleteVpcEndpoints', { 'VpcEndpointId.1': id }),
  ],
  [
    'AWS::EC2::SubnetRouteTableAssociation',
    (aws, id) => aws.call('ec2', 'DisassociateRouteTable', { AssociationId: id }),
  ],
  ['AWS::EC2::RouteTable', (aws, id) => aws.call('ec2', 'DeleteRouteTable', { RouteTableId: id })],
  ['AWS::EC2::InternetGateway', removeGateway],
  ['AWS::IAM::ManagedPolicy', removePolicy],
  [
    'AWS::Route53::HostedZone',
    (_aws, id, url) => fetch(`${url}/2013-04-01/hostedzone/${id}`, { method: 'DELETE' }),
  ],
];

async function removeForgotten(aws: AwsQuery, url: string, stack: string): Promise<void> {
  // Asked for the resources of a stack that is gone, moto makes them again.
  const state = await aws.call('cloudformation', 'DescribeStacks', { StackName: stack });
  if (elements(state, 'StackStatus')[0] === 'DELETE_COMPLETE') return;
  const xml = await aws.call('cloudformation', 'DescribeStackResources', { StackName: stack });
  const types = elements(xml, 'ResourceType');
  const ids = elements(xml, 'PhysicalResourceId');
  for (const [type, remove] of FORGOTTEN) {
    const own = ids.filter((_, index) => types[index] === type);
    // One that is gone already was removed by an earlier try.
    for (const id of own) await remove(aws, id, url).catch(() => undefined);
  }
}

async function releaseAddress(aws: AwsQuery, id: string): Promise<void> {
  const xml = await aws.call('ec2', 'DescribeAddresses', { 'PublicIp.1': id });
  const [AllocationId = ''] = elements(xml, 'allocationId');
  const [AssociationId] = elements(xml, 'associationId');
  if (AssociationId) await aws.call('ec2', 'DisassociateAddress', { AssociationId });
  await aws.call('ec2', 'ReleaseAddress', { AllocationId });
}

async function removeGateway(aws: AwsQuery, id: string): Promise<void> {
  const xml = await aws.call('ec2', 'DescribeInternetGateways', { 'InternetGatewayId.1': id });
  const [VpcId] = elements(xml, 'vpcId');
  if (VpcId) await aws.call('ec2', 'DetachInternetGateway', { InternetGatewayId: id, VpcId });
  await aws.call('ec2', 'DeleteInternetGateway', { InternetGatewayId: id });
}

async function removePolicy(aws: AwsQuery, PolicyArn: string): Promise<void> {
  for (const UserName of elements(await aws.call('iam', 'ListUsers'), 'UserName')) {
    await aws.call('iam', 'DetachUserPolicy', { UserName, PolicyArn }).catch(() => undefined);
  }
  await aws.call('iam', 'DeletePolicy', { PolicyArn });
}

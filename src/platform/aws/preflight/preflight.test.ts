import { describe, expect, test } from 'vitest';
import { type AwsSiteChange, awsSite } from '../../../../test/support/aws-site.ts';
import { silentContext } from '../../../core/context.ts';
import { readXml } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { awsFailure } from '../client/failure.ts';
import type { AwsService } from '../client/services.ts';
import { awsPreflight } from './preflight.ts';

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const TYPES = ['m6i.xlarge', 'm6i.large'];
const items = (set: string, all: readonly string[]) =>
  `<R><${set}>${all.map((each) => `<item>${each}</item>`).join('')}</${set}></R>`;

/** An account that has room for everything, by action. */
const FINE: Readonly<Record<string, string>> = {
  GetCallerIdentity:
    '<R><GetCallerIdentityResult><Arn>arn:aws:iam::1:user/ops</Arn></GetCallerIdentityResult></R>',
  DescribeStacks: '<R><DescribeStacksResult><Stacks/></DescribeStacksResult></R>',
  DescribeVpcs: items('vpcSet', ['<vpcId>vpc-1</vpcId>']),
  DescribeAddresses: items('addressesSet', []),
  DescribeAvailabilityZones: items(
    'availabilityZoneInfo',
    ZONES.map((zone) => `<zoneName>${zone}</zoneName>`),
  ),
  DescribeInstanceTypeOfferings: items(
    'instanceTypeOfferingSet',
    ZONES.flatMap((zone) =>
      TYPES.map((type) => `<instanceType>${type}</instanceType><location>${zone}</location>`),
    ),
  ),
};

type Refusal = readonly [name: string, words?: string, status?: number];

/** Such an account, with other answers for some actions; a list is a refusal. */
function account(other: Readonly<Record<string, string | Refusal>> = {}): Aws {
  const answer = async (service: AwsService, action: string): Promise<string> => {
    const said = other[action] ?? FINE[action] ?? '<R/>';
    if (typeof said === 'string') return said;
    const [name, words = '', status = 400] = said;
    const text = `<R><Error><Code>${name}</Code><Message>${words}</Message></Error></R>`;
    throw awsFailure({ service, action }, { status, text, headers: {} });
  };
  return {
    region: 'us-east-1',
    query: async (_ctx, service, action) => readXml(await answer(service, action)),
    json: async (_ctx, service, action) => JSON.parse(await answer(service, action)),
    rest: async (_ctx, service, { action }) => readXml(await answer(service, action)),
    close: () => undefined,
  };
}

async function found(
  other: Readonly<Record<string, string | Refusal>>,
  change: AwsSiteChange = {},
) {
  const limits = { GetServiceQuota: '{"Quota":{"Value":5}}' };
  const checks = await awsPreflight(
    silentContext(),
    account({ ...limits, ...other }),
    await awsSite(change),
  );
  return checks.filter(({ severity }) => severity !== 'ok');
}

const VPCS = ['1', '2', '3', '4', '5'].map((id) => `<vpcId>vpc-${id}</vpcId>`);
const FULL = { DescribeVpcs: items('vpcSet', VPCS) };

describe('awsPreflight', () => {
  test('finds nothing but what a closed network cannot do, where all is well', async () => {
    expect(await found({})).toMatchObject([{ subject: 'Route 53', severity: 'warning' }]);
  });

  test.each<[string, Refusal, string]>([
    ['expired', ['ExpiredToken'], 'aws sso login'],
    ['unknown', ['InvalidClientTokenId', '', 403], 'get-caller-identity'],
  ])('says of %s credentials that alone, with a code and what to do', async (_, refusal, hint) => {
    const checks = await found({ GetCallerIdentity: refusal, DescribeVpcs: ['AuthFailure'] });

    expect(checks).toMatchObject([{ subject: 'credentials', code: 'CLOUD_CREDENTIALS' }]);
    expect(checks[0]?.hint).toContain(hint);
  });

  test('names action and resource of a missing permission, and the statement that gives it', async () => {
    const words =
      'User: arn:aws:iam::1:user/ops is not authorized to perform: ec2:DescribeVpcs on resource: arn:aws:ec2:*';

    const checks = await found({ DescribeVpcs: ['UnauthorizedOperation', words, 403] });

    expect(checks).toContainEqual(
      expect.objectContaining({
        code: 'CLOUD_DENIED',
        message: expect.stringContaining('ec2:DescribeVpcs on arn:aws:ec2:*'),
        hint: expect.stringContaining(
          '{"Effect":"Allow","Action":"ec2:DescribeVpcs","Resource":"arn:aws:ec2:*"}',
        ),
      }),
    );
  });

  test('says which quota is full, and only warns where the limit is a guess', async () => {
    const quota = { subject: 'quota of VPCs', message: expect.stringContaining('5 of 5 VPCs') };
    const known = await found(FULL);
    const guessed = await found({ ...FULL, GetServiceQuota: ['AccessDenied', '', 403] });

    expect(known).toContainEqual(
      expect.objectContaining({ ...quota, severity: 'error', hint: expect.stringContaining('6') }),
    );
    expect(guessed).toContainEqual(expect.objectContaining({ ...quota, severity: 'warning' }));
  });

  test('needs no room for what an earlier run has made', async () => {
    const stack = '<member><StackStatus>CREATE_COMPLETE</StackStatus></member>';
    const DescribeStacks = `<R><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></R>`;

    expect(await found({ ...FULL, DescribeStacks })).toMatchObject([{ subject: 'Route 53' }]);
  });

  test('says that AWS wants it slower, when that does not end', async () => {
    const checks = await found({ DescribeAddresses: ['RequestLimitExceeded', 'slow down', 503] });

    expect(checks).toContainEqual(
      expect.objectContaining({ code: 'CLOUD_THROTTLED', subject: 'quotas' }),
    );
  });

  test('names machines that a zone does not offer, and an image that is not there', async () => {
    const offered = items('instanceTypeOfferingSet', [
      `<instanceType>m6i.xlarge</instanceType><location>us-east-1a</location>`,
    ]);
    const checks = await found(
      { DescribeInstanceTypeOfferings: offered, DescribeImages: ['InvalidAMIID.NotFound'] },
      {
        settings: { zones: ['us-east-1a', 'us-east-1b'], instanceType: 'm6i.xlarge' },
        shape: {
          bastion: {
            ...{ ami: 'ami-1', user: 'core', allowFrom: ['10.0.0.0/8'] },
            authorizedKeys: async () => ['ssh-ed25519 AAAA'],
          },
        },
      },
    );

    expect(checks.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('m6i.xlarge in us-east-1b'),
        'There is no image ami-1 in us-east-1',
      ]),
    );
  });

  test('wants Manual credentials where IAM cannot be reached, and somebody who may log in', async () => {
    const checks = await found(
      {},
      {
        shape: {
          credentialsMode: 'Mint',
          bastion: { user: 'core', allowFrom: [], authorizedKeys: async () => [] },
        },
      },
    );

    expect(checks.filter(({ severity }) => severity === 'error').map(({ hint }) => hint)).toEqual([
      expect.stringContaining('bastion.sshKey'),
      expect.stringContaining('bastion.allowFrom'),
      expect.stringContaining('cluster.credentialsMode: Manual'),
    ]);
  });

  test('says of a network of both families that the cluster is of one', async () => {
    expect(await found({}, { settings: { dualStack: true } })).toContainEqual(
      expect.objectContaining({ subject: 'IPv6', severity: 'warning' }),
    );
  });

  test('refuses a zone that all the world can ask', async () => {
    const GetHostedZone =
      '<R><HostedZone><Name>example.com.</Name><Config><PrivateZone>false</PrivateZone></Config></HostedZone></R>';

    expect(await found({ GetHostedZone }, { settings: { hostedZone: 'Z1' } })).toContainEqual(
      expect.objectContaining({ subject: 'zone Z1', message: expect.stringContaining('public') }),
    );
  });
});

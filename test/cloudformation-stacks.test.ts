import { afterAll, beforeAll, expect, test } from 'vitest';
import { bastionTemplate } from '../src/generate/cloudformation/bastion.ts';
import { credentialsTemplate } from '../src/generate/cloudformation/credentials.ts';
import { networkTemplate } from '../src/generate/cloudformation/network.ts';
import { awsFacts, awsPlatform } from '../src/generate/cloudformation/stack-outputs.ts';
import { formatTemplate } from '../src/generate/cloudformation/template.ts';
import { type AwsQuery, awsQuery, createStack, elements } from './support/aws-query.ts';
import { IGNITION, REQUESTS } from './support/cloudformation.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { describeWithPeers } from './support/peers.ts';

describeWithPeers(['moto_server'], 'stacks', () => {
  let moto: Moto;
  let aws: AwsQuery;
  let network: Record<string, string>;

  beforeAll(async () => {
    moto = await startMoto();
    aws = awsQuery(moto.url);
    const template = networkTemplate({
      site: 'lab',
      mode: 'disconnected',
      zoneName: 'lab.example.com',
    });
    network = await createStack(aws, 'lab-network', formatTemplate(template));
  }, 120_000);
  afterAll(() => moto?.stop());

  const inVpc = (action: string) =>
    aws.call('ec2', action, { 'Filter.1.Name': 'vpc-id', 'Filter.1.Value.1': network.VpcId ?? '' });

  test('of a network make its VPC, six subnets and a way out for the public ones alone', async () => {
    const subnets = elements(await inVpc('DescribeSubnets'), 'subnetId');
    const tables = await inVpc('DescribeRouteTables');
    const ways = tables.split('<routeTableId>').slice(1);

    expect(subnets.toSorted()).toEqual(
      `${network.PublicSubnetIds},${network.PrivateSubnetIds}`.split(',').toSorted(),
    );
    const out = ways.filter((one) => one.includes('0.0.0.0/0'));
    expect(out).toHaveLength(1);
    expect(out[0]?.startsWith(network.PublicRouteTableId ?? '?')).toBe(true);
    expect(elements(await inVpc('DescribeNatGateways'), 'natGatewayId')).toEqual([]);
  });

  test('of a network make endpoints for what a closed cluster calls', async () => {
    const services = elements(await inVpc('DescribeVpcEndpoints'), 'serviceName');

    expect(services.map((name) => name.replace('com.amazonaws.us-east-1.', '')).toSorted()).toEqual(
      [...['ec2', 'elasticloadbalancing', 's3', 's3', 'sts']],
    );
  });

  test('of a network say all that an install-config needs', () => {
    expect(awsPlatform(network, 'us-east-1')).toMatchObject({
      subnets: network.PrivateSubnetIds?.split(',').map((id) => ({ id })),
      zones: ['us-east-1a', 'us-east-1b', 'us-east-1c'],
      hostedZone: expect.stringMatching(/^[A-Z0-9]+$/),
    });
    expect(awsFacts(network).subnets).toHaveLength(6);
    expect(network.IgnitionBucket).toMatch(/^lab-network-/);
  });

  test('of a private network make one NAT gateway for each zone', async () => {
    const template = networkTemplate({
      site: 'open',
      mode: 'private',
      zones: 2,
      cidr: '10.9.0.0/16',
    });
    const outputs = await createStack(aws, 'open-network', formatTemplate(template));
    const xml = await aws.call('ec2', 'DescribeNatGateways');

    expect(elements(xml, 'subnetId').toSorted()).toEqual(
      outputs.PublicSubnetIds?.split(',').toSorted(),
    );
  });

  test('of a bastion make a machine with its ports, disks, metadata rule and user data', async () => {
    const access = { operators: ['203.0.113.7/32'], clients: ['10.0.0.0/16'], registry: 5000 };
    const [ami = ''] = elements(await aws.call('ec2', 'DescribeImages'), 'imageId');
    const [subnet = ''] = network.PublicSubnetIds?.split(',') ?? [];
    const template = bastionTemplate({
      ...{ site: 'lab', access, ignition: IGNITION, dataDisk: {} },
      mirrorName: 'mirror.example.com',
    });
    const outputs = await createStack(aws, 'lab-bastion', formatTemplate(template), {
      VpcId: network.VpcId ?? '',
      SubnetId: subnet,
      AmiId: ami,
    });

    const machine = await aws.call('ec2', 'DescribeInstances', {
      'InstanceId.1': outputs.InstanceId ?? '',
    });
    expect(elements(machine, 'subnetId')).toContain(subnet);
    expect(elements(machine, 'ipAddress')).toEqual([outputs.PublicIp]);
    expect(elements(machine, 'deviceName')).toEqual(['/dev/xvda', '/dev/xvdf']);

    const group = await aws.call('ec2', 'DescribeSecurityGroups', {
      'GroupId.1': outputs.SecurityGroupId ?? '',
    });
    const [, incoming = ''] = /<ipPermissions>(.*)<\/ipPermissions>/s.exec(group) ?? [];
    expect(elements(incoming, 'fromPort')).toEqual(['22', '5000']);
    expect(elements(incoming, 'cidrIp')).toEqual(['203.0.113.7/32', '10.0.0.0/16']);

    const launch = await aws.call('ec2', 'DescribeLaunchTemplateVersions', {
      'LaunchTemplateVersion.1': '$Latest',
    });
    expect(elements(launch, 'httpTokens')).toEqual(['required']);

    const data = await aws.call('ec2', 'DescribeInstanceAttribute', {
      InstanceId: outputs.InstanceId ?? '',
      Attribute: 'userData',
    });
    const [userData = ''] = elements(data, 'value');
    expect(Buffer.from(userData, 'base64').toString()).toContain(IGNITION.source);
  });

  test('of a bastion make a role that reads exactly one object', async () => {
    const [role = ''] = elements(await aws.call('iam', 'ListRoles'), 'RoleName');
    const names = await aws.call('iam', 'ListRolePolicies', { RoleName: role });
    const attached = await aws.call('iam', 'ListAttachedRolePolicies', { RoleName: role });
    const policy = await aws.call('iam', 'GetRolePolicy', {
      RoleName: role,
      PolicyName: 'read-ignition',
    });

    expect(elements(names, 'member')).toEqual(['read-ignition']);
    expect(elements(attached, 'PolicyArn')).toEqual([]);
    const [document = ''] = elements(policy, 'PolicyDocument');
    // The stand-in keeps it as Python writes it.
    const json = decodeURIComponent(document).replaceAll("'", '"');
    expect(JSON.parse(json).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: ['arn:aws:s3:::lab-ignition/lab/bastion.ign'],
      },
    ]);
  });

  test('of credentials make a user for each request, with one policy and no key', async () => {
    const template = credentialsTemplate({ site: 'lab', requests: REQUESTS });
    const users = Object.values(await createStack(aws, 'lab-users', formatTemplate(template)));

    expect(users).toEqual(['lab-openshift-ingress', 'lab-openshift-machine-api-aws']);
    for (const UserName of users) {
      const policies = await aws.call('iam', 'ListAttachedUserPolicies', { UserName });
      const keys = await aws.call('iam', 'ListAccessKeys', { UserName });
      expect(elements(policies, 'PolicyArn')).toHaveLength(1);
      expect(elements(keys, 'AccessKeyId')).toEqual([]);
    }
  });
});

import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../../test/support/cloudformation.ts';
import { nodesOf } from '../../../test/support/template-check.ts';
import { containsRange, overlaps, parseCidr } from '../ip.ts';
import { networkTemplate } from './network.ts';
import { serviceName } from './network-endpoints.ts';
import type { NetworkInput } from './network-input.ts';
import { subnetPlan } from './network-zones.ts';
import { SITE_TAG } from './tags.ts';
import { formatTemplate, type Template, type TemplateResource, type Value } from './template.ts';

const SITE: NetworkInput = { site: 'lab', mode: 'disconnected', zoneName: 'lab.example.com' };

function ofType({ Resources }: Template, type: string): TemplateResource[] {
  return Object.values(Resources).filter(({ Type }) => Type === type);
}

/** Types that AWS cannot tag. */
const UNTAGGED =
  /^AWS::(?:EC2::(?:Route|VPCCidrBlock|VPCGatewayAttachment|SubnetRouteTableAssociation)|S3::BucketPolicy)$/;

describe('networkTemplate', () => {
  test.each([
    ['disconnected', SITE],
    ['private', { site: 'lab', mode: 'private', zones: 2, tags: { team: 'platform' } }],
    [
      'existing',
      {
        ...SITE,
        existing: {
          vpcId: 'vpc-0123456789abcdef0',
          subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
          routeTableIds: ['rtb-0123456789abcdef0'],
        },
      },
    ],
  ] as const)('has its golden form when %s', async (name, input) => {
    const text = formatTemplate(networkTemplate(input));

    await expect(text).toMatchFileSnapshot(`../golden/cloudformation-network-${name}.yaml`);
  });

  test('gives no private subnet of a disconnected site a way out', () => {
    for (const input of NETWORKS.filter(({ mode }) => mode === 'disconnected')) {
      const template = networkTemplate(input);
      const tables = ofType(template, 'AWS::EC2::Route').map((one) => one.Properties?.RouteTableId);

      expect(ofType(template, 'AWS::EC2::NatGateway')).toEqual([]);
      expect(tables).toEqual(tables.map(() => ({ Ref: 'PublicRouteTable' })));
    }
  });

  test('lets layers of ECR through the fence of a closed network only where ECR is asked for', () => {
    const fence = (endpoints: readonly string[]) => {
      const [s3] = ofType(networkTemplate({ ...SITE, endpoints }), 'AWS::EC2::VPCEndpoint');
      return JSON.stringify(s3?.Properties?.PolicyDocument);
    };

    expect(fence(['ec2', 'ecr.dkr'])).toContain('-starport-layer-bucket/*');
    expect(fence(['ec2'])).not.toContain('starport');
  });

  test('gives every subnet of both families a range of its own, and no way in from outside', () => {
    const template = networkTemplate({ ...SITE, mode: 'private', dualStack: true });
    const subnets = ofType(template, 'AWS::EC2::Subnet').map(({ Properties }) =>
      JSON.stringify(Properties?.Ipv6CidrBlock),
    );
    const routes = ofType(template, 'AWS::EC2::Route').map(({ Properties }) => Properties);

    expect(new Set(subnets).size).toBe(6);
    const outside = routes.filter((route) => route?.DestinationIpv6CidrBlock === '::/0');
    expect(outside.filter((route) => route?.EgressOnlyInternetGatewayId)).toHaveLength(3);
    expect(outside.filter((route) => route?.GatewayId)).toHaveLength(1);
    expect(() =>
      networkTemplate({
        ...SITE,
        dualStack: true,
        existing: { vpcId: 'vpc-0123456789abcdef0', subnetIds: [] },
      }),
    ).toThrow('Cannot give an existing network IPv6');
  });

  test('tags everything with the site, and with the tags of the user', () => {
    for (const template of NETWORKS.map(networkTemplate)) {
      for (const { Type, Properties = {} } of Object.values(template.Resources)) {
        if (UNTAGGED.test(Type)) continue;
        const tags = Properties.Tags ?? Properties.HostedZoneTags;
        expect([Type, tags]).toEqual([
          Type,
          expect.arrayContaining([
            { Key: SITE_TAG, Value: 'lab' },
            { Key: 'team', Value: 'platform' },
          ]),
        ]);
      }
    }
  });

  test('places interface endpoints in every zone, with private DNS, behind HTTPS from the VPC', () => {
    const template = networkTemplate({ ...SITE, cidr: '10.20.0.0/20' });
    const endpoints = ofType(template, 'AWS::EC2::VPCEndpoint').map((one) => one.Properties);
    const [group] = ofType(template, 'AWS::EC2::SecurityGroup');

    const inside = endpoints.filter((one) => one?.VpcEndpointType === 'Interface');
    expect(inside.map((one) => one?.PrivateDnsEnabled)).toEqual([true, true, true]);
    expect(inside.map((one) => one?.SubnetIds)).toEqual(
      inside.map(() => [1, 2, 3].map((zone) => ({ Ref: `PrivateSubnet${zone}` }))),
    );
    expect(group?.Properties?.SecurityGroupIngress).toEqual([
      expect.objectContaining({ FromPort: 443, ToPort: 443, CidrIp: '10.20.0.0/20' }),
    ]);
  });

  test('opens S3 from a closed subnet only for buckets of the account', () => {
    const { S3Endpoint, S3PublicEndpoint } = networkTemplate(SITE).Resources;
    const policy = S3Endpoint?.Properties?.PolicyDocument as { Statement: Value } | undefined;

    expect(policy?.Statement).toEqual([
      expect.objectContaining({
        Condition: { StringEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
    expect(nodesOf(S3Endpoint)).not.toContainEqual({ Ref: 'PublicRouteTable' });
    expect(S3PublicEndpoint?.Properties?.RouteTableIds).toEqual([{ Ref: 'PublicRouteTable' }]);
    expect(S3PublicEndpoint?.Properties).not.toHaveProperty('PolicyDocument');
  });

  test('opens nothing to everybody', () => {
    for (const template of NETWORKS.map(networkTemplate)) {
      const groups = ofType(template, 'AWS::EC2::SecurityGroup');

      expect(nodesOf(groups).filter((node) => node === '0.0.0.0/0' || node === '::/0')).toEqual([]);
    }
  });

  test('keeps the bucket encrypted, private and for TLS alone', () => {
    const { IgnitionBucket, IgnitionBucketPolicy } = networkTemplate(SITE).Resources;

    expect(nodesOf(IgnitionBucket)).toContain('AES256');
    expect(Object.values(IgnitionBucket?.Properties?.PublicAccessBlockConfiguration ?? {})).toEqual(
      [true, true, true, true],
    );
    expect(nodesOf(IgnitionBucketPolicy)).toContainEqual({ 'aws:SecureTransport': 'false' });
  });

  test('does not depend on the order of endpoints and tags', () => {
    const a = { ...SITE, endpoints: ['sts', 'ec2'], tags: { a: '1', b: '2' } };
    const b = { ...SITE, endpoints: ['ec2', 'sts', 'ec2'], tags: { b: '2', a: '1' } };

    expect(formatTemplate(networkTemplate(b))).toBe(formatTemplate(networkTemplate(a)));
  });

  test.each([
    [{ zones: 4 }, 'over 4 zones'],
    [{ zones: [] }, 'over 0 zones'],
    [{ nat: 'single' }, 'disconnected site a NAT gateway'],
    [{ mode: 'private', nat: 'single', publicSubnets: false }, 'NAT gateway without public'],
    [{ cidr: '10.0.0.0/8' }, 'range "10.0.0.0/8"'],
    [{ cidr: '10.0.0.1/16' }, 'range "10.0.0.1/16"'],
    [{ zoneName: 'nodots' }, 'DNS zone "nodots"'],
    [{ endpoints: ['s3'] }, 'interface endpoint for "s3"'],
    [{ endpoints: ['e c2'] }, 'endpoint for "e c2"'],
    [{ site: 'Lab' }, 'name a site "Lab"'],
    [{ tags: { 'aws:x': 'y' } }, 'tag with "aws:x"'],
    [{ existing: { vpcId: 'vpc-1', subnetIds: [] } }, 'use "vpc-1"'],
    [{ existing: { vpcId: 'vpc-01234567', subnetIds: [] } }, 'no subnet is named'],
    [
      { existing: { vpcId: 'vpc-01234567', subnetIds: ['subnet-01234567'] } },
      'no route table is named',
    ],
  ] as const)('refuses %j', (wrong, message) => {
    expect(() => networkTemplate({ ...SITE, ...wrong } as NetworkInput)).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(message),
        hint: expect.any(String),
      }),
    );
  });
});

test.each(['10.0.0.0/16', '172.16.64.0/18', '192.168.1.0/24'])(
  'subnetPlan cuts %s into ranges that lie inside and apart',
  (cidr) => {
    const ranges = subnetPlan(cidr, 3)
      .flatMap((zone) => [zone.private, zone.public])
      .map((text) => parseCidr(text));
    const vpc = parseCidr(cidr);

    for (const [index, range] of ranges.entries()) {
      expect(range && vpc && containsRange(vpc, range)).toBe(true);
      expect(
        ranges.slice(index + 1).some((other) => other && range && overlaps(other, range)),
      ).toBe(false);
    }
  },
);

test('serviceName knows the regions of China, and takes whole names as they are', () => {
  expect(serviceName('ec2', 'us-east-1')).toEqual({ 'Fn::Sub': expect.stringMatching(/^com\./) });
  expect(serviceName('ec2', 'cn-north-1')).toEqual({
    'Fn::Sub': expect.stringMatching(/^cn\.com/),
  });
  expect(serviceName('com.amazonaws.us-east-1.kms', undefined)).toBe('com.amazonaws.us-east-1.kms');
});

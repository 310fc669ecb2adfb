import { describe, expect, test } from 'vitest';
import { BASTIONS, IGNITION } from '../../../test/support/cloudformation.ts';
import { nodesOf } from '../../../test/support/template-check.ts';
import { bastionTemplate } from './bastion.ts';
import type { BastionStackInput } from './bastion-input.ts';
import { SITE_TAG } from './tags.ts';
import { formatTemplate, hole, MAX_TEMPLATE_BYTES } from './template.ts';

const SITE: BastionStackInput = {
  site: 'lab',
  access: { operators: ['203.0.113.7/32'], clients: ['10.0.0.0/16'], registry: 5000 },
  ignition: IGNITION,
  dataDisk: {},
  mirrorName: 'mirror.example.com',
};

interface Rule {
  readonly FromPort: number;
  readonly ToPort: number;
  readonly CidrIp?: string;
  readonly CidrIpv6?: string;
}

function ingress(input: BastionStackInput): string[] {
  const { SecurityGroup } = bastionTemplate(input).Resources;
  const rules = SecurityGroup?.Properties?.SecurityGroupIngress as unknown as Rule[];
  return rules.map(({ FromPort, ToPort, CidrIp, CidrIpv6 }) =>
    FromPort === ToPort ? `${FromPort} ${CidrIp ?? CidrIpv6}` : 'a range of ports',
  );
}

/** Statements of IAM policies anywhere in a template. */
function statements(input: BastionStackInput) {
  const { Role } = bastionTemplate(input).Resources;
  return nodesOf(Role?.Properties?.Policies).flatMap((node) => {
    const found = (node as { Statement?: unknown[] } | null)?.Statement;
    return found ?? [];
  });
}

describe('bastionTemplate', () => {
  test('has its golden form', async () => {
    const text = formatTemplate(bastionTemplate(SITE));

    await expect(text).toMatchFileSnapshot('../golden/cloudformation-bastion.yaml');
  });

  test('opens SSH to operators, services to clients, and nothing else', () => {
    const access = { ...SITE.access, caches: [6001, 6002], proxy: [3128] };

    expect(ingress(SITE)).toEqual(['22 203.0.113.7/32', '5000 10.0.0.0/16']);
    expect(ingress({ ...SITE, access })).toEqual([
      '22 203.0.113.7/32',
      '3128 10.0.0.0/16',
      '5000 10.0.0.0/16',
      '6001 10.0.0.0/16',
      '6002 10.0.0.0/16',
    ]);
  });

  test('opens a service to operators only when the site says so', () => {
    const access = { ...SITE.access, openToOperators: ['registry'] } as const;

    expect(ingress({ ...SITE, access })).toContain('5000 203.0.113.7/32');
  });

  test('is open to everybody only when the site says so', () => {
    for (const input of BASTIONS) {
      expect(ingress(input).filter((rule) => rule.endsWith('/0'))).toEqual([]);
    }
    const access = { ...SITE.access, operators: ['0.0.0.0/0'] };
    expect(ingress({ ...SITE, access })).toContain('22 0.0.0.0/0');
  });

  test('gives the role exactly one action on exactly the objects it boots from', () => {
    const object = (name: string) => ({
      'Fn::Sub': `arn:\${AWS::Partition}:s3:::lab-ignition/${name}`,
    });
    const read = { Effect: 'Allow', Action: 's3:GetObject' };

    expect(statements(SITE)).toEqual([{ ...read, Resource: [object('lab/bastion.ign')] }]);
    expect(statements({ ...SITE, objects: ['s3://lab-ignition/atoll'] })).toEqual([
      { ...read, Resource: [object('atoll'), object('lab/bastion.ign')] },
    ]);
  });

  test('has no role when there is nothing in S3 to read', () => {
    const https = { source: 'https://files.example/bastion.ign', hash: IGNITION.hash };
    const { Resources } = bastionTemplate({ ...SITE, ignition: https });

    expect(Object.keys(Resources)).not.toContain('Role');
    expect(Resources.Bastion?.Properties).not.toHaveProperty('IamInstanceProfile');
  });

  test('boots with a config it verifies, and never carries the config itself', () => {
    const { Bastion } = bastionTemplate(SITE).Resources;
    const data = Bastion?.Properties?.UserData as { 'Fn::Base64': string };

    expect(JSON.parse(data['Fn::Base64']).ignition.config.replace).toEqual({
      source: IGNITION.source,
      verification: { hash: IGNITION.hash },
    });
  });

  test.each(BASTIONS.filter((_, index) => index % 7 === 0))(
    'demands tokens for metadata, encrypts every disk, and tags (%#)',
    (input) => {
      const { LaunchTemplate, Bastion, SecurityGroup } = bastionTemplate(input).Resources;
      const mappings = Bastion?.Properties?.BlockDeviceMappings as unknown as {
        Ebs: { Encrypted: boolean };
      }[];

      expect(LaunchTemplate?.Properties?.LaunchTemplateData).toEqual({
        MetadataOptions: {
          HttpEndpoint: 'enabled',
          HttpTokens: 'required',
          HttpPutResponseHopLimit: 1,
        },
      });
      expect(Bastion?.Properties?.LaunchTemplate).toMatchObject({
        LaunchTemplateId: { Ref: 'LaunchTemplate' },
      });
      expect(mappings.map(({ Ebs }) => Ebs.Encrypted)).toEqual(mappings.map(() => true));
      for (const resource of [Bastion, SecurityGroup]) {
        expect(resource?.Properties?.Tags).toContainEqual({ Key: SITE_TAG, Value: 'lab' });
      }
    },
  );

  test('keeps the data disk only when asked to', () => {
    const kept = (dataDisk: BastionStackInput['dataDisk']) =>
      nodesOf(bastionTemplate({ ...SITE, dataDisk }).Resources.Bastion).filter(
        (node) => (node as { DeleteOnTermination?: boolean } | null)?.DeleteOnTermination === false,
      ).length;

    expect([kept({}), kept({ keep: true })]).toEqual([0, 1]);
  });

  test('fits into one request in every form', () => {
    const sizes = BASTIONS.map((input) => formatTemplate(bastionTemplate(input)).length);

    expect(Math.max(...sizes)).toBeLessThan(MAX_TEMPLATE_BYTES / 4);
  });

  test.each([
    [{ access: { ...SITE.access, operators: [] } }, 'nobody may log in'],
    [{ access: { ...SITE.access, operators: ['203.0.113.7'] } }, 'open a port to "203.0.113.7"'],
    [{ access: { ...SITE.access, clients: ['10.0.0.1/16'] } }, 'open a port to "10.0.0.1/16"'],
    [{ access: { ...SITE.access, registry: 22 } }, 'service on port 22'],
    [{ ignition: { source: 's3://bucket/*' } }, 'exactly "s3://bucket/*"'],
    [{ objects: ['s3://bucket/key?versionId=1'] }, 'exactly "s3://bucket/key?versionId=1"'],
    [{ objects: [`s3://bucket/${hole('AWS::StackName')}`] }, 'give access to exactly'],
    [{ dataDisk: { sizeGiB: 5 } }, 'disk of 5 GiB'],
    [{ mirrorName: 'mirror' }, 'name the mirror "mirror"'],
  ])('refuses %j', (wrong, message) => {
    expect(() => bastionTemplate({ ...SITE, ...wrong })).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(message),
        hint: expect.any(String),
      }),
    );
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { type Aws, connectAws } from '../src/platform/aws/client/aws.ts';
import { usualKeys } from '../src/platform/aws/client/credentials.ts';
import { applyStack } from '../src/platform/aws/stacks/apply-stack.ts';
import { removeStack } from '../src/platform/aws/stacks/remove-stack.ts';
import { findStack } from '../src/platform/aws/stacks/stack-state.ts';
import { listOf, textOf } from '../src/platform/shared/xml.ts';
import { type AwsLab, startAwsLab } from './support/aws-lab.ts';
import { type AwsProxy, type Fate, refusal } from './support/aws-proxy.ts';
import { describeWithPeers } from './support/peers.ts';

const ctx = silentContext();
const KEYS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-secret-of-the-test' };

const template = (resources: object) =>
  JSON.stringify({
    AWSTemplateFormatVersion: '2010-09-09',
    Resources: resources,
    Outputs: { Made: { Value: 'yes' } },
  });
const vpc = (CidrBlock: string) => ({ Type: 'AWS::EC2::VPC', Properties: { CidrBlock } });
const order = {
  name: 'north-network',
  site: 'north',
  template: template({ Vpc: vpc('10.0.0.0/16') }),
};

describeWithPeers(['moto_server'], 'AWS', () => {
  let lab: AwsLab;
  let proxy: AwsProxy;

  beforeAll(async () => {
    lab = await startAwsLab();
    ({ proxy } = lab);
  }, 120_000);
  afterAll(() => lab?.stop());
  beforeEach(() => lab.reset());

  describe('the client of AWS', () => {
    let asked: boolean[];
    let aws: Aws;

    beforeEach(() => {
      asked = [];
      aws = connectAws({
        region: 'us-east-1',
        env: lab.env,
        retry: { firstDelayMs: 1 },
        keys: async (fresh) => {
          asked.push(fresh);
          return KEYS;
        },
      });
    });

    test('speaks forms, JSON and paths', async () => {
      const identity = await aws.query(ctx, 'sts', 'GetCallerIdentity');
      const zones = await aws.query(ctx, 'ec2', 'DescribeAvailabilityZones');
      const tagged = await aws.json(ctx, 'tagging', 'GetResources', {});
      const hosted = await aws.rest(ctx, 'route53', {
        action: 'ListHostedZones',
        method: 'GET',
        path: '/2013-04-01/hostedzone',
      });

      expect(textOf(identity, 'GetCallerIdentityResult', 'Account')).toMatch(/^\d{12}$/);
      expect(listOf(zones, 'availabilityZoneInfo').length).toBeGreaterThan(2);
      expect(tagged).toMatchObject({ ResourceTagMappingList: [] });
      expect(textOf(hosted, 'IsTruncated')).toBe('false');
    });

    test.each([
      ['is throttled', refusal('Throttling', 'Rate exceeded')],
      ['meets a fault of the service', refusal('InternalFailure', 'sorry', 500)],
      ['loses its connection before the call', 'cut-before' as const],
      ['loses its connection before the answer', 'cut-after' as const],
    ])('tries again when it %s, and tells', async (_, fate) => {
      const recording = recordingContext();
      proxy.decide = () => (proxy.calls.length === 1 ? fate : 'pass');

      await aws.query(recording, 'sts', 'GetCallerIdentity');

      expect(proxy.calls.length).toBeGreaterThan(1);
      expect(recording.events).toMatchObject([
        { type: 'attempt.failed', operation: 'sts:GetCallerIdentity', attempt: 1 },
      ]);
    });

    test('asks for credentials once more when they have expired, and then says so', async () => {
      proxy.decide = () => refusal('ExpiredToken', 'The security token is expired', 403);

      await expect(aws.query(ctx, 'sts', 'GetCallerIdentity')).rejects.toMatchObject({
        code: 'CLOUD_CREDENTIALS',
        hint: expect.stringContaining('expired'),
      });
      expect(asked).toEqual([false, true]);
    });

    test('names the permission that a policy does not give', async () => {
      proxy.decide = () => refusal('AccessDenied', 'Access Denied', 403);

      await expect(aws.query(ctx, 'cloudformation', 'CreateChangeSet')).rejects.toMatchObject({
        code: 'CLOUD_DENIED',
        details: { action: 'cloudformation:CreateChangeSet' },
      });
      expect(proxy.calls).toHaveLength(1);
    });
  });

  describe('stacks of a site', () => {
    const status = async () => (await findStack(ctx, lab.aws, order.name))?.status;

    test('are made, told as they go, and give their outputs', async () => {
      const recording = recordingContext();

      const outputs = await applyStack(recording, lab.aws, order);

      expect(outputs).toEqual({ Made: 'yes' });
      expect(recording.events).toContainEqual(
        expect.objectContaining({ type: 'task.progressed', note: 'north-network create complete' }),
      );
      expect(recording.events.at(-1)).toMatchObject({ type: 'task.finished' });
    });

    test('stay as they are when nothing has changed, and follow their template when it has', async () => {
      await applyStack(ctx, lab.aws, order);
      expect(await applyStack(ctx, lab.aws, order)).toEqual({ Made: 'yes' });

      const more = template({
        Vpc: vpc('10.0.0.0/16'),
        Gate: { Type: 'AWS::EC2::InternetGateway' },
      });
      await applyStack(ctx, lab.aws, { ...order, template: more });

      expect(await status()).toBe('UPDATE_COMPLETE');
    });

    test('are removed, and may be removed again', async () => {
      await applyStack(ctx, lab.aws, order);
      await removeStack(ctx, lab.aws, order);
      await removeStack(ctx, lab.aws, order);

      expect(await status()).toBeUndefined();
    });

    test('of somebody else are neither changed nor removed', async () => {
      await applyStack(ctx, lab.aws, { ...order, site: 'south' });
      const recording = recordingContext();

      await expect(applyStack(ctx, lab.aws, order)).rejects.toMatchObject({
        code: 'CLOUD_REFUSED',
      });
      await removeStack(recording, lab.aws, order);

      expect(await status()).toMatch(/_COMPLETE$/);
      expect(recording.events).toMatchObject([{ type: 'warning.raised', subject: order.name }]);
    });

    test.each<[string, Fate]>([
      ['throttled', refusal('Throttling', 'Rate exceeded')],
      ['cut before it takes effect', 'cut-before'],
      ['cut after it took effect', 'cut-after'],
    ])('are made and removed when every call is once %s', async (_, fate) => {
      const seen = new Set<string>();
      lab.proxy.decide = ({ action }) => {
        if (seen.has(action)) return 'pass';
        seen.add(action);
        return fate;
      };

      expect(await applyStack(ctx, lab.aws, order)).toEqual({ Made: 'yes' });
      await removeStack(ctx, lab.aws, order);

      expect(await status()).toBeUndefined();
      expect([...seen]).toEqual(expect.arrayContaining(['CreateChangeSet', 'DeleteStack']));
    });
  });
});

describe('usualKeys', () => {
  test('takes the variables of the environment, and says what to do without any', async () => {
    const before = { ...process.env };
    try {
      process.env.AWS_ACCESS_KEY_ID = KEYS.accessKeyId;
      process.env.AWS_SECRET_ACCESS_KEY = KEYS.secretAccessKey;
      expect(await usualKeys('us-east-1')(false)).toMatchObject(KEYS);

      delete process.env.AWS_ACCESS_KEY_ID;
      process.env.AWS_EC2_METADATA_DISABLED = 'true';
      process.env.AWS_SHARED_CREDENTIALS_FILE = '/nonexistent';
      process.env.AWS_CONFIG_FILE = '/nonexistent';
      await expect(usualKeys('us-east-1')(false)).rejects.toMatchObject({
        code: 'CLOUD_CREDENTIALS',
        hint: expect.stringContaining('AWS_PROFILE'),
      });
    } finally {
      process.env = before;
    }
  });
});

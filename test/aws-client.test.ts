import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { type Aws, connectAws } from '../src/platform/aws/client/aws.ts';
import { usualKeys } from '../src/platform/aws/client/credentials.ts';
import { listOf, textOf } from '../src/platform/aws/client/xml.ts';
import { type AwsProxy, refusal, startAwsProxy } from './support/aws-proxy.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { describeWithPeers } from './support/peers.ts';

const ctx = silentContext();
const KEYS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-secret-of-the-test' };

describeWithPeers(['moto_server'], 'the client of AWS', () => {
  let moto: Moto;
  let proxy: AwsProxy;
  let asked: boolean[];
  let aws: Aws;

  beforeAll(async () => {
    moto = await startMoto();
    proxy = await startAwsProxy(moto.url);
  }, 60_000);
  afterAll(async () => {
    await proxy?.stop();
    await moto?.stop();
  });
  beforeEach(() => {
    asked = [];
    proxy.decide = () => 'pass';
    proxy.calls.length = 0;
    aws = connectAws({
      region: 'us-east-1',
      env: { AWS_ENDPOINT_URL: proxy.url },
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

    expect(proxy.calls).toEqual(['sts:GetCallerIdentity', 'sts:GetCallerIdentity']);
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

import { describe, expect, test } from 'vitest';
import { type AwsService, endpointOf, permissionOf } from './services.ts';

describe('endpointOf', () => {
  test.each<[AwsService, string, string, string]>([
    ['ec2', 'eu-central-1', 'ec2.eu-central-1.amazonaws.com', 'eu-central-1'],
    ['iam', 'eu-central-1', 'iam.amazonaws.com', 'us-east-1'],
    ['route53', 'us-gov-east-1', 'route53.us-gov.amazonaws.com', 'us-gov-west-1'],
    ['ec2', 'cn-north-1', 'ec2.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['iam', 'cn-northwest-1', 'iam.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['route53', 'cn-north-1', 'route53.amazonaws.com.cn', 'cn-north-1'],
    ['sts', 'us-iso-east-1', 'sts.us-iso-east-1.c2s.ic.gov', 'us-iso-east-1'],
  ])('finds %s in %s at %s', (service, region, host, signedFor) => {
    const { url, region: found } = endpointOf(service, region, {});

    expect([url.href, found]).toEqual([`https://${host}/`, signedFor]);
  });

  test('takes the endpoint of the service, then that of all, from the environment', () => {
    const env = { AWS_ENDPOINT_URL: 'http://all:1', AWS_ENDPOINT_URL_S3: 'http://buckets:2' };

    expect(endpointOf('s3', 'us-east-1', env).url.host).toBe('buckets:2');
    expect(endpointOf('ec2', 'us-east-1', env).url.host).toBe('all:1');
  });
});

test('permissionOf names actions as policies do', () => {
  expect(permissionOf('tagging', 'GetResources')).toBe('tag:GetResources');
  expect(permissionOf('elbv2', 'DescribeTags')).toBe('elasticloadbalancing:DescribeTags');
});

import { expect, test } from 'vitest';
import { installConfig } from '../install-config/build.ts';
import { validateInstallConfig } from '../install-config/validate.ts';
import { awsFacts, awsPlatform, readStackOutputs } from './stack-outputs.ts';

const OUTPUTS = {
  VpcId: 'vpc-0123456789abcdef0',
  VpcCidr: '10.0.0.0/16',
  Zones: 'us-east-1a,us-east-1b',
  PrivateSubnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  PrivateSubnetCidrs: '10.0.0.0/19,10.0.32.0/19',
  PublicSubnetIds: 'subnet-0123456789abcdef2,subnet-0123456789abcdef3',
  PublicSubnetCidrs: '10.0.128.0/19,10.0.160.0/19',
  HostedZoneId: 'Z0123456789',
};
const PRINTED = JSON.stringify({
  Stacks: [
    {
      Outputs: Object.entries(OUTPUTS).map(([OutputKey, OutputValue]) => ({
        OutputKey,
        OutputValue,
      })),
    },
  ],
});

test('readStackOutputs reads what the AWS command line prints, and nothing else', () => {
  expect(readStackOutputs(PRINTED, 'x')).toEqual(OUTPUTS);
  for (const text of ['', '{}', '{"Stacks":[]}', '{"Stacks":[{}]}']) {
    expect(() => readStackOutputs(text, 'x.json')).toThrow('from "x.json"');
  }
});

test('awsPlatform and awsFacts make an install-config that has no violations on AWS', () => {
  const config = installConfig({
    name: 'site',
    baseDomain: 'example.com',
    platform: awsPlatform(OUTPUTS, 'us-east-1'),
    releaseVersion: '4.19.1',
    size: 'compact',
    publish: 'Internal',
    machineNetwork: [OUTPUTS.VpcCidr],
    pullSecret: '{"auths":{"mirror.example:5000":{"auth":"YTpi"}}}',
  });
  const violations = validateInstallConfig(config, { aws: awsFacts(OUTPUTS) });

  expect(config.platform.aws).toMatchObject({ hostedZone: 'Z0123456789' });
  expect(violations.filter(({ path }) => path.includes('aws'))).toEqual([]);
});

test('awsPlatform names the output that is missing', () => {
  expect(() => awsPlatform({ VpcId: 'vpc-1' }, 'us-east-1')).toThrow('output PrivateSubnetIds');
});

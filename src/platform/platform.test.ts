import { describe, expect, test } from 'vitest';
import { describePlatform, describeRow } from '../../test/support/suites/platform-suite.ts';
import { PLATFORMS } from '../cli/platforms.ts';
import { labPlatform } from '../lab/lab-platform.ts';
import { awsPlatform } from './aws/aws-platform.ts';
import { awsSettings } from './aws/settings.ts';
import { nonePlatform } from './none/none-platform.ts';
import { nutanixPlatform } from './nutanix/nutanix-platform.ts';
import { vspherePlatform } from './vsphere/vsphere-platform.ts';

for (const kind of PLATFORMS) describeRow(kind);

for (const kind of [nonePlatform, labPlatform]) describePlatform(kind);

test('the table has each platform once', () => {
  const names = PLATFORMS.map(({ name }) => name);

  expect(names).toEqual([...new Set(names)]);
});

describe('the part of an install-config', () => {
  const files = { credentials: 'username: admin\npassword: open-sesame-9\n' };

  test('of aws names the subnets of the site, and is unknown until there are some', () => {
    const settings = { type: 'aws', region: 'us-east-1' };

    expect(awsPlatform.installPlatform(settings, { files: {} })).toEqual({ publish: 'Internal' });
    const existing = { ...settings, subnets: ['subnet-1'] };
    expect(awsPlatform.installPlatform(existing, { files: {} })).toEqual({
      publish: 'Internal',
      platform: { ...settings, subnets: [{ id: 'subnet-1' }] },
    });
  });

  test('of aws names the network that was made', () => {
    const made = JSON.stringify({
      PrivateSubnetIds: 'subnet-1,subnet-2',
      Zones: 'us-east-1a,us-east-1b',
      HostedZoneId: 'Z1',
    });

    const settings = { type: 'aws', region: 'us-east-1' };

    expect(awsPlatform.installPlatform(settings, { files: {}, made })).toMatchObject({
      platform: {
        subnets: [{ id: 'subnet-1' }, { id: 'subnet-2' }],
        zones: ['us-east-1a', 'us-east-1b'],
        hostedZone: 'Z1',
      },
    });
  });

  test.each([vspherePlatform, nutanixPlatform])(
    'of $name has the login of the file, and not its name',
    ({ name, init, installPlatform }) => {
      const part = installPlatform({ type: name, ...init.example }, { files });

      expect(JSON.stringify(part)).toMatch(/"username":"admin","password":"open-sesame-9"/);
      expect(JSON.stringify(part)).not.toContain('credentials');
    },
  );

  test('of vsphere names what is wrong with the file of the login', () => {
    const settings = { type: 'vsphere', ...vspherePlatform.init.example };

    expect(() =>
      vspherePlatform.installPlatform(settings, { files: { credentials: 'user: admin\n' } }),
    ).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});

test('awsSettings knows nothing of a site on another platform', () => {
  expect(awsSettings({ type: 'none' })).toEqual({});
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { listOf, textOf } from '../src/platform/aws/client/xml.ts';
import { leftovers } from '../src/platform/aws/remove/leftovers.ts';
import { type AwsLab, startAwsLab } from './support/aws-lab.ts';
import {
  type AwsSiteChange,
  awsSite,
  awsWorld,
  bootedWith,
  bringUpAws,
  openAws,
} from './support/aws-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { type Sshd, startSshd } from './support/sshd.ts';

const ctx = silentContext();

describeWithPeers(['moto_server', 'sshd', 'ssh'], 'a site on AWS', () => {
  let lab: AwsLab;
  let sshd: Sshd;

  beforeAll(async () => {
    lab = await startAwsLab();
    sshd = await startSshd();
  }, 120_000);
  afterAll(async () => {
    await sshd?.remove();
    await lab?.stop();
  });
  beforeEach(() => lab.reset());
  afterEach(() => {
    expect(lab.proxy.troubles.splice(0)).toEqual([]);
  });

  const opened = async (change?: AwsSiteChange) => {
    const site = await awsSite(change);
    return { site, platform: openAws(site, awsWorld(lab, sshd)) };
  };

  const count = async (action: string, set: string) =>
    listOf(await lab.aws.query(ctx, 'ec2', action), set).length;

  async function existingNetwork() {
    const vpc = await lab.aws.query(ctx, 'ec2', 'CreateVpc', { CidrBlock: '10.7.0.0/16' });
    const VpcId = textOf(vpc, 'vpc', 'vpcId');
    await lab.aws.query(ctx, 'ec2', 'ModifyVpcAttribute', {
      VpcId,
      EnableDnsHostnames: { Value: true },
    });
    const subnets: string[] = [];
    for (const [index, zone] of ['us-east-1a', 'us-east-1b'].entries()) {
      const made = await lab.aws.query(ctx, 'ec2', 'CreateSubnet', {
        VpcId,
        CidrBlock: `10.7.${index}.0/24`,
        AvailabilityZone: zone,
      });
      subnets.push(textOf(made, 'subnet', 'subnetId'));
    }
    return { vpc: VpcId, subnets };
  }

  const KINDS: Readonly<Record<string, () => Promise<AwsSiteChange>>> = {
    disconnected: async () => ({}),
    'private with a proxy': async () => ({
      settings: { zones: ['us-east-1a', 'us-east-1b'] },
      shape: {
        mode: 'private',
        credentialsMode: undefined,
        ports: { registry: 5000, proxy: 3128 },
      },
    }),
    'in a network of its own': async () => ({ settings: await existingNetwork() }),
    'with a bastion of its own': async () => ({
      bastion: { address: 'localhost', user: 'core', hostKeys: [] },
    }),
  };

  test.each(Object.keys(KINDS))(
    '%s is made, answers, and leaves nothing behind',
    async (kind) => {
      lab.proxy.decide = bootedWith(sshd);
      const before = await count('DescribeVpcs', 'vpcSet');
      const { site, platform } = await opened(await KINDS[kind]?.());
      const others = await count('DescribeVpcs', 'vpcSet');

      const inventory = await bringUpAws(ctx, platform);
      const made = JSON.parse(await readFile(join(site.paths.state, 'platform.json'), 'utf8'));
      expect(made).toMatchObject({
        VpcId: expect.stringMatching(/^vpc-/),
        PrivateSubnetIds: expect.any(String),
      });
      // A second time changes nothing.
      await bringUpAws(ctx, openAws(site, awsWorld(lab, sshd)), inventory);
      await inventory.removeAll(ctx, platform);

      expect(await leftovers(ctx, lab.aws, site.name)).toEqual([]);
      expect(await count('DescribeVpcs', 'vpcSet')).toBe(others);
      expect(others - before).toBe(kind === 'in a network of its own' ? 1 : 0);
      await platform.close();
    },
    60_000,
  );
});

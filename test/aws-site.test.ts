import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { silentContext } from '../src/core/context.ts';
import { sitePolicy } from '../src/generate/credentials/site-policy.ts';
import { withAppsRecord, writeAppsRecord } from '../src/platform/aws/cluster/apps-record.ts';
import { leftovers } from '../src/platform/aws/remove/leftovers.ts';
import { removeRecords } from '../src/platform/aws/zone.ts';
import type { PlatformSite } from '../src/platform/platform.ts';
import { listOf, textOf } from '../src/platform/shared/xml.ts';
import {
  type AwsSiteChange,
  awsWorld,
  bootedWith,
  bringUpAws,
  existingNetwork,
  installRun,
  openAws,
  testInventory,
  useAwsLab,
} from './support/aws-site.ts';
import { describeWithPeers } from './support/peers.ts';

const ctx = silentContext();

describeWithPeers(['moto_server', 'sshd', 'ssh'], 'a site on AWS', () => {
  const world = useAwsLab();
  const { opened } = world;

  const count = async (action: string, set: string) =>
    listOf(await world.lab.aws.query(ctx, 'ec2', action), set).length;

  const KINDS: Readonly<Record<string, () => Promise<AwsSiteChange>>> = {
    disconnected: async () => ({}),
    'private with a proxy': async () => ({
      settings: { zones: ['us-east-1a', 'us-east-1b'] },
      disconnected: false,
      shape: {
        credentialsMode: undefined,
        ports: { registry: 5000, proxy: 3128 },
      },
    }),
    'in a network of its own': async () => ({ settings: await existingNetwork(world.lab) }),
    'with a bastion of its own': async () => ({
      bastion: { address: 'localhost', user: 'core', hostKeys: [] },
    }),
  };

  test.each(Object.keys(KINDS))(
    '%s is made, answers, and leaves nothing behind',
    async (kind) => {
      world.lab.proxy.decide = bootedWith(world.sshd);
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
      await bringUpAws(ctx, openAws(site, awsWorld(world.lab, world.sshd)), inventory);
      await inventory.removeAll(ctx, platform);

      expect(await leftovers(ctx, world.lab.aws, site.name)).toEqual([]);
      expect(await count('DescribeVpcs', 'vpcSet')).toBe(others);
      expect(others - before).toBe(kind === 'in a network of its own' ? 1 : 0);
      await platform.close();
    },
    60_000,
  );

  test.each(['classic', 'network'])(
    'points *.apps at a %s load balancer of its router once there is one',
    async (kind) => {
      const { site, platform } = await opened();
      const inventory = testInventory();
      await platform.provision(ctx, inventory.claim);
      const made = JSON.parse(await readFile(join(site.paths.state, 'platform.json'), 'utf8'));
      const place = { zone: made.HostedZoneId, vpc: made.VpcId, domain: 'north.example.com' };
      const Tags = [
        { Key: 'kubernetes.io/service-name', Value: 'openshift-ingress/router-default' },
      ];
      const Subnets = [made.PrivateSubnetIds.split(',')[0]];

      expect(await writeAppsRecord(ctx, world.lab.aws, place)).toBe(false);
      if (kind === 'classic') {
        const listener = { Protocol: 'TCP', LoadBalancerPort: 443, InstancePort: 443 };
        const LoadBalancerName = 'router';
        await world.lab.aws.query(ctx, 'elb', 'CreateLoadBalancer', {
          LoadBalancerName,
          Subnets,
          Tags,
          Listeners: [listener],
        });
      } else {
        await world.lab.aws.query(ctx, 'elbv2', 'CreateLoadBalancer', {
          Name: 'router',
          Type: 'network',
          Subnets,
          Tags,
        });
      }
      expect(await withAppsRecord(ctx, world.lab.aws, place, async () => 'installed')).toBe(
        'installed',
      );
      expect(await writeAppsRecord(ctx, world.lab.aws, place)).toBe(true);

      const zone = `/2013-04-01/hostedzone/${place.zone}/rrset`;
      const records = await world.lab.aws.rest(ctx, 'route53', {
        action: 'List',
        method: 'GET',
        path: zone,
      });
      expect(JSON.stringify(records)).toMatch(/\*\.apps\.north\.example\.com.*router/);
      expect(await removeRecords(ctx, world.lab.aws, place.zone, () => true)).toEqual([
        '*.apps.north.example.com',
      ]);
      await platform.close();
    },
  );

  test('boots a cluster with users of its own and without zones, and destroys it first', async () => {
    const { site, platform } = await opened(await KINDS['with a bastion of its own']?.());
    const inventory = testInventory();
    await platform.provision(ctx, inventory.claim);
    await platform.bastion(ctx, inventory.claim);
    await installerFake(site);
    const run = installRun(inventory.claim);

    await platform.boot(ctx, run);
    await platform.watch(ctx, run);

    const cluster = join(site.paths.install, 'cluster');
    const dns = await readFile(join(cluster, 'manifests', 'cluster-dns-02-config.yml'), 'utf8');
    expect(parse(dns).spec).toEqual({ baseDomain: 'north.example.com' });
    const secret = join(
      cluster,
      'manifests',
      'openshift-ingress-operator-cloud-credentials-credentials.yaml',
    );
    expect(parse(await readFile(secret, 'utf8')).stringData.aws_access_key_id).toMatch(/^AKIA/);
    expect((await stat(secret)).mode & 0o077).toBe(0);
    expect(inventory.resources.at(-1)?.kind).toBe('openshift-cluster');
    await inventory.removeAll(ctx, platform);
    expect(await readFile(join(site.paths.tools, 'calls'), 'utf8')).toMatch(
      /create manifests.*create cluster.*destroy cluster/s,
    );
    expect(await leftovers(ctx, world.lab.aws, site.name)).toEqual([]);
    await platform.close();
  }, 60_000);

  test('is not taken from under machines that are not its own', async () => {
    const { site, platform } = await opened(await KINDS['with a bastion of its own']?.());
    const inventory = testInventory();
    await platform.provision(ctx, inventory.claim);
    const made = JSON.parse(await readFile(join(site.paths.state, 'platform.json'), 'utf8'));
    const images = await world.lab.aws.query(ctx, 'ec2', 'DescribeImages');
    await world.lab.aws.query(ctx, 'ec2', 'RunInstances', {
      ImageId: textOf(listOf(images, 'imagesSet')[0], 'imageId'),
      SubnetId: made.PrivateSubnetIds.split(',')[0],
      MinCount: 1,
      MaxCount: 1,
    });

    await expect(inventory.removeAll(ctx, platform)).rejects.toMatchObject({
      code: 'CLOUD_LEFTOVERS',
      hint: expect.stringContaining('destroy cluster'),
    });
    await platform.close();
  });

  test('asks for no permission that its policy does not give', async () => {
    world.lab.proxy.decide = bootedWith(world.sshd);
    const { platform } = await opened();
    const inventory = await bringUpAws(ctx, platform);
    await inventory.removeAll(ctx, platform);
    await platform.close();

    const granted = sitePolicy('north').Statement.flatMap(({ Action }) => Action);
    const asked = world.lab.proxy.calls
      .filter((call) => /^[a-z0-9]+:[A-Z][a-z]/.test(call))
      .map((call) => call.replace(/^tagging:/, 'tag:'));
    expect(asked.length).toBeGreaterThan(50);
    expect([...new Set(asked)].filter((call) => !granted.includes(call))).toEqual([]);
  }, 60_000);
});

/** Stands for the installer: it writes what the real one would, and what it was called with. */
async function installerFake({ paths }: PlatformSite): Promise<void> {
  await mkdir(join(paths.install, 'extra'), { recursive: true });
  await mkdir(paths.tools, { recursive: true });
  await writeFile(join(paths.install, 'install-config.yaml'), 'apiVersion: v1\n');
  const lines = [
    '#!/bin/bash',
    `echo "$1 $2" >> ${join(paths.tools, 'calls')}`,
    'for dir; do :; done',
    '[ "$1 $2" != "create manifests" ] || mkdir -p "$dir/manifests"',
    '[ "$1 $2" != "create cluster" ] || { echo "{}" > "$dir/metadata.json"; }',
  ];
  const text = `${lines.join('\n')}\nexit 0\n`;
  await writeFile(join(paths.tools, 'openshift-install'), text, { mode: 0o755 });
}

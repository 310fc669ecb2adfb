import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import type { AtollError } from '../src/core/errors.ts';
import { leftovers } from '../src/platform/aws/remove/leftovers.ts';
import type { OpenPlatform } from '../src/platform/platform.ts';
import { listOf, textOf } from '../src/platform/shared/xml.ts';
import { startAtoll } from './support/atoll-process.ts';
import { type Fate, refusal } from './support/aws-proxy.ts';
import {
  awsWorld,
  bootedWith,
  bringUpAws,
  openAws,
  PUBLIC_KEY,
  testInventory,
  useAwsLab,
} from './support/aws-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { siteFolder } from './support/site.ts';

const ctx = silentContext();
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');

describeWithPeers(['moto_server', 'sshd', 'ssh'], 'a site on AWS when things fail', () => {
  const world = useAwsLab();
  const { opened } = world;

  test.each<[string, Fate]>([
    ['throttled', refusal('Throttling', 'Rate exceeded')],
    ['cut before it takes effect', 'cut-before'],
    ['cut after it took effect', 'cut-after'],
  ])(
    'is made and leaves nothing behind when every call is once %s',
    async (_, fate) => {
      const seen = new Set<string>();
      world.lab.proxy.decide = (call) => {
        if (seen.has(call.action)) return bootedWith(world.sshd)(call);
        seen.add(call.action);
        return fate;
      };
      const { site, platform } = await opened();

      const inventory = await bringUpAws(ctx, platform);
      await inventory.removeAll(ctx, platform);

      expect(seen.size).toBeGreaterThan(25);
      expect(await leftovers(ctx, world.lab.aws, site.name)).toEqual([]);
      await platform.close();
    },
    60_000,
  );

  test('says of every call that is denied which permission it lacks, and goes on when it has it', async () => {
    const granted = new Set<string>();
    const { site } = await opened();
    const inventory = testInventory();
    const denied: string[] = [];
    /** Does it until nothing is denied any more; each time from the beginning, as the next run would. */
    const persist = async (work: (platform: OpenPlatform) => Promise<void>): Promise<void> => {
      const platform = openAws(site, awsWorld(world.lab, world.sshd));
      try {
        return await work(platform);
      } catch (error) {
        expect(error).toMatchObject({
          code: 'CLOUD_DENIED',
          hint: expect.stringContaining('"Allow"'),
        });
        denied.push(String((error as AtollError).details.action));
      } finally {
        await platform.close();
      }
      return await persist(work);
    };
    world.lab.proxy.decide = (call) => {
      if (granted.has(call.action)) return bootedWith(world.sshd)(call);
      granted.add(call.action);
      return refusal('AccessDenied', 'no identity-based policy allows it', 403);
    };

    await persist((platform) => platform.provision(ctx, inventory.claim));
    await persist(async (platform) => void (await platform.bastion(ctx, inventory.claim)));
    await persist((platform) => inventory.removeAll(ctx, platform));

    expect(denied).toEqual(
      expect.arrayContaining([
        ...['cloudformation:CreateChangeSet', 'cloudformation:ExecuteChangeSet'],
        ...['s3:PutObject', 'ec2:GetConsoleOutput', 's3:ListBucketVersions', 'tag:GetResources'],
      ]),
    );
    expect(await leftovers(ctx, world.lab.aws, site.name)).toEqual([]);
  }, 60_000);

  test('whose "up" is killed at any call that changes something is removed whole by "down"', async () => {
    const images = await world.lab.aws.query(ctx, 'ec2', 'DescribeImages');
    const ami = textOf(listOf(images, 'imagesSet')[0], 'imageId');
    const { folder } = await siteFolder(
      {
        platform: { type: 'aws', region: 'us-east-1', zones: ['us-east-1a'] },
        bastion: { sshKey: 'id.pub', allowFrom: ['203.0.113.7/32'], ami },
        registry: { host: 'mirror.example.com' },
      },
      { 'id.pub': `${PUBLIC_KEY}\n` },
    );
    const text = await readFile(join(folder, 'atoll.yaml'), 'utf8');
    await writeFile(join(folder, 'atoll.yaml'), `${text}mode: private\n`);
    const atoll = (...args: readonly string[]) =>
      startAtoll(PROGRAM, args, { cwd: folder, env: world.lab.env });
    const killedAt: string[] = [];
    for (let at = 1; at <= 6; at += 1) {
      const up = atoll('up', '--to', 'bastion');
      let changes = 0;
      world.lab.proxy.decide = (call) => {
        if (!/^(?:Create|Execute|Put|PUT|GetConsole)/.test(call.action)) return 'pass';
        changes += 1;
        if (changes !== at) return 'pass';
        killedAt.push(call.action.replace(/ .*/, ''));
        up.signalGroup('SIGKILL');
        return 'cut-after';
      };
      const { stderr } = await up.ended;
      expect(killedAt, stderr).toHaveLength(at);
      world.lab.proxy.decide = () => 'pass';

      const down = await atoll('down', '--yes').ended;

      expect(down).toMatchObject({ status: 0 });
      expect(await leftovers(ctx, world.lab.aws, 'north')).toEqual([]);
    }
    const stack = ['CreateChangeSet', 'ExecuteChangeSet'];
    expect(killedAt).toEqual([...stack, 'PUT', ...stack, 'GetConsoleOutput']);
  }, 180_000);
});

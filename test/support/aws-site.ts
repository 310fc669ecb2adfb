import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Context, silentContext } from '../../src/core/context.ts';
import { toYaml } from '../../src/core/yaml.ts';
import type { Host } from '../../src/host/host.ts';
import { localHost } from '../../src/host/local-host.ts';
import { openSshHost } from '../../src/host/ssh-host.ts';
import { awsPlatform } from '../../src/platform/aws/aws-platform.ts';
import { connectAws } from '../../src/platform/aws/client/aws.ts';
import { type AwsWorld, openAws } from '../../src/platform/aws/open-aws.ts';
import type { AwsSettings } from '../../src/platform/aws/settings.ts';
import type {
  InstallRun,
  OpenPlatform,
  PlatformSite,
  SiteResource,
  SiteShape,
} from '../../src/platform/platform.ts';
import { textOf } from '../../src/platform/shared/xml.ts';
import { type AwsLab, startAwsLab } from './aws-lab.ts';
import type { Fate, SeenCall } from './aws-proxy.ts';
import { REQUESTS_YAML } from './cloudformation.ts';
import { type Sshd, startSshd } from './sshd.ts';
import { platformSite } from './suites/platform-suite.ts';

export const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample ops@example';

/** An account and a bastion for the tests of a file: emptied before each, and no call may have gone wrong after it. */
export function useAwsLab() {
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
  return {
    get lab() {
      return lab;
    },
    get sshd() {
      return sshd;
    },
    async opened(change?: AwsSiteChange) {
      const site = await awsSite(change);
      return { site, platform: openAws(site, awsWorld(lab, sshd)) };
    },
  };
}

/** The run of an install in which nobody verifies. */
export const installRun = (claim: InstallRun['claim']): InstallRun => ({
  outputs: {},
  directory: '',
  log: () => undefined,
  claim,
  wanted: async () => {
    throw new Error('Nobody verifies here');
  },
});

export interface AwsSiteChange {
  readonly settings?: Partial<AwsSettings>;
  readonly shape?: Partial<SiteShape>;
  readonly disconnected?: boolean;
  readonly bastion?: PlatformSite['bastion'];
}

/** A site on AWS that could be made, with what a test changes of it. */
export async function awsSite(change: AwsSiteChange = {}): Promise<PlatformSite<AwsSettings>> {
  const plain = await platformSite(awsPlatform);
  return {
    ...plain,
    bastion: change.bastion ?? plain.bastion,
    disconnected: change.disconnected ?? true,
    settings: { type: 'aws', region: 'us-east-1', ...change.settings },
    shape: {
      ...plain.shape,
      bastion: {
        user: 'core',
        authorizedKeys: async () => [PUBLIC_KEY],
        allowFrom: ['203.0.113.7/32'],
      },
      releaseManifests: async () => new Map([['0000_50_installer_coreos-bootimages.yaml', STREAM]]),
      credentialsRequests: async () => [REQUESTS_YAML],
      ...change.shape,
    },
  };
}

/** An image that moto knows. */
const AMI = 'ami-0a887e401f7654935';
const STREAM = toYaml({
  kind: 'ConfigMap',
  data: {
    stream: JSON.stringify({
      architectures: { x86_64: { images: { aws: { regions: { 'us-east-1': { image: AMI } } } } } },
    }),
  },
});

const keysOf = ({ env }: AwsLab) => ({
  accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
});

/** The world of the platform: moto for AWS, and for the bastion a real sshd, or this machine. */
export function awsWorld(lab: AwsLab, sshd?: Sshd): AwsWorld {
  return {
    connect: (region) =>
      connectAws({
        region,
        env: lab.env,
        retry: { firstDelayMs: 1 },
        keys: async () => keysOf(lab),
      }),
    keys: async () => keysOf(lab),
    proofPolls: 1,
    login: async (ctx, { pin }): Promise<Host> => {
      if (!sshd) return localHost();
      const { port, user, identity } = sshd;
      return await openSshHost(ctx, { address: '127.0.0.1', port, user, identity, pin });
    },
  };
}

/** What a site has made, as `down` would find it after a crash. */
export interface TestInventory {
  readonly resources: SiteResource[];
  readonly claim: (resource: SiteResource) => Promise<void>;
  /** Removes all, newest first. */
  removeAll(ctx: Context, platform: OpenPlatform): Promise<void>;
}

export function testInventory(): TestInventory {
  const resources: SiteResource[] = [];
  const isSame = (a: SiteResource, b: SiteResource) => a.kind === b.kind && a.id === b.id;
  return {
    resources,
    claim: async (resource) => {
      if (!resources.some((each) => isSame(each, resource))) resources.push(resource);
    },
    async removeAll(ctx, platform) {
      for (const resource of resources.toReversed()) {
        await platform.remove(ctx, resource);
        resources.splice(resources.indexOf(resource), 1);
      }
    },
  };
}

/** What happens to calls while the console of every machine shows these host keys. */
export function bootedWith({ hostKeys }: Sshd): (call: SeenCall) => Fate {
  const console = `-----BEGIN SSH HOST KEY KEYS-----\n${hostKeys.join('\n')}\n-----END SSH HOST KEY KEYS-----\n`;
  const output = `<output>${Buffer.from(console).toString('base64')}</output>`;
  const rewrite = (answer: string) => answer.replace(/<output>[^<]*<\/output>/, output);
  return ({ action }) => (action === 'GetConsoleOutput' ? { rewrite } : 'pass');
}

/** Makes a site up to a bastion that answers. */
export async function bringUpAws(
  ctx: Context,
  platform: OpenPlatform,
  inventory: TestInventory = testInventory(),
): Promise<TestInventory> {
  const checks = await platform.preflight(ctx);
  expect(checks.filter(({ severity }) => severity === 'error')).toEqual([]);
  await platform.provision(ctx, inventory.claim);
  const host = await platform.bastion(ctx, inventory.claim);
  expect((await host.run(ctx, 'true', [])).status).toBe(0);
  return inventory;
}

/** What happens to calls when every machine that is made is this sshd. */
export function ledTo(sshd: Sshd): (call: SeenCall) => Fate {
  const booted = bootedWith(sshd);
  const address = /(<OutputKey>PublicIp<\/OutputKey>\s*<OutputValue>)[^<]*/;
  const rewrite = (answer: string) => answer.replace(address, '$1127.0.0.1');
  return (call) => (call.action === 'DescribeStacks' ? { rewrite } : booted(call));
}

/** A network that somebody else made, with two subnets. */
export async function existingNetwork(lab: AwsLab) {
  const vpc = await lab.aws.query(silentContext(), 'ec2', 'CreateVpc', {
    CidrBlock: '10.7.0.0/16',
  });
  const VpcId = textOf(vpc, 'vpc', 'vpcId');
  await lab.aws.query(silentContext(), 'ec2', 'ModifyVpcAttribute', {
    VpcId,
    EnableDnsHostnames: { Value: true },
  });
  const subnets: string[] = [];
  for (const [index, zone] of ['us-east-1a', 'us-east-1b'].entries()) {
    const made = await lab.aws.query(silentContext(), 'ec2', 'CreateSubnet', {
      VpcId,
      CidrBlock: `10.7.${index}.0/24`,
      AvailabilityZone: zone,
    });
    subnets.push(textOf(made, 'subnet', 'subnetId'));
  }
  return { vpc: VpcId, subnets };
}

export { openAws };

import type { Context } from '../../../core/context.ts';
import {
  bastionTemplate,
  DEFAULT_INSTANCE_TYPE,
} from '../../../generate/cloudformation/bastion.ts';
import type { BastionAccess } from '../../../generate/cloudformation/bastion-access.ts';
import type {
  BastionStackInput,
  IgnitionSource,
} from '../../../generate/cloudformation/bastion-input.ts';
import { formatTemplate } from '../../../generate/cloudformation/template.ts';
import { verificationHash } from '../../../generate/ignition/user-data.ts';
import type { OptionValues } from '../../command.ts';
import { BASTION_STACK_OPTIONS } from './cloudformation-bastion-options.ts';
import { tagsFrom } from './cloudformation-options.ts';
import { readOptional } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

type Values = OptionValues<typeof BASTION_STACK_OPTIONS>;

export const renderCloudFormationBastionCommand = renderCommand({
  name: 'render cloudformation bastion',
  summary: 'Template of the bastion: machine, disks, address, role, security group',
  description:
    'Ports are open to the networks that are named, and to nobody else: SSH to --allow-from, ' +
    'services to --client. The role reads the Ignition object in S3 and nothing else. Ids that ' +
    'are not given become parameters of the stack.',
  options: BASTION_STACK_OPTIONS,
  examples: [
    [
      'atoll render cloudformation bastion --name site --allow-from 203.0.113.7/32 --registry-port 5000 --ignition-source s3://site-ignition/bastion.ign --ignition bastion.ign --data-disk 500 --mirror-name mirror.example.com --to bastion.yaml',
      'a mirror registry on a data disk',
    ],
    [
      'atoll render cloudformation bastion --name site --allow-from 203.0.113.7/32 --proxy-port 3128 --ami ami-0123456789abcdef0 --root-device /dev/sda1 --key-pair operators',
      'a proxy on an image of your own, without Ignition',
    ],
  ],
  async render(ctx, { options }) {
    warnOfEverybody(ctx, options.allowFrom);
    return { contents: formatTemplate(bastionTemplate(await bastionFrom(ctx, options))) };
  },
});

async function bastionFrom(ctx: Context, options: Values): Promise<BastionStackInput> {
  const { dataDisk, rootDisk, rootDevice: device } = options;
  return {
    site: options.name,
    tags: tagsFrom(options.tag),
    access: accessFrom(options),
    vpcId: options.vpc,
    subnetId: options.subnet,
    amiId: options.ami,
    instanceType: options.instanceType ?? DEFAULT_INSTANCE_TYPE,
    ignition: await ignitionFrom(ctx, options),
    objects: options.object,
    elasticIp: options.elasticIp,
    rootDisk: { sizeGiB: rootDisk, device },
    dataDisk: dataDisk === undefined ? undefined : { sizeGiB: dataDisk, keep: options.keepData },
    keyName: options.keyPair,
    mirrorName: options.mirrorName,
  };
}

function accessFrom(options: Values): BastionAccess {
  return {
    operators: options.allowFrom,
    clients: options.client,
    registry: options.registryPort,
    caches: options.cachePort.map(Number),
    proxy: options.proxyPort.map(Number),
    openToOperators: options.open as BastionAccess['openToOperators'],
    egress: options.egress,
  };
}

async function ignitionFrom(ctx: Context, options: Values): Promise<IgnitionSource | undefined> {
  const { ignitionSource: source, ignition } = options;
  if (source === undefined) return undefined;
  const config = await readOptional(ignition);
  const hash = options.ignitionHash ?? (config && verificationHash(config));
  if (hash === undefined) {
    ctx.emit({
      type: 'warning.raised',
      message: 'The bastion will boot with whatever lies at the source',
      hint: 'Give --ignition FILE or --ignition-hash, so that it takes only that config',
    });
  }
  return { source, hash };
}

function warnOfEverybody(ctx: Context, networks: readonly string[]): void {
  for (const network of networks.filter((one) => one.endsWith('/0'))) {
    ctx.emit({
      type: 'warning.raised',
      message: `SSH of the bastion is open to everybody (${network})`,
      hint: 'Name the network you work from',
    });
  }
}

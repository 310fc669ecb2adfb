import * as z from 'zod';
import type { Context } from '../../../../core/context.ts';
import {
  bastionTemplate,
  DEFAULT_INSTANCE_TYPE,
} from '../../../../generate/cloudformation/bastion.ts';
import type { IgnitionSource } from '../../../../generate/cloudformation/bastion-input.ts';
import { formatTemplate } from '../../../../generate/cloudformation/template.ts';
import { verificationHash } from '../../../../generate/ignition/user-data.ts';
import { file } from '../flag-files.ts';
import { many, manyTexts, number, onOff, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';
import { STACK_FLAGS } from './stacks.ts';

const portNumber = z.string().transform(Number);

export const cloudFormationBastionTarget = renderTarget({
  name: 'cloudformation bastion',
  summary: 'Template of the bastion: machine, disks, address, role, security group',
  description:
    'Ports are open to the networks that are named, and to nobody else: SSH to --allow-from, ' +
    'services to --client. The role reads the Ignition object in S3 and nothing else. Ids that ' +
    'are not given become parameters of the stack.',
  schema: z.object({
    ...STACK_FLAGS,
    allowFrom: someTexts('CIDR', 'Network that may log in by SSH'),
    client: someTexts('CIDR', 'Network that may use the services: the range of the VPC').default([
      '10.0.0.0/16',
    ]),
    registryPort: number('PORT', 'Open the mirror registry, as 5000').optional(),
    cachePort: many('PORT', 'Open a cache, as 6001', portNumber),
    proxyPort: many('PORT', 'Open the proxy, as 3128', portNumber),
    open: many(
      'SERVICE',
      'Service that --allow-from reaches, too',
      z.enum(['registry', 'caches', 'proxy']),
    ),
    egress: someTexts('CIDR', 'Where the bastion may go').default(['0.0.0.0/0']),
    vpc: text('ID', 'VPC; a parameter without it').optional(),
    subnet: text('ID', 'Subnet; a parameter without it').optional(),
    ami: text('ID', 'Image; a parameter without it').optional(),
    instanceType: text('TYPE', 'Type of the machine').optional(),
    ignitionSource: text(
      'URL',
      'Where its Ignition config lies: s3:// or https://; none for an image without Ignition',
    ).optional(),
    ignition: file('That config, to hash it').optional(),
    ignitionHash: text('HASH', 'Or its hash, as sha512-HEX').optional(),
    object: manyTexts('URL', 'Further s3:// object the config fetches'),
    elasticIp: onOff('An address on the internet', true),
    rootDisk: number('GIB', 'Size of the root disk').default(100),
    rootDevice: text('DEVICE', 'Root device of the image; /dev/sda1 for RHEL').default('/dev/xvda'),
    dataDisk: number('GIB', 'Size of a data disk (/dev/nvme1n1)').optional(),
    keepData: onOff('Keep the data disk when the machine goes'),
    keyPair: text('NAME', 'Key pair of EC2').optional(),
    mirrorName: text('HOST', 'Name that resolves to the bastion inside the VPC').optional(),
  }),
  examples: {
    'atoll render cloudformation bastion --name site --allow-from 203.0.113.7/32 --registry-port 5000 --ignition-source s3://site-ignition/bastion.ign --ignition bastion.ign --data-disk 500 --mirror-name mirror.example.com --to bastion.yaml':
      'a mirror registry on a data disk',
    'atoll render cloudformation bastion --name site --allow-from 203.0.113.7/32 --proxy-port 3128 --ami ami-0123456789abcdef0 --root-device /dev/sda1 --key-pair operators':
      'a proxy on an image of your own, without Ignition',
  },
  fromSite: (inputs) => {
    const { site: name, access, vpcId: vpc, amiId: ami, mirrorName } = inputs.bastionStack();
    const { operators, clients, registry: registryPort, proxy = [] } = access;
    const allowFrom = operators.length > 0 ? [...operators] : undefined;
    return {
      name,
      allowFrom,
      client: [...clients],
      registryPort,
      proxyPort: [...proxy],
      vpc,
      ami,
      mirrorName,
    };
  },
  make: (options, ctx) => {
    const { name: site, tag: tags, dataDisk, rootDisk: sizeGiB, rootDevice: device } = options;
    warnOfEverybody(ctx, options.allowFrom);
    const template = bastionTemplate({
      ...{ site, tags, elasticIp: options.elasticIp, objects: options.object },
      ...{ vpcId: options.vpc, subnetId: options.subnet, amiId: options.ami },
      ...{ keyName: options.keyPair, mirrorName: options.mirrorName },
      access: {
        ...{ operators: options.allowFrom, clients: options.client, egress: options.egress },
        ...{ registry: options.registryPort, caches: options.cachePort, proxy: options.proxyPort },
        openToOperators: options.open,
      },
      instanceType: options.instanceType ?? DEFAULT_INSTANCE_TYPE,
      ignition: ignitionOf(ctx, options),
      rootDisk: { sizeGiB, device },
      dataDisk: dataDisk === undefined ? undefined : { sizeGiB: dataDisk, keep: options.keepData },
    });
    return formatTemplate(template);
  },
});

interface IgnitionOptions {
  readonly ignitionSource?: string | undefined;
  readonly ignition?: string | undefined;
  readonly ignitionHash?: string | undefined;
}

function ignitionOf(ctx: Context, options: IgnitionOptions): IgnitionSource | undefined {
  const { ignitionSource: source, ignition: config } = options;
  if (source === undefined) return undefined;
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

import type { OptionSpec } from '../../command.ts';
import { STACK_OPTIONS } from './cloudformation-options.ts';

export const BASTION_STACK_OPTIONS = {
  ...STACK_OPTIONS,
  allowFrom: {
    type: 'strings',
    value: 'CIDR',
    required: true,
    summary: 'Network that may log in by SSH',
  },
  client: {
    type: 'strings',
    value: 'CIDR',
    default: ['10.0.0.0/16'],
    summary: 'Network that may use the services: the range of the VPC',
  },
  registryPort: { type: 'number', value: 'PORT', summary: 'Open the mirror registry, as 5000' },
  cachePort: { type: 'strings', value: 'PORT', summary: 'Open a cache, as 6001' },
  proxyPort: { type: 'strings', value: 'PORT', summary: 'Open the proxy, as 3128' },
  open: {
    type: 'strings',
    value: 'SERVICE',
    choices: ['registry', 'caches', 'proxy'],
    summary: 'Service that --allow-from reaches, too',
  },
  egress: {
    type: 'strings',
    value: 'CIDR',
    default: ['0.0.0.0/0'],
    summary: 'Where the bastion may go',
  },
  vpc: { type: 'string', value: 'ID', summary: 'VPC; a parameter without it' },
  subnet: { type: 'string', value: 'ID', summary: 'Subnet; a parameter without it' },
  ami: { type: 'string', value: 'ID', summary: 'Image; a parameter without it' },
  instanceType: { type: 'string', value: 'TYPE', summary: 'Type of the machine' },
  ignitionSource: {
    type: 'string',
    value: 'URL',
    summary:
      'Where its Ignition config lies: s3:// or https://; none for an image without Ignition',
  },
  ignition: { type: 'string', value: 'FILE', summary: 'That config, to hash it' },
  ignitionHash: { type: 'string', value: 'HASH', summary: 'Or its hash, as sha512-HEX' },
  object: { type: 'strings', value: 'URL', summary: 'Further s3:// object the config fetches' },
  elasticIp: { type: 'boolean', default: true, summary: 'An address on the internet' },
  rootDisk: { type: 'number', value: 'GIB', default: 100, summary: 'Size of the root disk' },
  rootDevice: {
    type: 'string',
    value: 'DEVICE',
    default: '/dev/xvda',
    summary: 'Root device of the image; /dev/sda1 for RHEL',
  },
  dataDisk: { type: 'number', value: 'GIB', summary: 'Size of a data disk (/dev/nvme1n1)' },
  keepData: { type: 'boolean', summary: 'Keep the data disk when the machine goes' },
  keyPair: { type: 'string', value: 'NAME', summary: 'Key pair of EC2' },
  mirrorName: {
    type: 'string',
    value: 'HOST',
    summary: 'Name that resolves to the bastion inside the VPC',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

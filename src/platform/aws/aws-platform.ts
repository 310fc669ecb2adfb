import * as z from 'zod';
import { definePlatform, type PlatformSettings } from '../platform.ts';
import { platformNotBuilt } from '../shared/not-built.ts';

const name = 'aws';

const settings = z.strictObject({
  type: z.literal(name),
  region: z.string().min(1).describe('AWS region'),
  cidr: z.string().optional().describe('Address range of the network that is made'),
  zones: z.array(z.string()).optional().describe('Availability zones, one to three'),
  vpc: z.string().optional().describe('An existing network, instead of one that is made'),
  subnets: z.array(z.string()).optional().describe('Existing subnets'),
  hostedZone: z.string().optional().describe('Existing private DNS zone'),
});

export type AwsSettings = z.output<typeof settings>;

/** Machines on EC2, in a network of CloudFormation stacks. */
export const awsPlatform = definePlatform({
  name,
  summary: 'Amazon Web Services',
  settings,
  environment: [{ variable: 'BASTION_HOST_AMI', path: ['bastion', 'ami'] }],
  init: { example: { region: 'us-east-1' }, asks: { region: 'AWS region' } },
  makesBastion: true,
  installPlatform: ({ region, zones, subnets, hostedZone }) => ({
    // Neither kind of site is for the internet, and here the installer has to be told.
    publish: 'Internal',
    // A network that is still to be made is known when it is there.
    platform: subnets && {
      type: name,
      region,
      zones,
      subnets: subnets.map((id) => ({ id })),
      hostedZone,
    },
  }),
  open: async () => {
    throw platformNotBuilt(name);
  },
});

/** The settings of a site on AWS; nothing of those of another. */
export function awsSettings(platform: PlatformSettings): Partial<AwsSettings> {
  return settings.safeParse(platform).data ?? {};
}

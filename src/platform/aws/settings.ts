import * as z from 'zod';
import type { PlatformSettings } from '../platform.ts';

const id = z.string().min(1);

export const awsSettingsSchema = z.strictObject({
  type: z.literal('aws'),
  region: z.string().min(1).describe('AWS region'),
  cidr: z.string().optional().describe('Address range of the network that is made'),
  zones: z.array(z.string()).optional().describe('Availability zones, one to three'),
  nat: z
    .enum(['none', 'single', 'per-zone'])
    .optional()
    .describe('How a private site gets out; a disconnected one never does'),
  dualStack: z.boolean().optional().describe('IPv6 beside IPv4 in the network that is made'),
  vpc: id.optional().describe('An existing network, instead of one that is made'),
  subnets: z.array(id).optional().describe('Its private subnets: those of the cluster'),
  bastionSubnet: id.optional().describe('Its subnet for the bastion; default: the first'),
  hostedZone: z.string().min(1).optional().describe('Existing private DNS zone'),
  endpoints: z
    .array(z.string())
    .optional()
    .describe('Further services that are reached from inside, such as elasticfilesystem'),
  ecr: z.boolean().optional().describe('Images in ECR are reached from inside'),
  publicAddress: z
    .boolean()
    .optional()
    .describe('An address outside for the bastion; default: yes'),
  instanceType: z.string().min(1).optional().describe('Kind of machine for the bastion'),
  diskGiB: z.int().min(10).max(16_384).optional().describe('Disk of the bastion; default: 500'),
  tags: z.record(z.string(), z.string()).optional().describe('Further tags for all that is made'),
});

export type AwsSettings = z.output<typeof awsSettingsSchema>;

/** The settings of a site on AWS; nothing of those of another. */
export function awsSettings(platform: PlatformSettings): Partial<AwsSettings> {
  return awsSettingsSchema.safeParse(platform).data ?? {};
}

import * as z from 'zod';
import { type Given, given } from '../../fields.ts';

const subnet = z.strictObject({
  id: given,
  vpcId: given.optional(),
  zone: given,
  cidr: given,
  /** Its route table leads to an internet gateway. */
  isPublic: z.boolean(),
  tags: z.record(z.string(), z.string()).optional(),
});

/** What is known of an AWS network, as a file. */
export const awsFactsSchema = z.strictObject({
  vpcId: given.optional(),
  /** All subnets of the VPC, used or not. */
  subnets: z.array(subnet).optional(),
  /** VPCs the hosted zone is associated with. */
  hostedZoneVpcIds: z.array(given).optional(),
  instanceTypes: z
    .record(z.string(), z.strictObject({ vcpus: z.number(), memoryMiB: z.number() }))
    .optional(),
});

export type AwsFacts = Given<typeof awsFactsSchema>;
export type AwsSubnetFacts = Given<typeof subnet>;

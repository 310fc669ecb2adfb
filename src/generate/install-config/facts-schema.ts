import * as z from 'zod';
import type { AwsFacts } from './facts.ts';

const text = z.string().min(1);

/** What is known of an AWS network, as a file. */
export const awsFactsSchema = z.strictObject({
  vpcId: text.optional(),
  subnets: z
    .array(
      z.strictObject({
        id: text,
        vpcId: text.optional(),
        zone: text,
        cidr: text,
        isPublic: z.boolean(),
        tags: z.record(z.string(), z.string()).optional(),
      }),
    )
    .optional(),
  hostedZoneVpcIds: z.array(text).optional(),
  instanceTypes: z
    .record(z.string(), z.strictObject({ vcpus: z.number(), memoryMiB: z.number() }))
    .optional(),
}) satisfies z.ZodType<AwsFacts>;

import * as z from 'zod';
import { type Given, given } from '../../fields.ts';

export const awsInput = z.strictObject({
  type: z.literal('aws'),
  region: given,
  /** Existing subnets; without them the installer makes a network of its own. All have roles, or none. */
  subnets: z.array(z.strictObject({ id: given, roles: z.array(given).optional() })).optional(),
  zones: z.array(given).optional(),
  hostedZone: given.optional(),
  hostedZoneRole: given.optional(),
  amiId: given.optional(),
  userTags: z.record(z.string(), z.string()).optional(),
  /** Service name to URL. */
  serviceEndpoints: z.record(z.string(), z.string()).optional(),
  userProvisionedDns: z.boolean().optional(),
  controlPlaneType: given.optional(),
  computeType: given.optional(),
});
export type AwsInput = Given<typeof awsInput>;

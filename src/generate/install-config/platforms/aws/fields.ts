import * as z from 'zod';
import { type Fields, flag, list, part, tags, text, texts, whole, word } from '../../fields.ts';

/** Of a machine pool. */
export const awsPool = {
  zones: texts,
  type: text,
  amiID: text,
  rootVolume: part({ iops: whole, size: whole, type: text, throughput: whole, kmsKeyARN: text }),
  metadataService: part({ authentication: text }),
  iamRole: text,
  iamProfile: text,
  additionalSecurityGroupIDs: texts,
  cpuOptions: part({ confidentialCompute: text }),
  hostPlacement: part({ affinity: text, dedicatedHost: list({ id: text }) }),
};
export type AwsPool = Fields<typeof awsPool>;

export const awsSection = {
  region: text,
  /** Deprecated. */
  subnets: texts,
  vpc: part({
    subnets: z.array(z.looseObject({ id: word, roles: list({ type: word }) })).optional(),
  }),
  hostedZone: text,
  hostedZoneRole: text,
  amiID: text,
  userTags: tags,
  propagateUserTags: flag,
  serviceEndpoints: list({ name: word, url: word }),
  userProvisionedDNS: text,
  ipFamily: text,
  lbType: text,
  publicIpv4Pool: text,
  preserveBootstrapIgnition: flag,
  bestEffortDeleteIgnition: flag,
  defaultMachinePlatform: part(awsPool),
};
export type AwsSection = Fields<typeof awsSection>;

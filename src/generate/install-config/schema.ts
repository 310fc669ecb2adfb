import * as z from 'zod';
import { inputError, type Locate, parseYamlInput } from '../../core/yaml-input.ts';
import { withoutNulls } from './without-nulls.ts';

const machinePool = z.looseObject({
  name: z.string(),
  replicas: z.number().int().optional(),
  architecture: z.string().optional(),
  hyperthreading: z.string().optional(),
  platform: z.looseObject({}).optional(),
});

const imageSource = z.looseObject({
  source: z.string(),
  mirrors: z.array(z.string()).optional(),
  sourcePolicy: z.string().optional(),
});

const awsPlatform = z.looseObject({
  region: z.string().optional(),
  subnets: z.array(z.string()).optional(),
  vpc: z
    .looseObject({
      subnets: z
        .array(
          z.looseObject({
            id: z.string(),
            roles: z.array(z.looseObject({ type: z.string() })).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  hostedZone: z.string().optional(),
  hostedZoneRole: z.string().optional(),
  amiID: z.string().optional(),
  userTags: z.record(z.string(), z.string()).optional(),
  serviceEndpoints: z.array(z.looseObject({ name: z.string(), url: z.string() })).optional(),
  userProvisionedDNS: z.string().optional(),
});

/** Platforms with addresses of their own instead of a cloud's load balancer. */
const vips = {
  apiVIPs: z.array(z.string()).optional(),
  ingressVIPs: z.array(z.string()).optional(),
};
const vspherePlatform = z.looseObject({
  ...vips,
  vcenters: z
    .array(z.looseObject({ server: z.string(), datacenters: z.array(z.string()).optional() }))
    .optional(),
  failureDomains: z
    .array(z.looseObject({ name: z.string(), server: z.string(), topology: z.looseObject({}) }))
    .optional(),
  clusterOSImage: z.string().optional(),
});
const nutanixPlatform = z.looseObject({
  ...vips,
  prismCentral: z.looseObject({}).optional(),
  prismElements: z.array(z.looseObject({ uuid: z.string() })).optional(),
  subnetUUIDs: z.array(z.string()).optional(),
  clusterOSImage: z.string().optional(),
  preloadedOSImageName: z.string().optional(),
});
const baremetalHost = z.looseObject({
  name: z.string().optional(),
  role: z.string().optional(),
  bootMACAddress: z.string().optional(),
  bmc: z.looseObject({ address: z.string().optional() }).optional(),
});
const baremetalPlatform = z.looseObject({
  ...vips,
  hosts: z.array(baremetalHost).optional(),
  provisioningNetwork: z.string().optional(),
});

const schema = z.looseObject({
  apiVersion: z.string().optional(),
  metadata: z.looseObject({ name: z.string() }),
  baseDomain: z.string(),
  additionalTrustBundle: z.string().optional(),
  additionalTrustBundlePolicy: z.string().optional(),
  capabilities: z
    .looseObject({
      baselineCapabilitySet: z.string().optional(),
      additionalEnabledCapabilities: z.array(z.string()).optional(),
    })
    .optional(),
  compute: z.array(machinePool).optional(),
  controlPlane: machinePool.extend({ name: z.string().default('master') }).optional(),
  credentialsMode: z.string().optional(),
  fips: z.boolean().optional(),
  imageContentSources: z.array(imageSource).optional(),
  imageDigestSources: z.array(imageSource).optional(),
  bootstrapInPlace: z.looseObject({ installationDisk: z.string() }).optional(),
  networking: z
    .looseObject({
      networkType: z.string().optional(),
      machineNetwork: z.array(z.looseObject({ cidr: z.string() })).optional(),
      clusterNetwork: z
        .array(z.looseObject({ cidr: z.string(), hostPrefix: z.number().int().optional() }))
        .optional(),
      serviceNetwork: z.array(z.string()).optional(),
      clusterNetworkMTU: z.number().int().optional(),
    })
    .optional(),
  platform: z.looseObject({
    aws: awsPlatform.optional(),
    baremetal: baremetalPlatform.optional(),
    none: z.looseObject({}).optional(),
    nutanix: nutanixPlatform.optional(),
    vsphere: vspherePlatform.optional(),
  }),
  proxy: z
    .looseObject({
      httpProxy: z.string().optional(),
      httpsProxy: z.string().optional(),
      noProxy: z.string().optional(),
    })
    .optional(),
  publish: z.string().optional(),
  pullSecret: z.string(),
  sshKey: z.string().optional(),
});

/** `install-config.yaml`. Fields this tool does not know are kept. */
export type InstallConfig = z.infer<typeof schema>;
export type MachinePool = z.infer<typeof machinePool>;
export type AwsPlatform = z.infer<typeof awsPlatform>;
export type PlatformName = 'aws' | 'baremetal' | 'none' | 'nutanix' | 'vsphere';

/** Reads an `install-config.yaml` and finds every mistake of form in one go; `file` names it. */
export function parseInstallConfig(text: string, file: string): InstallConfig {
  return readInstallConfig(text, file).config;
}

/** The same, with a way from a path inside to its line. */
export function readInstallConfig(
  text: string,
  file: string,
): { readonly config: InstallConfig; readonly locate: Locate } {
  const parsed = parseYamlInput(z.preprocess(withoutNulls, schema), text);
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  return { config: parsed.value, locate: parsed.locate };
}

/** The platform of a config; undefined when it names none, or one this tool does not know. */
export function platformOf(config: InstallConfig): PlatformName | undefined {
  const names = ['aws', 'baremetal', 'none', 'nutanix', 'vsphere'] as const;
  return names.find((name) => config.platform[name] !== undefined);
}

import * as z from 'zod';
import { publishedSchema } from '../core/json-schema.ts';
import { OS_IMAGE_STREAMS } from '../openshift/features.ts';
import type { PlatformKind, PlatformSettings } from '../platform/platform.ts';

// atoll.yaml. Unknown fields are refused everywhere: a misspelled one would silently do nothing.
// Descriptions end up in the JSON Schema that editors use.

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const HOST_KEY = /^(?:SHA256:[A-Za-z0-9+/]{43}=?|[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: .*)?)$/;
const REPOSITORY_PATH = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;

/** Kinds of registries that are one: a private site may have none. */
export const MIRROR_TYPES = ['embedded', 'existing'] as const;

/** Values that stand for "nothing was said". */
export const siteDefaults = { bastionUser: 'core', proxyPort: 3128 } as const;

const file = z.string().min(1).describe('Path of a file, relative to the site file');
const port = z.number().int().min(1).max(65_535);
const host = z.string().regex(HOST, 'not a host name or address');

const release = z
  .strictObject({
    version: z
      .string()
      .regex(VERSION, 'not a version such as 4.18.2')
      .optional()
      .describe('Release to install'),
    image: z.string().optional().describe('Release image by digest or tag, instead of a version'),
    channel: z
      .string()
      .optional()
      .describe('Update channel, such as stable-4.18; default: stable of the version'),
    architecture: z.enum(['amd64', 'arm64', 'ppc64le', 's390x', 'multi']).default('amd64'),
  })
  .refine(
    (value) => value.version !== undefined || value.image !== undefined,
    'needs a version or an image',
  );

const bastion = z.strictObject({
  address: z.string().optional().describe('An existing bastion: host name or address'),
  ami: z.string().optional().describe('AMI for a bastion that is made (BASTION_HOST_AMI)'),
  user: z.string().default(siteDefaults.bastionUser).describe('User that logs in to the bastion'),
  sshKey: file.optional().describe('Public SSH key that may log in to a bastion that is made'),
  allowFrom: z.array(z.string()).default([]).describe('CIDRs that may reach the bastion'),
  port: port.optional().describe('Port of sshd there; default: what your SSH configuration says'),
  privateKey: file.optional().describe('Private SSH key; default: your agent and configuration'),
  jump: z.string().optional().describe('Hosts on the way there, as "ssh -J" takes them'),
  knownHosts: file.optional().describe('known_hosts with its key; default: the hosts you know'),
  hostKeys: z
    .array(z.string().regex(HOST_KEY, 'neither SHA256:… nor a public key'))
    .default([])
    .describe('Its host keys, or their fingerprints as SHA256:…, instead of a file'),
  directory: z
    .string()
    .regex(/^\//, 'not an absolute path')
    .optional()
    .describe('Folder there for all of this site; default: /var/lib/atoll/NAME'),
});

const registry = z.strictObject({
  type: z
    .enum([...MIRROR_TYPES, 'none'])
    .default('embedded')
    .describe('The registry of atoll, one the site has, or none (in a private site)'),
  host: host.optional().describe('Name that nodes use (MIRROR_REGISTRY_HOST)'),
  port: port.default(5000),
  path: z
    .string()
    .regex(REPOSITORY_PATH, 'not a repository path')
    .optional()
    .describe('Prefix of all repositories'),
  storage: z.string().optional().describe('Folder for the content; default: registry below .atoll'),
  ca: file.optional().describe('PEM of the CA of an existing registry'),
  authfile: file.optional().describe('Credentials for an existing registry'),
});

const proxy = z.strictObject({
  enabled: z.boolean().default(false).describe('squid on the bastion'),
  port: port.default(siteDefaults.proxyPort).describe('Port of that squid'),
  host: host
    .optional()
    .describe('Name of that squid for nodes; default: bastion.address, or the name of the mirror'),
  image: z
    .string()
    .optional()
    .describe('Image with squid, for a bastion that has none installed; needs podman there'),
  url: z.string().optional().describe('An existing proxy (PROXY_PRIVATE_URL)'),
  publicUrl: z
    .string()
    .optional()
    .describe('The same proxy as it is reached from outside (PROXY_PUBLIC_URL)'),
});

const mirror = z.strictObject({
  imageSet: file.optional().describe('An ImageSetConfiguration file, instead of the fields below'),
  operators: z.array(z.unknown()).optional().describe('As in an ImageSetConfiguration'),
  additionalImages: z.array(z.unknown()).optional().describe('As in an ImageSetConfiguration'),
  flow: z
    .enum(['sync', 'bundle'])
    .default('sync')
    .describe('Straight across, or by a bundle on a disk'),
  bundle: z.string().optional().describe('Folder of the bundle; default: bundle below .atoll'),
  graph: z.string().optional().describe('Update graph: URL or file, instead of the public service'),
  signatureStore: z.string().optional().describe('Release signatures: https:// or file:// URL'),
  releaseKey: file.optional().describe('Public key of the releases, instead of Red Hat’s'),
  sigstoreKey: file.optional().describe('Public key for Sigstore signatures'),
  registriesConf: file.optional().describe('registries.conf for reading upstream'),
  ca: file.optional().describe('PEM of CAs that upstream registries need'),
});

const cluster = z.strictObject({
  name: z.string().regex(DNS_LABEL, 'not a DNS label').max(54),
  baseDomain: z.string().regex(HOST, 'not a domain'),
  pullSecret: file.describe(
    'Pull secret of the upstream registries; never copied into the site file',
  ),
  sshKey: file.optional().describe('Public SSH key for the nodes'),
  controlPlane: z.number().int().positive().default(3),
  workers: z.number().int().nonnegative().default(2),
  machineNetwork: z.string().default('10.0.0.0/16'),
  clusterNetwork: z.string().default('10.128.0.0/14'),
  hostPrefix: z.number().int().default(23),
  serviceNetwork: z.string().default('172.30.0.0/16'),
  credentialsMode: z
    .enum(['Mint', 'Passthrough', 'Manual'])
    .optional()
    .describe('CREDENTIALS_MODE'),
  fips: z.boolean().default(false),
  osImageStream: z
    .enum(OS_IMAGE_STREAMS)
    .optional()
    .describe('RHEL of the nodes, from 4.23 on; the release decides by default'),
  disabledCapabilities: z
    .array(z.string())
    .default([])
    .describe('What the cluster is installed without, such as Console'),
  rehearse: z
    .boolean()
    .default(true)
    .describe('Boot nothing before a rehearsal has pulled all that nodes will pull'),
});

const postInstall = z.strictObject({
  defaultCatalogs: z
    .boolean()
    .default(false)
    .describe('Keep the catalogs that point at the internet'),
  samples: z.enum(['Removed', 'Managed']).default('Removed'),
  ntpServers: z.array(z.string()).default([]).describe('Time servers of the nodes'),
  telemetry: z
    .boolean()
    .optional()
    .describe('Let the cluster report to Red Hat; default: only in a private site'),
});

const steps = z.strictObject({
  registry: z.string().optional().describe('Folder of step definitions of your own'),
  skip: z.array(z.string()).default([]).describe('Stages or steps to leave out'),
  insert: z
    .array(
      z.strictObject({
        step: z.string().describe('Name of a ref or chain'),
        before: z.string().optional().describe('Stage it runs before'),
        after: z.string().optional().describe('Stage it runs after'),
        env: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
});

/** The schema of a site file whose `platform` is this. */
export function siteSchema(platform: z.ZodType<PlatformSettings>) {
  return z.strictObject({
    name: z
      .string()
      .regex(DNS_LABEL, 'not a DNS label')
      .describe('Name of the site; everything made carries it'),
    mode: z.enum(['disconnected', 'private']).default('disconnected'),
    release,
    platform: platform.describe('Where the cluster runs'),
    bastion: bastion.prefault({}),
    registry: registry.prefault({}),
    proxy: proxy.prefault({}),
    mirror: mirror.prefault({}),
    cluster,
    postInstall: postInstall.prefault({}),
    steps: steps.prefault({}),
  });
}

/** For a type that no platform has: it can only be told which there are. */
export function unknownPlatform(platforms: readonly PlatformKind[]): z.ZodType<PlatformSettings> {
  return z.looseObject({ type: z.enum(platforms.map(({ name }) => name)) });
}

/** A site as its file describes it, with every default filled in. */
export type SiteFile = z.output<ReturnType<typeof siteSchema>>;

/** For editors: `# yaml-language-server: $schema=…`. */
export function siteJsonSchema(platforms: readonly PlatformKind[]): unknown {
  const anyPlatform = z.union(platforms.map(({ settings }) => settings));
  return publishedSchema('site', 'atoll.yaml, a site', siteSchema(anyPlatform));
}

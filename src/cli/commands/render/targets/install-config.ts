import * as z from 'zod';
import type { Context } from '../../../../core/context.ts';
import { AtollError } from '../../../../core/errors.ts';
import { counted } from '../../../../core/format.ts';
import { registerSecret } from '../../../../core/redact.ts';
import {
  formatInstallConfig,
  type InstallConfigInput,
  installConfig,
} from '../../../../generate/install-config/build.ts';
import {
  type PlatformInput,
  platformSchema,
  secretsOf,
} from '../../../../generate/install-config/platforms/index.ts';
import type { ClusterSize } from '../../../../generate/install-config/sections/machines.ts';
import { validateInstallConfig } from '../../../../generate/install-config/validate.ts';
import type { Violation } from '../../../../generate/install-config/violation.ts';
import { OS_IMAGE_STREAMS } from '../../../../openshift/features.ts';
import type { SiteInputs, SiteInstallConfig } from '../../../../site/inputs.ts';
import { file, pullSecretFile, yamlFile } from '../flag-files.ts';
import { choice, many, manyTexts, onOff, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';
import { FACT_FLAGS, factsOf } from './install-facts.ts';
import { PROXY_FLAGS, proxyOf } from './proxy.ts';
import { RULE_FLAGS, rulesOf, siteRules } from './rules.ts';

const flags = z.object({
  name: text('NAME', 'Name of the cluster'),
  baseDomain: text('DOMAIN', 'Domain the cluster is below'),
  platform: yamlFile(
    'YAML with type (aws, vsphere, nutanix, baremetal, none) and what belongs to it; none without it',
    platformSchema,
  )
    .transform(withSecretsKnown)
    .optional(),
  release: text(
    'VERSION',
    'Release, such as 4.18.1: decides between old and new fields',
  ).optional(),
  size: text('SIZE', 'standard (3+3), compact (3+0), single-node (1+0), or CONTROL+COMPUTE')
    .transform(sizeOf)
    .prefault('standard'),
  arch: choice(
    'ARCH',
    ['amd64', 'arm64', 'ppc64le', 's390x'],
    'Architecture of the machines',
  ).default('amd64'),
  machineNetwork: someTexts('CIDR', 'Network of the machines').default(['10.0.0.0/16']),
  clusterNetwork: someTexts('CIDR', 'Network of the pods').default(['10.128.0.0/14']),
  hostPrefix: many(
    'BITS',
    'Prefix of the pod network of a node: 23, or 64 with IPv6, unless said for each --cluster-network in turn',
    z.string().transform(prefixOf),
  ),
  serviceNetwork: someTexts('CIDR', 'Network of the services').default(['172.30.0.0/16']),
  publish: choice('HOW', ['Internal', 'External'], 'Who may reach the cluster').optional(),
  ...PROXY_FLAGS,
  ...RULE_FLAGS,
  trustBundle: file('PEM of the CA of the mirror').optional(),
  trustPolicy: choice('POLICY', ['Always', 'Proxyonly'], 'When pods trust it too').optional(),
  credentialsMode: choice(
    'MODE',
    ['Manual', 'Mint', 'Passthrough'],
    'How operators get credentials',
  ).optional(),
  baseline: text(
    'SET',
    'Capabilities to start from: None, vCurrent, v4.18; vCurrent if some are added',
  ).optional(),
  capability: manyTexts('NAME', 'Capability to add'),
  fips: onOff('Validated cryptography'),
  osImageStream: choice(
    'STREAM',
    OS_IMAGE_STREAMS,
    'RHEL of the nodes, from 4.23 on; the release decides by default',
  ).optional(),
  sshKey: file('Public SSH key for the nodes').optional(),
  pullSecret: pullSecretFile('Pull secret with the mirror in it'),
  installationDisk: text('DEVICE', 'For a single node that installs itself').optional(),
  ...FACT_FLAGS,
});

type Options = z.output<typeof flags>;

export const installConfigTarget = renderTarget({
  name: 'install-config',
  summary: 'install-config.yaml for a closed network, checked before anything boots',
  description:
    'Writes the file only if nothing is wrong with it: names, networks, subnets, mirror rules, pull ' +
    'secret and trust are checked with the rules of the installer, and some it does not have. ' +
    'Warnings do not stop it. "atoll render install-config-check" checks a file that exists.',
  schema: flags,
  examples: {
    'atoll render install-config --name site --base-domain example.com --platform aws.yaml --release 4.18.1 --publish Internal --credentials-mode Manual --mirror mirror.example:5000 --trust-bundle ca.crt --pull-secret auth.json --ssh-key id.pub --disconnected --to install-config.yaml':
      'disconnected on AWS',
    'atoll render install-config --name edge --base-domain example.com --size single-node --installation-disk /dev/sda --mirror mirror.example:5000 --pull-secret auth.json':
      'one node that installs itself',
  },
  secret: true,
  fromSite: async (inputs, given) => {
    const input = await inputs.installConfig();
    const rules = siteRules(inputs, given, { rules: input.mirrorRules ?? [], tagRules: [] });
    const { disconnected, mirror } = await inputs.installFacts(new Date(0));
    const platform = given.has('platform') ? undefined : knownPlatform(input, inputs);
    return {
      ...clusterOf(input),
      ...rules,
      platform,
      disconnected,
      mirrorCertificate: mirror?.certificates,
    };
  },
  make: (options, ctx) => {
    refuseTagRules(ctx, options);
    const input = inputOf(options);
    const config = installConfig(input);
    const mirror = input.mirrorRules?.[0]?.mirrors[0];
    const violations = validateInstallConfig(config, factsOf(options, mirror, ctx.now()));
    refuse(violations.filter(({ severity }) => severity === 'error'));
    warn(ctx, violations);
    return formatInstallConfig(config);
  },
});

function inputOf(options: Options): InstallConfigInput {
  const { baseline, capability, hostPrefix } = options;
  return {
    name: options.name,
    baseDomain: options.baseDomain,
    platform: options.platform ?? { type: 'none' },
    releaseVersion: options.release,
    size: options.size,
    architecture: options.arch,
    machineNetwork: options.machineNetwork,
    clusterNetwork: options.clusterNetwork.map((cidr, index) => ({
      cidr,
      hostPrefix: hostPrefix[index],
    })),
    serviceNetwork: options.serviceNetwork,
    publish: options.publish,
    proxy: proxyOf(options),
    mirrorRules: rulesOf(options).rules,
    additionalTrustBundle: options.trustBundle,
    additionalTrustBundlePolicy: options.trustPolicy,
    credentialsMode: options.credentialsMode,
    // The installer starts from vCurrent where nothing else is said.
    capabilities:
      baseline || capability.length > 0
        ? { baseline: baseline ?? 'vCurrent', additional: capability }
        : undefined,
    fips: options.fips,
    osImageStream: options.osImageStream,
    sshKey: options.sshKey,
    pullSecret: options.pullSecret,
    installationDisk: options.installationDisk,
  };
}

/** The other way round: what a site says, as flags. */
function clusterOf(input: SiteInstallConfig) {
  const { clusterNetwork = [], machineNetwork = [], serviceNetwork = [], proxy } = input;
  return {
    name: input.name,
    baseDomain: input.baseDomain,
    release: input.releaseVersion,
    size: input.size,
    arch: input.architecture,
    machineNetwork: [...machineNetwork],
    clusterNetwork: clusterNetwork.map(({ cidr }) => cidr),
    hostPrefix: clusterNetwork.flatMap(({ hostPrefix }) => hostPrefix ?? []),
    serviceNetwork: [...serviceNetwork],
    publish: input.publish,
    httpProxy: proxy?.httpProxy,
    httpsProxy: proxy?.httpsProxy,
    trustBundle: input.additionalTrustBundle,
    credentialsMode: input.credentialsMode,
    baseline: input.capabilities?.baseline,
    capability: input.capabilities?.additional && [...input.capabilities.additional],
    fips: input.fips,
    osImageStream: input.osImageStream,
    sshKey: input.sshKey,
    pullSecret: input.pullSecret,
  };
}

function knownPlatform({ platform }: SiteInstallConfig, { site }: SiteInputs): PlatformInput {
  if (platform) return platform;
  throw new AtollError(
    'USAGE',
    `Cannot write the install-config of a site on ${site.platform.type} without "--platform"`,
    {
      hint: 'Write a platform file; "atoll render aws-platform" makes one from the outputs of the network stack',
    },
  );
}

/** A release is pulled by digest, so an install-config has no place for rules about tags. */
function refuseTagRules(ctx: Context, options: Options): void {
  const hint = 'Write them for the running cluster with "atoll render mirror-sets"';
  if (options.tagRule.length > 0) {
    throw new AtollError(
      'USAGE',
      'Cannot use "--tag-rule": imageDigestSources takes digests only',
      {
        hint,
      },
    );
  }
  const { tagRules } = rulesOf(options);
  if (tagRules.length === 0) return;
  const sources = tagRules.map(({ source }) => source).join(', ');
  ctx.emit({ type: 'warning.raised', message: `Left out rules for tags of ${sources}`, hint });
}

function withSecretsKnown(platform: PlatformInput): PlatformInput {
  for (const secret of secretsOf(platform)) registerSecret(secret);
  return platform;
}

function sizeOf(given: string): ClusterSize {
  if (given === 'standard' || given === 'compact' || given === 'single-node') return given;
  const [, controlPlane, compute] = /^(\d+)\+(\d+)$/.exec(given) ?? [];
  if (controlPlane === undefined || compute === undefined) {
    throw new AtollError('USAGE', `Cannot use "--size ${given}"`, {
      hint: 'Write standard, compact, single-node, or numbers such as 3+5',
    });
  }
  return { controlPlane: Number(controlPlane), compute: Number(compute) };
}

function prefixOf(given: string): number {
  if (/^\d{1,3}$/.test(given)) return Number(given);
  throw new AtollError('USAGE', `Cannot use "--host-prefix ${given}"`, {
    hint: 'Write the length of a prefix, such as 23',
  });
}

function refuse(errors: readonly Violation[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(({ path, message, fix }) => `${path}: ${message} (${fix})`);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot write the install-config: found ${counted(errors.length, 'mistake')} that would break the install\n  ${lines.join('\n  ')}`,
    { hint: 'Correct them and run the command again', details: { problems: errors.length } },
  );
}

function warn(ctx: Context, violations: readonly Violation[]): void {
  for (const { severity, path: subject, message, fix: hint } of violations) {
    if (severity === 'warning')
      ctx.emit({ type: 'warning.raised', subject, message: `${subject}: ${message}`, hint });
  }
}

import { relative } from 'node:path';
import { readText } from '../../core/files.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { type InstallConfig, parseInstallConfig } from '../../generate/install-config/schema.ts';
import { type PullSecret, parsePullSecret } from '../../generate/pull-secret.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { parseArchitecture } from '../../oci/platform.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import type { ConfigFiles } from './config-files.ts';
import { parseHosts } from './hosts.ts';
import {
  confOfSets,
  formatOrigins,
  installConfigRules,
  joinConfs,
  type RuleSet,
  readConfFile,
  readRuleSets,
} from './mirror-rules.ts';
import type { NodeConfig } from './node-config.ts';
import { parsePolicy } from './policy.ts';

export interface ConfigChoices {
  readonly dns: boolean;
  /** Architectures of the nodes; those of the install-config, else amd64, when empty. */
  readonly architectures: readonly string[];
}

/** Puts together what a node will have from the files that were generated for it. */
export async function readNodeConfig(
  files: ConfigFiles,
  choices: ConfigChoices,
): Promise<NodeConfig> {
  const install = await readInstall(files.installConfig);
  const installSets = install ? installConfigRules(install.config, install.path) : [];
  const sets = await readSets(files);
  const written = await Promise.all(files.registriesConf.map(readConfFile));
  const secret = await readSecret(files.pullSecret, install);
  const trust = await readTrust(files.trustBundles, install);
  const allSets = [...sets, ...installSets];
  const conf = joinConfs([...written, confOfSets(allSets)]);
  return {
    conf,
    bootstrapConf: install && bootstrapConf(written, sets, installSets),
    pullSecret: secret.secret,
    trustBundle: trust.pem,
    certsDir: files.certsDir,
    hosts: files.hosts === undefined ? new Map() : parseHosts(await readText(files.hosts)),
    dns: choices.dns,
    policy:
      files.policy === undefined
        ? undefined
        : parsePolicy(await readText(files.policy), shown(files.policy)),
    proxy: proxyOf(install?.config),
    platforms: platformsOf(choices.architectures, install?.config),
    osImageStream: install?.config.osImageStream,
    origins: {
      rules: [
        ...files.registriesConf.map(shown),
        ...formatOrigins(allSets.map(({ origin }) => origin)),
      ],
      pullSecret: secret.origin,
      trust: trust.origin,
      hosts: files.hosts === undefined ? 'the hosts file' : shown(files.hosts),
    },
  };
}

const shown = (path: string) => relative('.', path) || path;

interface Install {
  readonly path: string;
  readonly config: InstallConfig;
}

async function readInstall(path: string | undefined): Promise<Install | undefined> {
  if (path === undefined) return undefined;
  return { path: shown(path), config: parseInstallConfig(await readText(path), path) };
}

async function readSets({ mirrorSets, manifests }: ConfigFiles): Promise<RuleSet[]> {
  const sets = await Promise.all([...new Set([...mirrorSets, ...manifests])].map(readRuleSets));
  return sets.flat();
}

/** The bootstrap machine starts with the rules of the install-config alone, be they none. */
function bootstrapConf(
  written: readonly RegistriesConf[],
  sets: readonly RuleSet[],
  installSets: readonly RuleSet[],
): RegistriesConf | undefined {
  if (written.length > 0 || sets.length === 0) return undefined;
  return confOfSets(installSets);
}

async function readSecret(
  path: string | undefined,
  install: Install | undefined,
): Promise<{ secret: PullSecret; origin: string }> {
  const origin =
    path === undefined ? (install ? `pullSecret in ${install.path}` : 'none') : shown(path);
  const text = path === undefined ? install?.config.pullSecret : await readText(path);
  if (text === undefined) return { secret: { auths: {} }, origin: 'the pull secret' };
  registerPullSecret(text);
  return { secret: parsePullSecret(text, `"${origin}"`), origin };
}

async function readTrust(
  paths: readonly string[],
  install: Install | undefined,
): Promise<{ pem: string; origin: string }> {
  const texts = await Promise.all(paths.map((path) => readText(path)));
  const inside = install?.config.additionalTrustBundle;
  const places = [
    ...paths.map(shown),
    ...(inside === undefined ? [] : [`additionalTrustBundle in ${install?.path}`]),
  ];
  return {
    pem: [...texts, ...(inside === undefined ? [] : [inside])].join('\n'),
    origin: places.join(' and ') || 'additionalTrustBundle',
  };
}

/** Nodes add these to what the install-config leaves out of the proxy. */
const NEVER_PROXIED = ['localhost', '127.0.0.1', '.svc', '.cluster.local'];

function proxyOf(config: InstallConfig | undefined): Record<string, string> {
  const proxy = config?.proxy;
  if (!proxy) return {};
  const networks = (config.networking?.machineNetwork ?? []).map(({ cidr }) => cidr);
  const direct = [...(proxy.noProxy ?? '').split(','), ...NEVER_PROXIED, ...networks];
  return {
    ...(proxy.httpProxy ? { HTTP_PROXY: proxy.httpProxy } : {}),
    ...(proxy.httpsProxy ? { HTTPS_PROXY: proxy.httpsProxy } : {}),
    NO_PROXY: direct.filter((one) => one.trim() !== '').join(','),
  };
}

function platformsOf(
  named: readonly string[],
  config: InstallConfig | undefined,
): readonly Platform[] {
  const pools = [config?.controlPlane, ...(config?.compute ?? [])];
  const configured = pools.flatMap((pool) => pool?.architecture ?? []);
  const wanted = named.length > 0 ? named : configured.length > 0 ? configured : ['amd64'];
  const architectures = new Set(wanted.map(parseArchitecture));
  return [...architectures].map((architecture) => ({ os: 'linux', architecture }));
}

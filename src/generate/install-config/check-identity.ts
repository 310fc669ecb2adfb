import type { InstallFacts } from './facts.ts';
import { isAtLeast, parseReleaseVersion } from './release-version.ts';
import { type InstallConfig, type PlatformName, platformOf } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_NAME = 54;
const INFRA_NAME = 21;
const MAX_DOMAIN = 253;

const isSubdomain = (text: string): boolean =>
  text.length <= MAX_DOMAIN &&
  text.split('.').every((part) => part.length <= 63 && LABEL.test(part));

/** Names, keys, credentials mode, publishing and capabilities. */
export function checkIdentity(config: InstallConfig, facts: InstallFacts): Violation[] {
  return [
    ...when(config.apiVersion !== 'v1', () =>
      error('apiVersion', `it is "${config.apiVersion ?? ''}"`, 'Write "v1"'),
    ),
    ...checkName(config),
    ...checkDomain(config),
    ...checkCredentialsMode(config, facts),
    ...checkPublish(config),
    ...checkCapabilities(config, facts),
    ...checkSshKey(config),
  ];
}

function checkName(config: InstallConfig): Violation[] {
  const { name } = config.metadata;
  const path = 'metadata.name';
  const onPremises = platformOf(config) !== 'aws';
  return [
    ...when(!isSubdomain(name) || name === '', () =>
      error(path, `"${name}" is not a DNS name`, 'Use lower case letters, digits and dashes'),
    ),
    ...when(name.length > MAX_NAME, () =>
      error(path, `it has ${name.length} characters`, `Use at most ${MAX_NAME}`),
    ),
    ...when(onPremises && name.includes('.'), () =>
      error(path, `"${name}" has a dot`, 'Use one label: dots are not possible on this platform'),
    ),
    ...when(name.length > INFRA_NAME && name.length <= MAX_NAME, () =>
      warning(
        path,
        `only its first ${INFRA_NAME} characters will be part of the names of machines`,
        'Use a shorter name, so that clusters can be told apart',
      ),
    ),
  ];
}

function checkDomain({ baseDomain, metadata }: InstallConfig): Violation[] {
  const domain = baseDomain.replace(/\.$/, '');
  const full = `${metadata.name}.${domain}`;
  return [
    ...when(!isSubdomain(domain), () =>
      error(
        'baseDomain',
        `"${baseDomain}" is not a DNS name`,
        'Write a domain such as "example.com"',
      ),
    ),
    ...when(full.length > MAX_DOMAIN, () =>
      error('baseDomain', `"${full}" is longer than a DNS name may be`, 'Use shorter names'),
    ),
  ];
}

const MODES: Readonly<Record<PlatformName, readonly string[]>> = {
  aws: ['Manual', 'Mint', 'Passthrough'],
  nutanix: ['Manual'],
  vsphere: [],
  none: [],
  baremetal: [],
};

function checkCredentialsMode(config: InstallConfig, facts: InstallFacts): Violation[] {
  const platform = platformOf(config);
  if (!platform) return [];
  const path = 'credentialsMode';
  const mode = config.credentialsMode ?? '';
  const allowed = MODES[platform];
  const fix = allowed.length > 0 ? `Write one of ${allowed.join(', ')}` : 'Remove it';
  return [
    ...when(mode !== '' && !allowed.includes(mode), () =>
      error(path, `"${mode}" does not exist on ${platform}`, fix),
    ),
    ...when(platform === 'nutanix' && mode === '', () =>
      error(path, 'it is missing', 'Write "Manual" and prepare the Secrets beforehand'),
    ),
    ...when(facts.disconnected === true && platform === 'aws' && mode !== 'Manual', () =>
      warning(
        path,
        'the cluster cannot reach the IAM service from a closed network to make credentials',
        'Write "Manual" and prepare the Secrets beforehand',
      ),
    ),
  ];
}

function checkPublish(config: InstallConfig): Violation[] {
  const publish = config.publish ?? 'External';
  const platform = platformOf(config);
  return [
    ...when(!['External', 'Internal'].includes(publish), () =>
      error('publish', `"${publish}" is not possible here`, 'Write "Internal" or "External"'),
    ),
    ...when(publish === 'Internal' && platform !== 'aws' && platform !== undefined, () =>
      error('publish', `"Internal" does not exist on ${platform}`, 'Remove it'),
    ),
  ];
}

function checkCapabilities(
  { capabilities, platform }: InstallConfig,
  facts: InstallFacts,
): Violation[] {
  if (!capabilities) return [];
  const baseline = capabilities.baselineCapabilitySet ?? 'vCurrent';
  const added = capabilities.additionalEnabledCapabilities ?? [];
  const path = 'capabilities.additionalEnabledCapabilities';
  const bare = baseline === 'None';
  const canDropCloud = platform.none !== undefined || platform.baremetal !== undefined;
  const lacks = (name: string) => bare && !added.includes(name);
  return [
    ...checkBaseline(baseline, facts),
    ...when(lacks('Ingress') && isAtLeast(facts.version, '4.16'), () =>
      error(path, 'without Ingress there is no cluster', 'Add "Ingress"'),
    ),
    ...when(added.includes('marketplace') && lacks('OperatorLifecycleManager'), () =>
      error(path, 'marketplace needs OperatorLifecycleManager', 'Add "OperatorLifecycleManager"'),
    ),
    ...when(lacks('CloudCredential') && !canDropCloud && isAtLeast(facts.version, '4.15'), () =>
      error(path, 'CloudCredential is needed on this platform', 'Add "CloudCredential"'),
    ),
  ];
}

function checkBaseline(baseline: string, facts: InstallFacts): Violation[] {
  const path = 'capabilities.baselineCapabilitySet';
  if (baseline === 'None' || baseline === 'vCurrent') return [];
  const known = /^v4\.\d+$/.test(baseline);
  if (!known)
    return [error(path, `"${baseline}" is not a set`, 'Write "None", "vCurrent" or "v4.N"')];
  const { major, minor } = parseReleaseVersion(baseline.slice(1));
  return when(!isAtLeast(facts.version, `${major}.${minor}` as `${number}.${number}`), () =>
    error(
      path,
      `the release is older than "${baseline}"`,
      'Name the set of the release or an older one',
    ),
  );
}

const KEY =
  /^(?<type>ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-[a-z0-9@.-]+) (?<blob>[A-Za-z0-9+/]+=*)(?: .*)?$/;

function checkSshKey(config: InstallConfig): Violation[] {
  const path = 'sshKey';
  const keys = (config.sshKey ?? '')
    .split('\n')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (keys.length === 0) {
    return [warning(path, 'it is missing', 'Give a key: without one no logs can be gathered')];
  }
  return keys.flatMap((key) => {
    const type = keyType(key);
    if (!type)
      return [error(path, 'it is not a public SSH key', 'Give the content of the .pub file')];
    return when(config.fips === true && !/^(?:ssh-rsa|ecdsa-)/.test(type), () =>
      error(path, `a FIPS cluster refuses keys of type ${type}`, 'Use an rsa or ecdsa key'),
    );
  });
}

/** The type of a public SSH key, if it says the same inside as outside. */
export function keyType(key: string): string | undefined {
  const parts = KEY.exec(key)?.groups;
  const blob = Buffer.from(parts?.blob ?? '', 'base64');
  if (!parts?.type || blob.length < 4) return undefined;
  const length = blob.readUInt32BE(0);
  return blob.subarray(4, 4 + length).toString('latin1') === parts.type ? parts.type : undefined;
}

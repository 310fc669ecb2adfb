import { checkCapabilities } from './check-capabilities.ts';
import { isDnsName, MAX_DNS_NAME } from './dns-name.ts';
import type { InstallFacts } from './facts.ts';
import { type InstallConfig, type PlatformName, platformOf } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

const FIELDS: ReadonlySet<string> = new Set(
  (
    'apiVersion kind metadata additionalTrustBundle additionalTrustBundlePolicy arbiter baseDomain ' +
    'bootstrapInPlace capabilities compute controlPlane cpuPartitioningMode credentialsMode ' +
    'featureGates featureSet fips imageContentSources imageDigestSources networking ' +
    'operatorPublishingStrategy osImageStream pki platform proxy publish pullSecret sshKey'
  ).split(' '),
);
const MAX_NAME = 54;
const INFRA_NAME = 21;

/** Names, keys, credentials mode, publishing and capabilities. */
export function checkIdentity(config: InstallConfig, facts: InstallFacts): Violation[] {
  return [
    ...when(config.apiVersion !== 'v1', () =>
      error('apiVersion', `it is "${config.apiVersion ?? ''}"`, 'Write "v1"'),
    ),
    ...checkFields(config),
    ...checkName(config),
    ...checkDomain(config),
    ...checkCredentialsMode(config, facts),
    ...checkPublish(config),
    ...checkCapabilities(config, facts),
    ...checkSshKey(config),
  ];
}

/** A misspelled field would silently do nothing; new installers refuse it. */
function checkFields(config: InstallConfig): Violation[] {
  return Object.keys(config)
    .filter((name) => !FIELDS.has(name))
    .map((name) => warning(name, 'the installer does not know it', 'Look at its spelling'));
}

function checkName(config: InstallConfig): Violation[] {
  const { name } = config.metadata;
  const path = 'metadata.name';
  const platform = platformOf(config);
  const onPremises = platform !== 'aws' && platform !== 'none';
  return [
    ...when(!isDnsName(name) || name === '', () =>
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
    ...when(!isDnsName(domain), () =>
      error(
        'baseDomain',
        `"${baseDomain}" is not a DNS name`,
        'Write a domain such as "example.com"',
      ),
    ),
    ...when(full.length > MAX_DNS_NAME, () =>
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
      warning(path, 'it is missing', 'Write "Manual" and prepare the Secrets beforehand'),
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

const KEY =
  /^(?<type>ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-[a-z0-9@.-]+)[ \t]+(?<blob>[A-Za-z0-9+/]+=*)(?:[ \t].*)?$/;

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

/** The type of a public SSH key, if it says the same inside as outside and is all there. */
export function keyType(key: string): string | undefined {
  const parts = KEY.exec(key)?.groups;
  const fields = fieldsOf(Buffer.from(parts?.blob ?? '', 'base64'));
  if (!parts?.type || !fields || fields.length < 2) return undefined;
  return fields[0]?.toString('latin1') === parts.type ? parts.type : undefined;
}

/** The fields of a key, each with its length in front; undefined when it ends inside one. */
function fieldsOf(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

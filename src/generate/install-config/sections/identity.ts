import * as z from 'zod';
import {
  knows,
  OS_IMAGE_STREAMS,
  type OsImageStream,
  sinceOf,
} from '../../../openshift/features.ts';
import { isDnsName, MAX_DNS_NAME } from '../../dns-name.ts';
import { type Fields, flag, part, tags, text, texts, word } from '../fields.ts';
import type { Surroundings } from '../traits.ts';
import { error, oneOf, type Violation, warning, when } from '../violation.ts';

export interface IdentityInput {
  readonly name: string;
  readonly baseDomain: string;
  readonly publish?: 'Internal' | 'External' | undefined;
  readonly credentialsMode?: 'Manual' | 'Mint' | 'Passthrough' | undefined;
  readonly fips?: boolean | undefined;
  readonly sshKey?: string | undefined;
  /** Which RHEL the nodes run; the release decides by default. */
  readonly osImageStream?: OsImageStream | undefined;
}

export const identityFields = {
  apiVersion: text,
  kind: text,
  metadata: z.looseObject({
    name: word,
    creationTimestamp: text,
    labels: tags,
    annotations: tags,
    namespace: text,
  }),
  baseDomain: word,
  publish: text,
  operatorPublishingStrategy: part({ ingress: text, apiserver: text }),
  credentialsMode: text,
  fips: flag,
  sshKey: text,
  cpuPartitioningMode: text,
  osImageStream: text,
  featureSet: text,
  featureGates: texts,
  pki: part({
    signerCertificates: part({
      key: part({
        algorithm: text,
        rsa: part({ keySize: z.int().optional() }),
        ecdsa: part({ curve: text }),
      }),
    }),
  }),
};
export type IdentityConfig = Fields<typeof identityFields>;

export function buildIdentity(input: IdentityInput) {
  return { apiVersion: 'v1', metadata: { name: input.name }, baseDomain: input.baseDomain };
}

/** What stands further down in the file. */
export function buildChoices(input: IdentityInput, requiredMode: string | undefined) {
  const mode = input.credentialsMode ?? requiredMode;
  return {
    ...(input.publish ? { publish: input.publish } : {}),
    ...(mode ? { credentialsMode: mode } : {}),
    ...(input.fips ? { fips: true } : {}),
    ...(input.osImageStream ? { osImageStream: input.osImageStream } : {}),
  };
}

export const buildSshKey = ({ sshKey }: IdentityInput) => (sshKey ? { sshKey: sshKey.trim() } : {});

/** Names, keys, credentials mode, publishing and feature sets. */
export function checkIdentity(config: IdentityConfig, around: Surroundings): Violation[] {
  const version = config.apiVersion || undefined;
  return [
    ...when(version === undefined || !['v1', 'v1beta4', 'v1beta3'].includes(version), () =>
      error('apiVersion', `it is "${version ?? ''}"`, 'Write "v1"'),
    ),
    ...checkName(config, around),
    ...checkDomain(config),
    ...checkCredentialsMode(config, around),
    ...checkPublish(config, around),
    ...checkFeatures(config, around),
    ...checkSshKey(config),
    ...when(config.fips === true, () =>
      warning(
        'fips',
        'the installer makes such a cluster only on a host that runs in FIPS mode itself',
        'Run openshift-install-fips, extracted from the release, on RHEL in FIPS mode',
      ),
    ),
  ];
}

const MAX_NAME = 54;
const INFRA_NAME = 21;

function checkName(
  { metadata: { name } }: IdentityConfig,
  { platform }: Surroundings,
): Violation[] {
  const path = 'metadata.name';
  return [
    ...when(!isDnsName(name) || name === '', () =>
      error(path, `"${name}" is not a DNS name`, 'Use lower case letters, digits and dashes'),
    ),
    ...when(name.length > MAX_NAME, () =>
      error(path, `it has ${name.length} characters`, `Use at most ${MAX_NAME}`),
    ),
    ...when(platform !== undefined && !platform.dottedNames && name.includes('.'), () =>
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

function checkDomain({ baseDomain, metadata }: IdentityConfig): Violation[] {
  const domain = baseDomain.replace(/\.$/, '');
  const full = `${metadata.name}.${domain}`;
  const fix = 'Write a domain such as "example.com"';
  return [
    ...when(!isDnsName(domain), () =>
      error('baseDomain', `"${baseDomain}" is not a DNS name`, fix),
    ),
    ...when(full.length > MAX_DNS_NAME, () =>
      error('baseDomain', `"${full}" is longer than a DNS name may be`, 'Use shorter names'),
    ),
  ];
}

function checkCredentialsMode(config: IdentityConfig, around: Surroundings): Violation[] {
  const { platform, facts } = around;
  if (!platform) return [];
  const path = 'credentialsMode';
  const mode = config.credentialsMode ?? '';
  const allowed = platform.credentialsModes ?? [];
  const fix = 'Write "Manual" and prepare the Secrets beforehand';
  return [
    ...oneOf(path, mode, allowed),
    ...when(platform.credentialsRequired === true && mode === '', () =>
      warning(path, 'it is missing', fix),
    ),
    ...when(facts.disconnected === true && allowed.includes('Mint') && mode !== 'Manual', () =>
      warning(
        path,
        'the cluster cannot reach the IAM service from a closed network to make credentials',
        fix,
      ),
    ),
  ];
}

function checkPublish(config: IdentityConfig, { platform }: Surroundings): Violation[] {
  const allowed = ['External', ...(!platform || platform.isCloud ? ['Internal'] : [])];
  return [
    ...oneOf('publish', config.publish, allowed),
    ...when(config.operatorPublishingStrategy !== undefined, () =>
      error('operatorPublishingStrategy', 'it needs "publish: Mixed"', 'Remove it'),
    ),
  ];
}

const FEATURE_SETS = ['TechPreviewNoUpgrade', 'DevPreviewNoUpgrade', 'CustomNoUpgrade'];

function checkFeatures(
  { featureSet, featureGates = [], osImageStream }: IdentityConfig,
  { facts: { version } }: Surroundings,
) {
  return [
    ...oneOf('featureSet', featureSet, FEATURE_SETS),
    ...when(featureGates.length > 0 && featureSet !== 'CustomNoUpgrade', () =>
      error(
        'featureGates',
        'it needs "featureSet: CustomNoUpgrade"',
        'Set it, or remove the gates',
      ),
    ),
    ...featureGates.flatMap((gate, index) =>
      when(!/^[^=]*=(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(gate), () =>
        error(`featureGates[${index}]`, `"${gate}" is not a gate`, 'Write "Name=true"'),
      ),
    ),
    ...oneOf('osImageStream', osImageStream, OS_IMAGE_STREAMS),
    ...when(osImageStream !== undefined && !knows(version, 'osImageStream'), () =>
      error(
        'osImageStream',
        `releases before ${sinceOf('osImageStream')} do not know it`,
        'Remove it: nodes run the only RHEL there is',
      ),
    ),
  ];
}

const KEY =
  /^(?<type>ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-[a-z0-9@.-]+)[ \t]+(?<blob>[A-Za-z0-9+/]+=*)(?:[ \t].*)?$/;

function checkSshKey(config: IdentityConfig): Violation[] {
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

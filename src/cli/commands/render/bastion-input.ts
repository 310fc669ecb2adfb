import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { registerCredential } from '../../../core/redact.ts';
import type { BastionInput } from '../../../generate/ignition/bastion.ts';
import type { BastionCache } from '../../../generate/ignition/bastion-cache.ts';
import type { BastionProxy } from '../../../generate/ignition/bastion-proxy.ts';
import { parseIgnitionVersion } from '../../../generate/ignition/versions.ts';
import { credentialFor, decodeAuth, parsePullSecret } from '../../../generate/pull-secret.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { readNamedCertificates, readOptional, readPublicKeys, splitPair } from './flag-values.ts';
import { PAYLOAD_OPTIONS, payloadFrom } from './machine-config.ts';

export const BASTION_OPTIONS = {
  spec: {
    type: 'string',
    value: 'VERSION',
    default: '3.4.0',
    summary: 'Ignition spec: 3.2.0 to 3.5.0',
  },
  hostname: { type: 'string', value: 'NAME', summary: 'Name of the machine' },
  user: { type: 'string', value: 'NAME', default: 'core', summary: 'User that may log in' },
  sshKey: { type: 'strings', value: 'FILE', summary: 'Public SSH key of that user' },
  trust: { type: 'strings', value: 'NAME=FILE', summary: 'PEM of a CA the machine trusts' },
  certificate: {
    type: 'string',
    value: 'FILE',
    summary: 'PEM of the server certificate and its chain',
  },
  key: { type: 'string', value: 'FILE', summary: 'PEM of its private key' },
  registry: {
    type: 'string',
    value: 'KIND',
    choices: ['atoll', 'distribution'],
    summary: 'Mirror registry on 5000: embedded, or registry:2 by podman; none without it',
  },
  registryImage: { type: 'string', value: 'IMAGE', summary: 'Image of the distribution registry' },
  htpasswd: {
    type: 'string',
    value: 'FILE',
    summary: 'Users of registry and caches, with bcrypt hashes',
  },
  program: {
    type: 'string',
    value: 'URL',
    summary: 'Where Ignition fetches atoll from (s3:// or https://)',
  },
  programHash: { type: 'string', value: 'HASH', summary: 'Its hash, as sha256-HEX or sha512-HEX' },
  cache: {
    type: 'strings',
    value: 'PORT=URL',
    summary: 'Pull-through cache, such as 6001=https://quay.io; may be given more than once',
  },
  cacheAuth: {
    type: 'string',
    value: 'FILE',
    summary: 'Pull secret with the logins of cached upstreams',
  },
  proxyImage: { type: 'string', value: 'IMAGE', summary: 'Run squid on 3128 from this image' },
  proxyClient: { type: 'strings', value: 'CIDR', summary: 'Network that may use the proxy' },
  proxyHtpasswd: { type: 'string', value: 'FILE', summary: 'Users of the proxy' },
  proxyTlsPort: { type: 'number', value: 'PORT', summary: 'Offer the proxy over TLS too' },
  dataDisk: { type: 'string', value: 'DEVICE', summary: 'Keep all content on this disk' },
  directory: { type: 'strings', value: 'PATH', summary: 'Make this directory' },
  link: { type: 'strings', value: 'PATH=TARGET', summary: 'Make this symbolic link' },
  ...PAYLOAD_OPTIONS,
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Values = OptionValues<typeof BASTION_OPTIONS>;

/** What the flags say about a bastion, files read. */
export async function bastionFrom(options: Values): Promise<BastionInput> {
  const keys = await Promise.all(options.sshKey.map(readPublicKeys));
  const payload = await payloadFrom(options);
  const users = keys.length === 0 ? [] : [userOf(options.user, keys)];
  return {
    version: parseIgnitionVersion(options.spec),
    hostname: options.hostname,
    users,
    trustedCas: await readNamedCertificates('trust', options.trust),
    certificate: await certificateFrom(options),
    registry: await registryFrom(options),
    caches: await cachesFrom(options),
    proxy: await proxyFrom(options),
    dataDisk: options.dataDisk ? { device: options.dataDisk } : undefined,
    extra: {
      ...payload,
      directories: options.directory.map((path) => ({ path, mode: 0o755 })),
      links: options.link.map(linkOf),
    },
  };
}

function userOf(name: string, keys: readonly string[]) {
  const lines = keys.flatMap((text) => text.split('\n')).map((line) => line.trim());
  return { name, sshAuthorizedKeys: lines.filter((line) => line !== '' && !line.startsWith('#')) };
}

function linkOf(text: string) {
  const [path, target] = splitPair('link', text);
  return { path, target, overwrite: true };
}

async function certificateFrom({ certificate, key }: Values): Promise<BastionInput['certificate']> {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw needsBoth('--certificate', '--key');
  }
  return { certificate: await readText(certificate), key: await readText(key) };
}

async function registryFrom(options: Values): Promise<BastionInput['registry']> {
  if (options.registry === undefined) return undefined;
  const htpasswd = await readOptional(options.htpasswd);
  if (options.registry === 'distribution') {
    return { kind: 'distribution', image: options.registryImage, htpasswd };
  }
  const { program: source, programHash: hash } = options;
  if (source === undefined && hash === undefined) return { kind: 'atoll', htpasswd };
  if (source === undefined || hash === undefined) throw needsBoth('--program', '--program-hash');
  return { kind: 'atoll', htpasswd, program: { source, hash } };
}

async function cachesFrom(options: Values): Promise<BastionCache[]> {
  const htpasswd = await readOptional(options.htpasswd);
  const text = await readOptional(options.cacheAuth);
  const secret = text === undefined ? undefined : parsePullSecret(text, `"${options.cacheAuth}"`);
  return options.cache.map((value) => {
    const [port, url] = splitPair('cache', value);
    const entry = secret && credentialFor(secret, url.replace(/^https?:\/\//, ''));
    const login = entry && decodeAuth(entry);
    if (login) registerCredential(login.username, login.password);
    return { port: portOf(port), url, htpasswd, image: options.registryImage, ...login };
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new AtollError('USAGE', `Cannot listen on port "${text}"`, { hint: 'Use 1 to 65535' });
}

async function proxyFrom(options: Values): Promise<BastionProxy | undefined> {
  if (options.proxyImage === undefined) return undefined;
  return {
    image: options.proxyImage,
    clients: options.proxyClient,
    htpasswd: await readOptional(options.proxyHtpasswd),
    tlsPort: options.proxyTlsPort,
  };
}

function needsBoth(a: string, b: string): AtollError {
  return new AtollError('USAGE', `Cannot use one of "${a}" and "${b}" without the other`, {
    hint: 'Give both',
  });
}

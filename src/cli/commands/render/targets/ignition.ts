import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { readText } from '../../../../core/files.ts';
import { registerCredential } from '../../../../core/redact.ts';
import { type BastionInput, bastionIgnition } from '../../../../generate/ignition/bastion.ts';
import type { BastionCache } from '../../../../generate/ignition/bastion-cache.ts';
import { formatIgnition } from '../../../../generate/ignition/config.ts';
import { mergeIgnition } from '../../../../generate/ignition/merge.ts';
import { parseIgnition } from '../../../../generate/ignition/read.ts';
import { userData, verificationHash } from '../../../../generate/ignition/user-data.ts';
import { parseIgnitionVersion } from '../../../../generate/ignition/versions.ts';
import { credentialFor, decodeAuth, parsePullSecret } from '../../../../generate/pull-secret.ts';
import { publicKeysOf } from '../../../../site/site-shape.ts';
import { certificateFiles, file, namedCertificates, pair, publicKeyFiles } from '../flag-files.ts';
import { choice, many, manyTexts, number, text } from '../flags.ts';
import { renderTarget } from '../target.ts';
import { PAYLOAD_FLAGS, payloadOf } from './node-files.ts';

const SPEC = {
  spec: text('VERSION', 'Ignition spec: 3.2.0 to 3.5.0')
    .transform(parseIgnitionVersion)
    .prefault('3.4.0'),
};

const BASTION_FLAGS = {
  ...SPEC,
  hostname: text('NAME', 'Name of the machine').optional(),
  user: text('NAME', 'User that may log in').default('core'),
  sshKey: publicKeyFiles('Public SSH key of that user'),
  trust: namedCertificates('trust', 'PEM of a CA the machine trusts'),
  certificate: text('FILE', 'PEM of the server certificate and its chain').optional(),
  key: text('FILE', 'PEM of its private key').optional(),
  registry: choice(
    'KIND',
    ['atoll', 'distribution'],
    'Mirror registry on 5000: embedded, or registry:2 by podman; none without it',
  ).optional(),
  registryImage: text('IMAGE', 'Image of the distribution registry').optional(),
  htpasswd: file('Users of registry and caches, with bcrypt hashes').optional(),
  program: text('URL', 'Where Ignition fetches atoll from (s3:// or https://)').optional(),
  programHash: text('HASH', 'Its hash, as sha256-HEX or sha512-HEX').optional(),
  cache: many(
    'PORT=URL',
    'Pull-through cache, such as 6001=https://quay.io; may be given more than once',
    pair('cache'),
  ),
  cacheAuth: text('FILE', 'Pull secret with the logins of cached upstreams')
    .transform(async (path) => parsePullSecret(await readText(path), `"${path}"`))
    .optional(),
  proxyImage: text('IMAGE', 'Run squid on 3128 from this image').optional(),
  proxyClient: manyTexts('CIDR', 'Network that may use the proxy'),
  proxyHtpasswd: file('Users of the proxy').optional(),
  proxyTlsPort: number('PORT', 'Offer the proxy over TLS too').optional(),
  dataDisk: text('DEVICE', 'Keep all content on this disk').optional(),
  directory: manyTexts('PATH', 'Make this directory'),
  link: many('PATH=TARGET', 'Make this symbolic link', pair('link')),
  ...PAYLOAD_FLAGS,
};

const bastionFlags = z.object(BASTION_FLAGS);
type BastionOptions = z.output<typeof bastionFlags>;

export const ignitionTarget = renderTarget({
  name: 'ignition',
  summary: 'Ignition config of a bastion: users, registry, caches, proxy, disks',
  description:
    'Only the parts that are asked for are in it. The result holds private keys and password ' +
    'hashes, so --to writes it for the owner only.',
  schema: z.object({
    ...BASTION_FLAGS,
    merge: many(
      'FILE',
      'Ignition config to lay over the result; may be given more than once',
      z.string().transform(async (path) => parseIgnition(await readText(path), `"${path}"`)),
    ),
  }),
  examples: {
    'atoll render ignition --hostname bastion --ssh-key id.pub --registry atoll --htpasswd htpasswd --certificate tls.crt --key tls.key --to bastion.ign':
      'a bastion with the embedded registry',
    'atoll render ignition --ssh-key id.pub --registry distribution --cache 6001=https://quay.io --cache 6002=https://registry.redhat.io --cache-auth pull-secret.json':
      'registry:2 and two caches',
    'atoll render ignition --spec 3.2.0 --merge base.ign --merge more.ign': 'only merge files',
  },
  secret: true,
  fromSite: async (inputs) => {
    const { hostname, users } = await inputs.bastion();
    const sshKey = users.flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys);
    return { hostname, user: inputs.site.bastion.user, sshKey };
  },
  make: async ({ merge, ...options }) =>
    formatIgnition(merge.reduce(mergeIgnition, bastionIgnition(await bastionOf(options)))),
});

async function bastionOf(options: BastionOptions): Promise<BastionInput> {
  const { user: name, sshKey, dataDisk, directory, link, proxyImage: image } = options;
  const sshAuthorizedKeys = sshKey.flatMap(publicKeysOf);
  return {
    version: options.spec,
    hostname: options.hostname,
    users: sshKey.length > 0 ? [{ name, sshAuthorizedKeys }] : [],
    trustedCas: options.trust,
    certificate: await certificateOf(options),
    registry: registryOf(options),
    caches: cachesOf(options),
    proxy: image
      ? {
          ...{ image, clients: options.proxyClient, htpasswd: options.proxyHtpasswd },
          tlsPort: options.proxyTlsPort,
        }
      : undefined,
    dataDisk: dataDisk ? { device: dataDisk } : undefined,
    extra: {
      ...payloadOf(options),
      directories: directory.map((path) => ({ path, mode: 0o755 })),
      links: link.map(([path, target]) => ({ path, target, overwrite: true })),
    },
  };
}

async function certificateOf({ certificate, key }: BastionOptions) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) throw needsBoth('--certificate', '--key');
  return { certificate: await readText(certificate), key: await readText(key) };
}

function registryOf(options: BastionOptions): BastionInput['registry'] {
  const { registry: kind, htpasswd, registryImage: image } = options;
  if (kind !== 'atoll') return kind && { kind, image, htpasswd };
  const { program: source, programHash: hash } = options;
  if (source === undefined && hash === undefined) return { kind, htpasswd };
  if (source === undefined || hash === undefined) throw needsBoth('--program', '--program-hash');
  return { kind, htpasswd, program: { source, hash } };
}

function needsBoth(a: string, b: string): AtollError {
  return new AtollError('USAGE', `Cannot use one of "${a}" and "${b}" without the other`, {
    hint: 'Give both',
  });
}

function cachesOf({ cache, cacheAuth, htpasswd, registryImage: image }: BastionOptions) {
  return cache.map(([port, url]): BastionCache => {
    const entry = cacheAuth && credentialFor(cacheAuth, url.replace(/^https?:\/\//, ''));
    const login = entry && decodeAuth(entry);
    if (login) registerCredential(login.username, login.password);
    return { port: portOf(port), url, htpasswd, image, ...login };
  });
}

function portOf(given: string): number {
  const port = Number(given);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new AtollError('USAGE', `Cannot listen on port "${given}"`, { hint: 'Use 1 to 65535' });
}

export const userDataTarget = renderTarget({
  name: 'user-data',
  summary: 'Small config that fetches the whole one and verifies it',
  schema: z.object({
    source: text('URL', 'Where the config lies: s3:// or https://'),
    config: file('The config, to hash it').optional(),
    hash: text('HASH', 'Or its hash, as sha512-HEX').optional(),
    ca: certificateFiles('PEM of a CA of the https server'),
    ...SPEC,
  }),
  examples: {
    'atoll render user-data --source s3://site-ignition/bastion.ign --config bastion.ign':
      'for EC2: boots only with exactly that config',
  },
  make: ({ source, config, hash, ca: certificateAuthorities, spec: version }) =>
    userData({
      ...{ source, certificateAuthorities, version },
      hash: hash ?? (config === undefined ? undefined : verificationHash(config)),
    }),
});

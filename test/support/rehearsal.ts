import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { silentContext } from '../../src/core/context.ts';
import { toYaml } from '../../src/core/yaml.ts';
import { hostsFile } from '../../src/generate/hosts-file.ts';
import type { MirrorRule } from '../../src/generate/mirror-rule.ts';
import { imageDigestMirrorSet, imageTagMirrorSet } from '../../src/generate/mirror-sets.ts';
import { formatPullSecret, mergePullSecret } from '../../src/generate/pull-secret.ts';
import { formatGrants } from '../../src/registry/auth/grants.ts';
import { createCa, createServerCertificate } from '../../src/registry/tls/certificates.ts';
import { findConfigFiles } from '../../src/rehearse/node/config-files.ts';
import { openNode } from '../../src/rehearse/node/open-node.ts';
import { readNodeConfig } from '../../src/rehearse/node/read-config.ts';
import {
  type FullRehearsal,
  type RehearsalOptions,
  rehearse,
} from '../../src/rehearse/rehearse.ts';
import { startEmbeddedRegistry } from './embedded-registry.ts';
import { publishUpstream } from './upstream.ts';

export const MIRROR_NAME = 'mirror.test';
export const LOGIN = { username: 'nodes', password: 'mirror-password' };
const AUTHORIZATION = {
  authorization: `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`,
};

/** The fixture upstream in a store of its own, to be copied for each mirror. */
export async function fillStore(
  wanted: (reference: string) => boolean = (name) => !/4\.18\.2-|registry\.ci/.test(name),
): Promise<{ root: string; remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'atoll-rehearsal-'));
  const registry = await startEmbeddedRegistry({ root });
  await publishUpstream(registry.url, {}, wanted);
  await registry.stop();
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

export interface MirrorChoices {
  /** Names of the certificate. */
  readonly names?: readonly string[];
  readonly days?: number;
  readonly issued?: Date;
  /** Address to listen on. */
  readonly address?: string;
}

export interface TestMirror {
  /** `mirror.test:PORT`, as the rules name it. */
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly ca: string;
  /** The back door, without TLS, for the same users. */
  readonly plainHost: string;
  /** Folder of the store. */
  readonly root: string;
  /** A fresh folder that goes away with the mirror. */
  folder(): Promise<string>;
  /** Takes something out of the mirror. */
  remove(path: string): Promise<void>;
  blobFile(digest: string): string;
  stop(): Promise<void>;
}

/** A mirror as a site has it, with TLS and users, full of what a store holds, or empty. */
export async function startMirror(
  store: string | undefined,
  choices: MirrorChoices = {},
): Promise<TestMirror> {
  const { names = [MIRROR_NAME], days = 90, issued = new Date(), address = '127.0.0.1' } = choices;
  const folder = await mkdtemp(join(tmpdir(), 'atoll-mirror-'));
  const at = (name: string) => join(folder, name);
  const root = at('store');
  if (store !== undefined) await cp(store, root, { recursive: true });
  const ca = await createCa('rehearsal CA', {
    now: new Date(Date.now() - 86_400_000 * 400),
    days: 3650,
  });
  const server = await createServerCertificate(ca, names, { now: issued, days });
  await writeFile(at('server.crt'), server.certificate);
  await writeFile(at('server.key'), server.key);
  await writeFile(
    at('grants.yaml'),
    formatGrants({ [LOGIN.username]: [{ role: 'delete', prefix: '' }] }),
  );
  await writeFile(at('htpasswd'), `${LOGIN.username}:${await hash(LOGIN.password, 4)}\n`);
  const tls = { certificate: at('server.crt'), key: at('server.key') };
  const registry = await startEmbeddedRegistry({
    root,
    // The second listener is the back door.
    listeners: [{ host: address, port: 0, tls }, { port: 0 }],
    auth: { htpasswd: at('htpasswd'), grants: at('grants.yaml') },
  });
  const [front, back] = registry.running.listeners;
  return {
    host: `${MIRROR_NAME}:${front?.port}`,
    port: front?.port ?? 0,
    address,
    ca: ca.certificate,
    plainHost: back?.host ?? '',
    root,
    folder: () => mkdtemp(at('config-')),
    async remove(path) {
      const url = `${back?.url}/v2/${path}`;
      const response = await fetch(url, { method: 'DELETE', headers: AUTHORIZATION });
      if (!response.ok) throw new Error(`DELETE ${path}: ${response.status}`);
    },
    blobFile: (digest) => join(root, 'blobs', 'sha256', digest.slice('sha256:'.length)),
    async stop() {
      await registry.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface NodeChoices {
  readonly rules?: readonly MirrorRule[];
  readonly tagRules?: readonly MirrorRule[];
  readonly ca?: string;
  readonly login?: { readonly username: string; readonly password: string } | undefined;
  readonly names?: Readonly<Record<string, string>>;
  /** More files beside the others. */
  readonly files?: Readonly<Record<string, string>>;
}

const NEVER = 'NeverContactSource' as const;

/** Rules that send all upstream names of the fixture to the mirror, and block them. */
export function usualRules(mirror: string): MirrorRule[] {
  return ['quay.io', 'registry.redhat.io'].map((source) => ({
    source,
    mirrors: [mirror],
    policy: NEVER,
  }));
}

/** A folder of generated configuration for this mirror. */
export async function generateConfig(
  mirror: TestMirror,
  choices: NodeChoices = {},
): Promise<string> {
  const folder = await mirror.folder();
  const { rules = usualRules(mirror.host), tagRules = usualRules(mirror.host) } = choices;
  const login = 'login' in choices ? choices.login : LOGIN;
  const add = login ? [{ registry: mirror.host, ...login }] : [];
  const files: Record<string, string> = {
    'mirror-sets.yaml': toYaml(
      imageDigestMirrorSet('digests', rules),
      ...(tagRules.length > 0 ? [imageTagMirrorSet('tags', tagRules)] : []),
    ),
    'pull-secret.json': formatPullSecret(mergePullSecret({ add })),
    'ca.crt': choices.ca ?? mirror.ca,
    hosts: hostsFile([
      { address: mirror.address, names: [MIRROR_NAME] },
      ...Object.entries(choices.names ?? {}).map(([name, address]) => ({ address, names: [name] })),
    ]),
    ...choices.files,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

export type Wanted = Partial<RehearsalOptions['inputs']>;

/** Rehearses with a folder of configuration and nothing else. */
export async function rehearseFolder(
  folder: string,
  wanted: Wanted,
  options: Partial<RehearsalOptions> = {},
): Promise<FullRehearsal> {
  const files = await findConfigFiles(folder);
  const config = await readNodeConfig(files, { dns: false, architectures: [] });
  const node = await openNode(config);
  const nothing = {
    releases: [],
    catalogs: [],
    packages: [],
    images: [],
    manifests: [],
    reports: [],
  };
  try {
    return await rehearse(silentContext(), node, {
      depth: 'head',
      ...options,
      inputs: { ...nothing, ...wanted },
    });
  } finally {
    await node.close();
  }
}

/** Cause and image names of every hole, for comparing. */
export function holesOf({ rehearsal }: FullRehearsal) {
  return rehearsal.findings
    .filter(({ severity }) => severity === 'hole')
    .map(({ cause, images }) => ({ cause, images: images.map(({ name }) => name) }));
}

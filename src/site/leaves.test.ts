import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { siteFolder } from '../../test/support/site.ts';
import { PLATFORMS } from '../cli/platforms.ts';
import { silentContext } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import { digestOf } from '../oci/digest.ts';
import { parseReference } from '../oci/reference.ts';
import { createRegistries } from '../remote/create-registries.ts';
import { clusterObjects } from './cluster-objects.ts';
import { siteInputs } from './inputs.ts';
import { openPlatform, openSite } from './open-site.ts';
import { readSite, type Site } from './read-site.ts';
import { siteSchema } from './schema.ts';
import { sitePaths } from './site-paths.ts';
import { siteWorkflow } from './site-workflow.ts';
import { registryOptions } from './stages/places.ts';
import { siteCollectDeps, siteImageSet } from './stages/release.ts';

// No field of a site file may be read by nobody. Every one is changed here, and something that is
// made of the site has to change with it, or the site is refused.

type Part = Readonly<Record<string, unknown>>;
type Change = Readonly<Record<string, Part | string>>;

interface Case {
  /** A site in which the field matters. */
  readonly before?: Change;
  /** The same with another value. */
  readonly after: Change;
}

const AWS = { platform: { type: 'aws', region: 'us-east-1' } };
const EXISTING = { registry: { type: 'existing', host: 'mirror.example' } };
const KEYED = { ...AWS, bastion: { sshKey: 'id.pub' } };
const PROXY = { ...AWS, proxy: { enabled: true } };
const PROXIED = { proxy: { url: 'http://proxy.example:3128' } };
const OWN = { registry: 'steps', insert: [{ step: 'own-check', after: 'registry' }] };

const remote = (login: Part) => ({ bastion: { address: 'bastion.example', ...login } });
const REMOTE = remote({});

/** One change for each field; a new field that is not here fails the first test. */
const CASES: Readonly<Record<string, Case>> = {
  name: { after: { name: 'south' } },
  mode: { after: { mode: 'private' } },
  'release.version': { after: { release: { version: '4.18.3' } } },
  'release.image': { after: { release: { image: 'quay.io/a/b:1' } } },
  'release.channel': { after: { release: { channel: 'eus-4.18' } } },
  'release.architecture': { after: { release: { architecture: 'arm64' } } },
  'platform.type': { after: { platform: { type: 'lab' } } },
  'bastion.address': { after: { bastion: { address: 'bastion.example' } } },
  'bastion.ami': { before: AWS, after: { ...AWS, bastion: { ami: 'ami-1' } } },
  'bastion.user': {
    before: KEYED,
    after: { ...KEYED, bastion: { user: 'ops', sshKey: 'id.pub' } },
  },
  'bastion.sshKey': { before: AWS, after: KEYED },
  'bastion.port': { before: REMOTE, after: remote({ port: 2222 }) },
  'bastion.privateKey': { before: REMOTE, after: remote({ privateKey: 'id' }) },
  'bastion.jump': { before: REMOTE, after: remote({ jump: 'door.example' }) },
  'bastion.knownHosts': { before: REMOTE, after: remote({ knownHosts: 'known_hosts' }) },
  'bastion.hostKeys': { before: REMOTE, after: remote({ hostKeys: ['ssh-ed25519 AAAA'] }) },
  'bastion.directory': { before: REMOTE, after: remote({ directory: '/srv/atoll' }) },
  'bastion.allowFrom': { before: AWS, after: { ...AWS, bastion: { allowFrom: ['10.0.0.0/8'] } } },
  'registry.type': { after: { registry: { type: 'existing' } } },
  'registry.host': { after: { registry: { host: 'mirror.example' } } },
  'registry.port': { after: { registry: { port: 5001 } } },
  'registry.path': { after: { registry: { path: 'ocp' } } },
  'registry.storage': { after: { registry: { storage: 'content' } } },
  'registry.ca': { before: EXISTING, after: { registry: { ...EXISTING.registry, ca: 'ca.pem' } } },
  'registry.authfile': {
    before: EXISTING,
    after: { registry: { ...EXISTING.registry, authfile: 'mirror.json' } },
  },
  'proxy.enabled': { before: AWS, after: PROXY },
  'proxy.port': { before: PROXY, after: { ...AWS, proxy: { enabled: true, port: 3129 } } },
  'proxy.host': { before: PROXY, after: { ...AWS, proxy: { enabled: true, host: 'p.example' } } },
  'proxy.image': { before: PROXY, after: { ...AWS, proxy: { enabled: true, image: 'q.io/s:1' } } },
  'proxy.publicUrl': {
    before: PROXIED,
    after: { proxy: { ...PROXIED.proxy, publicUrl: 'http://out.example:3128' } },
  },
  'proxy.url': { after: { proxy: { url: 'http://proxy.example:3128' } } },
  'mirror.imageSet': { after: { mirror: { imageSet: 'other-set.yaml' } } },
  'mirror.operators': {
    after: { mirror: { operators: [{ catalog: 'registry.redhat.io/redhat/index:v4.18' }] } },
  },
  'mirror.additionalImages': {
    after: { mirror: { additionalImages: [{ name: 'quay.io/a/b:1' }] } },
  },
  'mirror.flow': { after: { mirror: { flow: 'bundle' } } },
  'mirror.bundle': {
    before: { mirror: { flow: 'bundle' } },
    after: { mirror: { flow: 'bundle', bundle: 'disk' } },
  },
  'mirror.graph': { after: { mirror: { graph: 'graph.json' } } },
  'mirror.signatureStore': { after: { mirror: { signatureStore: 'file:///srv/signatures' } } },
  'mirror.releaseKey': { after: { mirror: { releaseKey: 'none.asc' } } },
  'mirror.sigstoreKey': { after: { mirror: { sigstoreKey: 'none.pub' } } },
  'mirror.registriesConf': { after: { mirror: { registriesConf: 'registries.conf' } } },
  'mirror.ca': { after: { mirror: { ca: 'ca.pem' } } },
  'cluster.name': { after: { cluster: { name: 'south' } } },
  'cluster.baseDomain': { after: { cluster: { baseDomain: 'south.example' } } },
  'cluster.pullSecret': { after: { cluster: { pullSecret: 'mirror.json' } } },
  'cluster.sshKey': { after: { cluster: { sshKey: 'id.pub' } } },
  'cluster.controlPlane': { after: { cluster: { controlPlane: 1 } } },
  'cluster.workers': { after: { cluster: { workers: 5 } } },
  'cluster.machineNetwork': { after: { cluster: { machineNetwork: '10.1.0.0/16' } } },
  'cluster.clusterNetwork': { after: { cluster: { clusterNetwork: '10.124.0.0/14' } } },
  'cluster.hostPrefix': { after: { cluster: { hostPrefix: 24 } } },
  'cluster.serviceNetwork': { after: { cluster: { serviceNetwork: '172.29.0.0/16' } } },
  'cluster.credentialsMode': { after: { cluster: { credentialsMode: 'Manual' } } },
  'cluster.fips': { after: { cluster: { fips: true } } },
  'cluster.osImageStream': { after: { cluster: { osImageStream: 'rhel-10' } } },
  'cluster.disabledCapabilities': { after: { cluster: { disabledCapabilities: ['Console'] } } },
  'postInstall.defaultCatalogs': { after: { postInstall: { defaultCatalogs: true } } },
  'postInstall.samples': { after: { postInstall: { samples: 'Managed' } } },
  'cluster.rehearse': { after: { cluster: { rehearse: false } } },
  'postInstall.telemetry': { after: { postInstall: { telemetry: true } } },
  'postInstall.ntpServers': { after: { postInstall: { ntpServers: ['ntp.example'] } } },
  'steps.registry': { after: { steps: { registry: 'other-steps' } } },
  'steps.skip': { after: { steps: { skip: ['verify'] } } },
  'steps.insert.step': {
    before: { steps: OWN },
    after: { steps: { ...OWN, insert: [{ step: 'other', after: 'registry' }] } },
  },
  'steps.insert.before': {
    before: { steps: OWN },
    after: { steps: { ...OWN, insert: [{ step: 'own-check', before: 'registry' }] } },
  },
  'steps.insert.after': {
    before: { steps: OWN },
    after: { steps: { ...OWN, insert: [{ step: 'own-check', after: 'images' }] } },
  },
  'steps.insert.env': {
    before: { steps: OWN },
    after: {
      steps: { ...OWN, insert: [{ step: 'own-check', after: 'registry', env: { WORD: 'hi' } }] },
    },
  },
};

/** Fields that only a platform which makes its bastion reads; on any other they are refused. */
const OF_A_MADE_BASTION: readonly Change[] = [
  { bastion: { user: 'ops' } },
  { bastion: { port: 2222 } },
  { bastion: { privateKey: 'id' } },
  { bastion: { jump: 'door.example' } },
  { bastion: { knownHosts: 'known_hosts' } },
  { bastion: { hostKeys: ['ssh-ed25519 AAAA'] } },
  { bastion: { directory: '/srv/atoll' } },
  { bastion: { sshKey: 'id.pub' } },
  { bastion: { allowFrom: ['10.0.0.0/8'] } },
  { bastion: { ami: 'ami-1' } },
];

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

function leavesOf({ properties, items }: JsonSchema, path: readonly string[] = []): string[] {
  if (properties)
    return Object.entries(properties).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  return items?.properties ? leavesOf(items, path) : [path.join('.')];
}

const kindOf = (type: string) => {
  const kind = PLATFORMS.find(({ name }) => name === type);
  if (!kind) throw new Error(`There is no platform ${type}`);
  return kind;
};

const PLATFORM_FIELDS = PLATFORMS.flatMap(({ name, settings }) => {
  const schema = z.toJSONSchema(settings, { io: 'input' }) as JsonSchema;
  const leaves = leavesOf(schema).filter((leaf) => leaf !== 'type');
  return leaves.map((leaf) => [name, leaf] as const);
});

/** A copy with another value at this place. */
function changed(part: Part, [key = '', ...rest]: readonly string[]): Part {
  const value = part[key];
  if (rest.length > 0) return { ...part, [key]: changed((value ?? {}) as Part, rest) };
  if (typeof value === 'string') return { ...part, [key]: `${value}2` };
  return {
    ...part,
    [key]: Array.isArray(value) ? [...value, '10.0.0.9'] : (OTHER[key] ?? 'other'),
  };
}

/** Where a word does not do. */
const OTHER: Part = { zones: ['us-east-1a'], subnets: ['subnet-1'], port: 9441, hostedZone: 'Z1' };

const LOGIN = 'username: admin\npassword: hunter22\n';

const FILES = {
  'vcenter.yaml': LOGIN,
  'prism.yaml': LOGIN,
  'id.pub': 'ssh-ed25519 AAAA a@b\n',
  'ca.pem': 'another CA\n',
  'mirror.json': '{"auths":{"mirror.example:5000":{"auth":"YTpi"}}}',
  'steps/own-check/own-check-ref.yaml':
    "ref: { as: own-check, commands: 'true', env: [{ name: WORD, default: x }] }\n",
};

/** Everything that is made of a site, as text; or why it is refused. */
async function madeOf(change: Change): Promise<string> {
  const { site: path, folder } = await siteFolder(change as Record<string, object>, FILES);
  const text = await tryText(async () => {
    const site = await readSite(path, {}, PLATFORMS);
    await mirrorRelease(site);
    const parts = [...inputsOf(site), ...stagesOf(site)];
    return JSON.stringify(await Promise.all(parts.map(tryText)));
  });
  return text.replaceAll(folder, '');
}

async function tryText(make: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await make()) ?? '';
  } catch (error) {
    return messageOf(error);
  }
}

async function mirrorRelease(site: Site): Promise<void> {
  const digest = digestOf('release');
  const source = parseReference('quay.io/openshift-release-dev/ocp-release:4.18.2');
  const image = { kind: 'release' as const, source, digest, reason: 'asked for' };
  const target = parseReference('mirror.example:5000/openshift/release-images:4.18.2');
  await new WorkingDir(sitePaths(site).mirror).addMirrored([{ image, target, digest }]);
}

function inputsOf(site: Site): (() => unknown)[] {
  const inputs = siteInputs(site, 'so-far');
  const { site: _site, paths, ...rest } = inputs;
  const { installFacts, ...makers } = rest;
  return [() => paths, () => installFacts(new Date(0)), ...Object.values(makers)];
}

function stagesOf(site: Site): (() => unknown)[] {
  const ctx = silentContext();
  const work = async () => {
    const open = await openSite(ctx, site, {}, 'look');
    await open.close();
    return open.work;
  };
  return [
    () => siteImageSet(site),
    () => clusterObjects(siteInputs(site, 'so-far')),
    async () => (await openPlatform(site)).plan(),
    async () => registryOptions(await work()),
    async () => collectOptions(await work()),
    async () => {
      const { steps } = await siteWorkflow(ctx, await work());
      // The inputs of stages are only what they say; those of scripts are what runs.
      return await Promise.all(
        steps.map(async ({ id, needs, plan, inputs }) => [id, needs, plan ? await plan() : inputs]),
      );
    },
  ];
}

async function collectOptions(work: Parameters<typeof siteCollectDeps>[0]) {
  const registries = createRegistries(registryOptions(work));
  try {
    const { deps, close } = await siteCollectDeps(work, registries);
    close();
    const { graph, signatureStores, releaseKeys, sigstoreKey } = deps;
    return { graph, signatureStores, keys: [releaseKeys?.length, sigstoreKey !== undefined] };
  } finally {
    await registries.close();
  }
}

describe('a site file', () => {
  test('has no field that the table above forgets', () => {
    const anyPlatform = z.looseObject({ type: z.string() });
    const schema = z.toJSONSchema(siteSchema(anyPlatform), { io: 'input' }) as JsonSchema;

    expect(leavesOf(schema).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  test.each(Object.entries(CASES))('is not the same with another %s', async (_, change) => {
    expect(await madeOf(change.after)).not.toBe(await madeOf(change.before ?? {}));
  });

  test.each(PLATFORM_FIELDS)(
    'on %s is not the same with another platform.%s',
    async (name, field) => {
      const { init } = kindOf(name);
      const before = { type: name, ...init.example };

      const after = changed(before, field.split('.'));

      expect(await madeOf({ platform: after })).not.toBe(await madeOf({ platform: before }));
    },
  );

  test.each(OF_A_MADE_BASTION)(
    'is refused by plan, up and validate where nobody reads %j',
    async (change) => {
      const { site: path } = await siteFolder(change as Record<string, object>, FILES);
      const site = await readSite(path, {}, PLATFORMS);
      const open = await openSite(silentContext(), site, {}, 'look');
      await open.close();

      const refused = siteWorkflow(silentContext(), open.work);
      await expect(refused).rejects.toBeInstanceOf(AtollError);
      await expect(refused).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        hint: expect.any(String),
      });
    },
  );
});

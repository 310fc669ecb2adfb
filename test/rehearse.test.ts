import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { toYaml } from '../src/core/yaml.ts';
import { policyJson } from '../src/generate/policy-json.ts';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { createCa } from '../src/registry/tls/certificates.ts';
import { findConfigFiles } from '../src/rehearse/node/config-files.ts';
import { openNode } from '../src/rehearse/node/open-node.ts';
import { readNodeConfig } from '../src/rehearse/node/read-config.ts';
import type { FullRehearsal } from '../src/rehearse/rehearse.ts';
import { playStorm } from '../src/rehearse/storm/play-storm.ts';
import { pullPlan } from '../src/rehearse/storm/shares.ts';
import { freePort } from './support/docker-registry.ts';
import {
  fillStore,
  generateConfig,
  holesOf,
  LOGIN,
  MIRROR_NAME,
  type MirrorChoices,
  type NodeChoices,
  rehearseFolder,
  startMirror,
  type TestMirror,
  usualRules,
  type Wanted,
} from './support/rehearsal.ts';
import { UPSTREAM, upstreamEntries } from './support/upstream.ts';

// A whole upstream is pushed first, and a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const RELEASE_REPOSITORY = 'quay.io/openshift-release-dev/ocp-release';
const RELEASE = `${RELEASE_REPOSITORY}:4.18.1-x86_64`;
const COMPONENTS = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev';
const CATALOG = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';
const HELM = 'quay.io/openshifttest/helm:3.17.0';
const TOOL = 'registry.redhat.io/openshift4/ose-kube-rbac-proxy:v4.18';
const MULTI = 'quay.io/openshifttest/hello-openshift:multiarch';
const YEAR_MS = 365 * 86_400_000;

let store: Awaited<ReturnType<typeof fillStore>>;
/** For tests that change only what nodes have. */
let good: TestMirror;

beforeAll(async () => {
  store = await fillStore();
  good = await startMirror(store.root);
});
afterAll(async () => {
  await good?.stop();
  await store?.remove();
});

/** An empty mirror of its own: enough to shake hands with. */
async function anotherMirror(choices?: MirrorChoices): Promise<TestMirror> {
  const mirror = await startMirror(undefined, choices);
  onTestFinished(mirror.stop);
  return mirror;
}

async function rehearseWith(
  mirror: TestMirror,
  wanted: Wanted,
  choices: NodeChoices = {},
  depth: 'head' | 'full' = 'head',
): Promise<FullRehearsal> {
  return await rehearseFolder(await generateConfig(mirror, choices), wanted, { depth });
}

async function digestOf(reference: string): Promise<string> {
  const entry = (await upstreamEntries()).find((one) => one.reference === reference);
  if (!entry) throw new Error(`No ${reference} in the fixture`);
  return entry.digest;
}

const onlyFinding = ({ rehearsal }: FullRehearsal) => {
  expect(rehearsal.findings).toHaveLength(1);
  return rehearsal.findings[0];
};

describe('rehearse finds no hole', () => {
  test('in a mirror that has everything: release, catalog, bundles, operands, extra images', async () => {
    const wanted = { releases: [RELEASE], catalogs: [CATALOG], images: [HELM, MULTI] };

    const { rehearsal } = await rehearseWith(good, wanted, {}, 'full');

    expect(rehearsal).toMatchObject({ clean: true, findings: [], unread: [], openSources: [] });
    expect(rehearsal.images).toBeGreaterThan(50);
    expect(rehearsal.pullable).toBe(rehearsal.images);
    expect(rehearsal.downloadedBytes).toBeGreaterThan(100_000);
  });

  test('in signatures that the policy demands, verified with its key', async () => {
    const files = {
      'policy.json': policyJson({
        scopes: { [RELEASE_REPOSITORY]: { type: 'sigstore', keyPath: '/etc/pki/cosign.pub' } },
      }),
      'cosign.pub': await readFile(join(UPSTREAM, 'cosign.pub'), 'utf8'),
    };

    const { rehearsal } = await rehearseWith(good, { releases: [RELEASE] }, { files });

    expect(rehearsal).toMatchObject({ clean: true, findings: [], unchecked: [] });
  });
});

describe('rehearse finds and names, all in one mirror,', () => {
  const etcd = `${COMPONENTS}:4.18.1-x86_64-etcd`;
  const operand = 'registry.redhat.io/quay/quay-rhel8:v3.13.0';
  let mirror: TestMirror;
  let result: FullRehearsal;

  beforeAll(async () => {
    mirror = await startMirror(store.root);
    await mirror.remove(`openshift-release-dev/ocp-v4.0-art-dev/manifests/${await digestOf(etcd)}`);
    await mirror.remove(`quay/quay-rhel8/manifests/${await digestOf(operand)}`);
    await mirror.remove(`openshift-release-dev/ocp-release/manifests/${await signatureTag()}`);
    await rm(mirror.blobFile(await layerOf(mirror, HELM)));
    await damage(mirror.blobFile(await layerOf(mirror, TOOL)));
    const scopes = { [RELEASE_REPOSITORY]: { type: 'sigstore', keyPath: '/cosign.pub' } } as const;
    const files = { 'policy.json': policyJson({ scopes }) };
    const images = [HELM, TOOL, await byDigest(TOOL)];
    const wanted = {
      releases: [RELEASE],
      catalogs: [CATALOG],
      packages: ['quay-operator'],
      images,
    };
    const head = await rehearseWith(mirror, { images: [TOOL] });
    expect(head.rehearsal.clean).toBe(true);
    result = await rehearseWith(mirror, wanted, { files }, 'full');
  });
  afterAll(() => mirror?.stop());

  const finding = (cause: string) => result.rehearsal.findings.find((one) => one.cause === cause);

  test('nothing but the five that were planted', () => {
    expect(
      holesOf(result)
        .map(({ cause }) => cause)
        .toSorted(),
    ).toEqual([
      'layer-damaged',
      'layer-missing',
      'manifest-missing',
      'operand-unmirrored',
      'signature-missing',
    ]);
  });

  test('a missing manifest, with its rule and the command that brings it', async () => {
    const digest = await digestOf(etcd);

    expect(finding('manifest-missing')).toMatchObject({
      fault: 'content',
      title: `${mirror.host} lacks images of release 4.18.1`,
      rule: expect.stringContaining(`quay.io → ${mirror.host}`),
      commands: [
        `atoll mirror copy docker://${COMPONENTS}@${digest} docker://${mirror.host}/openshift-release-dev/ocp-v4.0-art-dev@${digest}`,
      ],
      images: [{ name: `${COMPONENTS}@${digest}`, reason: 'component etcd of release 4.18.1' }],
    });
  });

  test('a missing layer', () => {
    expect(finding('layer-missing')).toMatchObject({
      images: [{ name: HELM }],
      evidence: [expect.stringMatching(/openshifttest\/helm: blob sha256:\w+ unknown/)],
    });
  });

  test('a damaged layer, once for all images that need it, and only by reading it', async () => {
    expect(finding('layer-damaged')).toMatchObject({
      images: [{ name: TOOL }, { name: await byDigest(TOOL) }],
      commands: [
        'atoll registry check --repair-from registry.redhat.io',
        expect.anything(),
        expect.anything(),
      ],
    });
  });

  test('an operand that was not mirrored, with its operator', async () => {
    expect(finding('operand-unmirrored')).toMatchObject({
      title: `${mirror.host} lacks images of operator quay-operator`,
      images: [
        {
          name: `registry.redhat.io/quay/quay-rhel8@${await digestOf(operand)}`,
          reason: 'operand of quay-operator.v3.13.0',
        },
      ],
    });
  });

  test('a missing signature that the policy demands', async () => {
    expect(finding('signature-missing')).toMatchObject({
      rule: expect.stringContaining(`policy.json: ${RELEASE_REPOSITORY}: sigstoreSigned`),
      images: [{ name: `${RELEASE_REPOSITORY}@${await digestOf(RELEASE)}` }],
      commands: [expect.stringContaining('atoll mirror copy docker://quay.io')],
    });
  });
});

describe('rehearse finds and names', () => {
  test('a CA that is not the one nodes trust', async () => {
    const { certificate } = await createCa('another CA', { now: new Date(), days: 30 });

    const result = await rehearseWith(good, { images: [HELM] }, { ca: certificate });

    expect(holesOf(result)).toEqual([{ cause: 'certificate-untrusted', images: [HELM] }]);
    expect(onlyFinding(result)).toMatchObject({
      fault: 'configuration',
      title: `Nodes do not trust the certificate of ${good.host}`,
      rule: expect.stringContaining('ca.crt must hold the CA'),
      evidence: [expect.stringContaining('CN=rehearsal CA')],
    });
  });

  test('nothing where nodes trust the certificate itself and not the CA above it', async () => {
    const ca = await readFile(join(good.root, '..', 'server.crt'), 'utf8');

    const result = await rehearseWith(good, { images: [HELM] }, { ca });

    expect(holesOf(result)).toEqual([]);
  });

  test('a name that the certificate does not list', async () => {
    const mirror = await anotherMirror({ names: ['other.test'] });

    const result = await rehearseWith(mirror, { images: [HELM] });

    expect(holesOf(result)).toEqual([{ cause: 'certificate-name', images: [HELM] }]);
    expect(onlyFinding(result)?.commands).toEqual([
      `atoll registry renew --dir REGISTRY_FOLDER --host ${MIRROR_NAME},other.test`,
    ]);
  });

  test('an expired certificate', async () => {
    const mirror = await anotherMirror({ issued: new Date(Date.now() - YEAR_MS), days: 30 });

    const result = await rehearseWith(mirror, { images: [HELM] });

    expect(holesOf(result)).toEqual([{ cause: 'certificate-expired', images: [HELM] }]);
    expect(onlyFinding(result)?.evidence[0]).toMatch(/^not after 20/);
  });

  test('a certificate that ends soon, as a warning', async () => {
    const mirror = await anotherMirror({ days: 20 });

    const { rehearsal } = await rehearseWith(mirror, { images: [HELM] });

    expect(rehearsal.findings).toMatchObject([
      { cause: 'manifest-missing', severity: 'hole' },
      { cause: 'certificate-expiring', severity: 'warning' },
    ]);
  });

  test('an absent credential', async () => {
    const result = await rehearseWith(good, { images: [HELM, MULTI] }, { login: undefined });

    expect(holesOf(result)).toEqual([{ cause: 'credential-absent', images: [HELM, MULTI] }]);
    expect(onlyFinding(result)).toMatchObject({
      rule: expect.stringContaining(`must have an entry "${good.host}"`),
      commands: [expect.stringContaining(`--registry ${good.host} --username NAME`)],
    });
  });

  test('an absent credential for some images, and not for those that a namespace has one for', async () => {
    const auth = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64');
    const secret = { auths: { [`${good.host}/openshift4`]: { auth } } };
    const files = { 'pull-secret.json': JSON.stringify(secret) };

    const result = await rehearseWith(good, { images: [HELM, MULTI, TOOL] }, { files });

    expect(holesOf(result)).toEqual([{ cause: 'credential-absent', images: [HELM, MULTI] }]);
  });

  test('a release that the nodes find, and the bootstrap machine looks for elsewhere', async () => {
    const elsewhere = { source: RELEASE_REPOSITORY, mirrors: [`${good.host}/elsewhere`] };
    const components = { source: COMPONENTS, mirrors: [`${good.host}/${COMPONENTS.slice(8)}`] };
    const files = {
      'install-config.yaml': toYaml({
        ...{ metadata: { name: 'site' }, baseDomain: 'example.com', platform: { none: {} } },
        pullSecret: '{"auths":{}}',
        imageDigestSources: [elsewhere, components],
      }),
    };
    const rules = [
      { source: RELEASE_REPOSITORY, mirrors: [`${good.host}/${RELEASE_REPOSITORY.slice(8)}`] },
      ...usualRules(good.host),
    ];

    const releases = [await byDigest(RELEASE)];

    const result = await rehearseWith(good, { releases }, { rules, files });

    expect(holesOf(result)).toEqual([{ cause: 'rule-missing-on-bootstrap', images: releases }]);
    expect(result.rehearsal.findings.at(0)?.evidence).toEqual([
      `${good.host}/elsewhere does not serve it; nodes find it at ${good.host}/${RELEASE_REPOSITORY.slice(8)}`,
    ]);
  });

  test('a release for another architecture than that of the nodes', async () => {
    const files = {
      'install-config.yaml': toYaml({
        ...{ metadata: { name: 'site' }, baseDomain: 'example.com', platform: { none: {} } },
        controlPlane: { name: 'master', architecture: 'arm64' },
        pullSecret: '{"auths":{}}',
        imageDigestSources: usualRules(good.host).map(({ source, mirrors }) => ({
          source,
          mirrors,
        })),
      }),
    };

    const result = await rehearseWith(good, { releases: [await byDigest(RELEASE)] }, { files });

    expect(holesOf(result).map(({ cause }) => cause)).toEqual(['platform-missing']);
    expect(result.rehearsal.findings[0]).toMatchObject({
      title: `${good.host} has images that do not run on linux/arm64`,
      evidence: expect.arrayContaining([expect.stringMatching(/ is for linux\/amd64$/)]),
    });
  });

  test('a wrong password, without trying it once for every image', async () => {
    const login = { ...LOGIN, password: 'yesterdays-password' };
    const images = (await upstreamEntries())
      .map(({ reference }) => reference)
      .filter((name) => /^registry\.redhat\.io\/.*:v/.test(name))
      .slice(0, 30);

    const result = await rehearseWith(good, { images }, { login });

    expect(holesOf(result)).toEqual([{ cause: 'credential-wrong', images }]);
    expect(JSON.stringify(result.rehearsal)).not.toContain(login.password);
    expect(onlyFinding(result)?.rule).toContain(`user "${LOGIN.username}"`);
  });

  test('a signature that the policy cannot take for one of the image', async () => {
    const keyData = await readFile(join(UPSTREAM, 'cosign.pub'), 'base64');
    const accept = { type: 'insecureAcceptAnything' };
    const docker = { [RELEASE_REPOSITORY]: [{ type: 'sigstoreSigned', keyData }] };
    const policy = JSON.stringify({ default: [accept], transports: { docker } });
    const image = await byDigest(RELEASE);

    const result = await rehearseWith(
      good,
      { images: [image] },
      { files: { 'policy.json': policy } },
    );

    expect(holesOf(result)).toEqual([{ cause: 'signature-wrong', images: [image] }]);
    expect(onlyFinding(result)?.evidence[0]).toContain(`it was signed as ${RELEASE_REPOSITORY}`);
  });

  test('nothing but what it did not look at where certificates vouch for signatures', async () => {
    const signed = { type: 'sigstoreSigned', fulcio: {}, rekorPublicKeyPath: '/etc/rekor.pub' };
    const policy = JSON.stringify({ default: [signed] });
    const image = await byDigest(RELEASE);

    const { rehearsal } = await rehearseWith(
      good,
      { images: [image] },
      { files: { 'policy.json': policy } },
    );

    expect(rehearsal).toMatchObject({
      findings: [],
      unchecked: [
        expect.stringMatching(/certificates of Fulcio: signatures were only looked for$/),
        expect.stringMatching(/entries of Rekor$/),
      ],
    });
  });

  test('an image by tag under a rule for digests only', async () => {
    const result = await rehearseWith(good, { images: [HELM] }, { tagRules: [] });

    expect(holesOf(result)).toEqual([{ cause: 'tag-under-digest-rule', images: [HELM] }]);
    expect(onlyFinding(result)).toMatchObject({
      rule: expect.stringContaining('mirror set "digests"'),
      commands: [`atoll render mirror-sets --tag-rule quay.io=${good.host}`],
    });
  });

  test('an operand that no rule covers', async () => {
    const rules = [
      {
        source: 'registry.redhat.io/redhat',
        mirrors: [`${good.host}/redhat`],
        policy: 'NeverContactSource',
      },
    ] as const;
    const wanted = { catalogs: [CATALOG], packages: ['mcg-operator'] };

    const result = await rehearseWith(good, wanted, { rules, tagRules: rules });

    expect(holesOf(result).map(({ cause }) => cause)).toContain('operand-unmirrored');
    expect(result.rehearsal.findings.map(({ title }) => title)).toContain(
      'No mirror rule covers registry.redhat.io/odf4',
    );
  });

  test('a name that nobody resolves, and a mirror that does not run', async () => {
    const nameless = await rehearseWith(good, { images: [HELM] }, { files: { hosts: '' } });
    const port = await freePort();
    const gone = { ...good, host: `${MIRROR_NAME}:${port}` };
    const silent = await rehearseWith(gone, { images: [HELM] });

    expect(holesOf(nameless)).toEqual([{ cause: 'name-unresolved', images: [HELM] }]);
    expect(onlyFinding(nameless)?.commands).toEqual([
      `atoll render hosts --host ADDRESS=${MIRROR_NAME} --to hosts`,
    ]);
    expect(holesOf(silent)).toEqual([{ cause: 'mirror-unreachable', images: [HELM] }]);
  });

  test('a mirror without TLS: a hole, or a warning where the rules allow it', async () => {
    const host = good.plainHost;
    const plain = { ...good, host };
    const rules = [{ source: 'quay.io', mirrors: [host], policy: 'NeverContactSource' }] as const;
    const conf = registriesConf({ rules, tagRules: rules, insecure: [host] });

    const strict = await rehearseWith(plain, { images: [HELM] });
    const lax = await rehearseWith(
      plain,
      { images: [HELM] },
      { files: { 'registries.conf': conf } },
    );

    expect(holesOf(strict)).toEqual([{ cause: 'tls-not-spoken', images: [HELM] }]);
    expect(lax.rehearsal).toMatchObject({ clean: true, pullable: 1 });
    expect(lax.rehearsal.findings.map(({ cause }) => cause).toSorted()).toEqual([
      'mirror-on-loopback',
      'tls-not-verified',
    ]);
  });

  test('a mirror without TLS under the one rule that does not allow it', async () => {
    const host = good.plainHost;
    const table = (source: string, insecure: boolean) =>
      `[[registry]]\nlocation = "${source}"\nblocked = true\n[[registry.mirror]]\nlocation = "${host}"\ninsecure = ${insecure}\n`;
    const conf = table('quay.io', true) + table('registry.redhat.io', false);

    const result = await rehearseWith(
      { ...good, host },
      { images: [HELM, TOOL] },
      { files: { 'registries.conf': conf } },
    );

    expect(holesOf(result)).toEqual([{ cause: 'tls-not-spoken', images: [TOOL] }]);
  });

  test('an upstream that is not blocked and answers', async () => {
    const upstream = createServer((socket) => socket.destroy());
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.2', done));
    onTestFinished(() => void upstream.close());
    const { port } = upstream.address() as { port: number };
    const source = `upstream.test:${port}`;
    const rule = { source, mirrors: [good.host] };
    const wanted = { images: [`${source}/openshifttest/helm:3.17.0`] };
    const names = { 'upstream.test': '127.0.0.2' };

    const open = await rehearseWith(good, wanted, { rules: [rule], tagRules: [rule], names });
    const shut = await rehearseWith(good, wanted, {
      rules: [{ ...rule, policy: 'NeverContactSource' }],
      tagRules: [{ ...rule, policy: 'NeverContactSource' }],
      names,
    });
    const nowhere = await rehearseWith(good, wanted, { rules: [rule], tagRules: [rule] });

    expect(holesOf(open)).toEqual([{ cause: 'upstream-reachable', images: [] }]);
    expect(onlyFinding(open)).toMatchObject({
      title: `Nodes can reach ${source}, and no rule blocks it`,
      evidence: [`127.0.0.2, port ${port}, accepts connections`],
      commands: [expect.stringContaining('--never-contact-source'), expect.anything()],
    });
    expect(shut.rehearsal).toMatchObject({ clean: true, openSources: [] });
    expect(nowhere.rehearsal).toMatchObject({ clean: true, openSources: [source] });
  });
});

test('playStorm leaves the public roots out only where the trust bundle will do', async () => {
  const folder = await generateConfig(good);
  const { checks } = await rehearseFolder(folder, { images: [HELM] });
  const files = await findConfigFiles(folder);
  const node = await openNode(await readNodeConfig(files, { dns: false, architectures: [] }));
  onTestFinished(node.close);
  const { certificate } = await createCa('for somebody else', { now: new Date(), days: 30 });
  const file = join(folder, 'other.pem');
  await writeFile(file, certificate);
  const leanOptions = { ...node.leanOptions, env: { SSL_CERT_FILE: file } };

  const storm = await playStorm(silentContext(), { ...node, leanOptions }, pullPlan(checks, 3));

  expect(storm).toMatchObject({ images: 1, failed: 0, errors: [] });
});

const signatureTag = async () => `${(await digestOf(RELEASE)).replace(':', '-')}.sig`;

async function byDigest(reference: string): Promise<string> {
  return `${reference.replace(/:[^:/]+$/, '')}@${await digestOf(reference)}`;
}

/** The last layer of an image, as the mirror has it; of an index, of its first image. */
async function layerOf(mirror: TestMirror, reference: string): Promise<string> {
  let digest = await digestOf(reference);
  for (;;) {
    const manifest = JSON.parse(await readFile(mirror.blobFile(digest), 'utf8'));
    if (manifest.layers) return manifest.layers.at(-1).digest;
    digest = manifest.manifests[0].digest;
  }
}

/** Changes one bit, so that only the digest tells. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

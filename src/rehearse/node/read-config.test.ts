import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { toYaml } from '../../core/yaml.ts';
import { imageDigestMirrorSet } from '../../generate/mirror-sets.ts';
import { routeOf } from '../check/lookup.ts';
import { wantedImage } from '../images/wanted-image.ts';
import { findConfigFiles, joinFiles, NO_FILES } from './config-files.ts';
import { parseHosts } from './hosts.ts';
import { confOfSets, readRuleSets, setFilesOf } from './mirror-rules.ts';
import { nodeNames, openNode } from './open-node.ts';
import { readNodeConfig } from './read-config.ts';

const MIRROR = 'mirror.example:5000';
const INSTALL_CONFIG = {
  metadata: { name: 'site' },
  baseDomain: 'example.com',
  platform: { none: {} },
  controlPlane: { name: 'master', architecture: 'arm64' },
  compute: [{ name: 'worker', architecture: 'amd64' }],
  pullSecret: '{"auths":{"mirror.example:5000":{"auth":"bm9kZXM6c2VjcmV0"}}}',
  additionalTrustBundle: 'PEM',
  imageDigestSources: [{ source: 'quay.io/org/release', mirrors: [`${MIRROR}/release`] }],
  proxy: { httpsProxy: 'http://proxy.example:3128', noProxy: '.example.com' },
  networking: { machineNetwork: [{ cidr: '10.0.0.0/16' }] },
};
const CHOICES = { dns: false, architectures: [] };

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

test('readNodeConfig takes rules, secret, trust, proxy and architectures from an install-config', async () => {
  const folder = await folderWith({ 'install-config.yaml': toYaml(INSTALL_CONFIG) });

  const config = await readNodeConfig(await findConfigFiles(folder), CHOICES);

  expect(config.conf.registries).toMatchObject([
    {
      prefix: 'quay.io/org/release',
      mirrorByDigestOnly: true,
      origins: [
        {
          kind: 'install-config',
          name: 'imageDigestSources',
          path: expect.stringMatching(/install-config\.yaml$/),
        },
      ],
    },
  ]);
  expect(Object.keys(config.pullSecret.auths)).toEqual([MIRROR]);
  expect(config.trustBundle).toBe('PEM');
  expect(config.proxy).toEqual({
    HTTPS_PROXY: 'http://proxy.example:3128',
    NO_PROXY: '.example.com,localhost,127.0.0.1,.svc,.cluster.local,10.0.0.0/16',
  });
  expect(config.platforms.map(({ architecture }) => architecture)).toEqual(['arm64', 'amd64']);
});

test('routeOf finds a rule that the nodes have and the bootstrap machine lacks', async () => {
  const rules = [{ source: 'quay.io/org/parts', mirrors: [`${MIRROR}/parts`] }];
  const folder = await folderWith({
    'install-config.yaml': toYaml(INSTALL_CONFIG),
    'manifests/idms.yaml': toYaml(imageDigestMirrorSet('parts', rules)),
  });
  const node = await openNode(await readNodeConfig(await findConfigFiles(folder), CHOICES));
  const causesOf = (kind: 'component' | 'related', repository: string) => {
    const name = `quay.io/org/${repository}@sha256:${'a'.repeat(64)}`;
    return routeOf(node, wantedImage(kind, name, 'a test'), false).holes.map(({ cause }) => cause);
  };

  expect(causesOf('component', 'release')).toEqual([]);
  expect(causesOf('component', 'parts')).toEqual(['rule-missing-on-bootstrap']);
  expect(causesOf('related', 'parts')).toEqual([]);
  expect(causesOf('related', 'others')).toEqual(['operand-unmirrored']);
  await node.close();
});

test('routeOf finds that the bootstrap machine has no rules at all, unless it may go to the source', async () => {
  const { imageDigestSources: _rules, ...withoutRules } = INSTALL_CONFIG;
  const rules = [{ source: 'quay.io/org', mirrors: [`${MIRROR}/org`] }];
  const folder = await folderWith({
    'install-config.yaml': toYaml(withoutRules),
    'manifests/idms.yaml': toYaml(imageDigestMirrorSet('all', rules)),
  });
  const node = await openNode(await readNodeConfig(await findConfigFiles(folder), CHOICES));
  const image = wantedImage('release', `quay.io/org/release@sha256:${'a'.repeat(64)}`, 'a test');
  const causes = (allowUpstream: boolean) =>
    routeOf(node, image, allowUpstream).holes.map(({ cause }) => cause);

  expect(causes(false)).toEqual(['rule-missing-on-bootstrap']);
  expect(causes(true)).toEqual([]);
  await node.close();
});

test('routeOf tells mirrors that are blocked from mirrors for another kind of pull', async () => {
  const folder = await folderWith({
    'registries.conf': `[[registry]]\nlocation = "quay.io"\nblocked = true\n[[registry.mirror]]\nlocation = "${MIRROR}"\n[[registry]]\nlocation = "${MIRROR}"\nblocked = true\n`,
  });
  const node = await openNode(await readNodeConfig(await findConfigFiles(folder), CHOICES));

  const { holes } = routeOf(node, wantedImage('additional', 'quay.io/org/app:1', 'a test'), false);

  expect(holes).toMatchObject([
    {
      cause: 'blocked-without-mirror',
      title: 'Every mirror of quay.io is blocked itself',
      evidence: `quay.io/org/app:1: ${MIRROR}/org/app may not be contacted`,
    },
  ]);
  await node.close();
});

test('routeOf names the rule that the pull follows, also for a port that the rule does not name', async () => {
  // As containers/image matches: a prefix that is a host covers all its ports.
  const folder = await folderWith({
    'registries.conf': `[[registry]]\nlocation = "reg.example.com"\n[[registry.mirror]]\nlocation = "mirror.example"\n`,
  });
  const node = await openNode(await readNodeConfig(await findConfigFiles(folder), CHOICES));

  const image = wantedImage('additional', 'reg.example.com:5000/a/b:1', 'a test');
  const { endpoints, shown, holes } = routeOf(node, image, false);

  expect(endpoints).toMatchObject([{ reference: { registry: 'mirror.example:5000' } }]);
  expect(shown).toContain('reg.example.com → mirror.example');
  expect(holes).toEqual([]);
  await node.close();
});

test('setFilesOf takes the files of mirror sets, whatever their names hold', async () => {
  const rules = [{ source: 'quay.io/org', mirrors: [`${MIRROR}/org`] }];
  const file = 'this and "that" in one.yaml';
  const folder = await folderWith({ [file]: toYaml(imageDigestMirrorSet('all', rules)) });

  const sets = await readRuleSets(join(folder, file));

  expect(setFilesOf(confOfSets(sets).registries).map((path) => basename(path))).toEqual([file]);
});

test('findConfigFiles knows files by their names and refuses two pull secrets', async () => {
  const folder = await folderWith({
    'etc/registries.conf': '',
    'auth.json': '{}',
    hosts: '',
    'policy.json': '{}',
    'ca.crt': '',
    'certs.d/mirror.example/ca.crt': '',
  });
  const at = (name: string) => join(folder, name);

  expect(await findConfigFiles(folder)).toEqual({
    ...NO_FILES,
    registriesConf: [at('etc/registries.conf')],
    pullSecret: at('auth.json'),
    hosts: at('hosts'),
    policy: at('policy.json'),
    trustBundles: [at('ca.crt')],
    certsDir: at('certs.d'),
  });
  await writeFile(at('pull-secret.json'), '{}');
  await expect(findConfigFiles(folder)).rejects.toThrow('2 files that could be the pull secret');
});

test('joinFiles lets named files win over those of folders', () => {
  const named = { ...NO_FILES, hosts: 'mine', trustBundles: ['a'] };
  const found = { ...NO_FILES, hosts: 'theirs', policy: 'p', trustBundles: ['b'] };

  expect(joinFiles([named, found])).toMatchObject({
    hosts: 'mine',
    policy: 'p',
    trustBundles: ['a', 'b'],
  });
});

test('nodeNames knows the hosts file and, without DNS, nothing else', async () => {
  const hosts = parseHosts('# head\n10.0.0.5 mirror.example mirror # tail\n10.0.0.6 mirror\n');
  const names = nodeNames(hosts, false);

  expect(await names('mirror')).toBe('10.0.0.5');
  expect(await names('localhost')).toBeUndefined();
});

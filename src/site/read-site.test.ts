import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { PLATFORMS } from '../cli/platforms.ts';
import { parseSite, readSite, sitePath } from './read-site.ts';
import { siteJsonSchema } from './schema.ts';
import { sitePaths } from './site-paths.ts';

const GOOD = `# my site
name: north
release:
  version: 4.18.2
platform:
  type: none
registry:
  host: mirror.north.example
cluster:
  name: north
  baseDomain: example.com
  pullSecret: pull-secret.json
`;

const parse = (text: string, env = {}) =>
  parseSite('/sites/north/atoll.yaml', text, env, PLATFORMS);

describe('parseSite', () => {
  test('fills in every default', () => {
    const { site } = parse(GOOD);

    expect(site).toMatchObject({
      mode: 'disconnected',
      registry: { type: 'embedded', port: 5000 },
      proxy: { enabled: false, port: 3128 },
      mirror: { flow: 'sync' },
      cluster: { controlPlane: 3, workers: 2 },
      directory: '/sites/north',
      state: '/sites/north/.atoll',
    });
  });

  test('finds every mistake in one go, with line and column', () => {
    const text = GOOD.replace('version: 4.18.2', 'verson: 4.18.2')
      .replace('type: none', 'type: nowhere')
      .replace('name: north\n  base', 'name: North_1\n  base');

    const { problems } = parse(text);

    expect(problems.map(({ path, line }) => [path, line])).toEqual([
      ['release.verson', 4],
      ['release', 3],
      ['platform.type', 6],
      ['cluster.name', 10],
    ]);
    expect(problems[0]?.hint).toBe('did you mean "version"?');
  });

  test.each([
    ['registry:\n', 'registry:\n  authfile: auth.json\n', 'registry.authfile'],
    ['registry:\n', 'registry:\n  type: existing\n  storage: content\n', 'registry.storage'],
    ['name: north\nrelease', 'name: north\nmirror: { bundle: disk }\nrelease', 'mirror.bundle'],
    ['version: 4.18.2', 'image: quay.io/a/b:1', 'cluster.disabledCapabilities'],
    ['name: north\n', 'name: north\nproxy: { port: 3129 }\n', 'proxy'],
    ['name: north\n', 'name: north\nproxy: { host: p.example }\n', 'proxy'],
    ['registry:\n', 'mode: private\nregistry:\n  type: none\n', 'registry.type'],
  ])('refuses what would be read by nobody: %j', (from, to, path) => {
    const text = path.startsWith('cluster') ? `${GOOD}  disabledCapabilities: [Console]\n` : GOOD;

    expect(parse(text.replace(from, to)).problems.map((problem) => problem.path)).toEqual([path]);
  });

  test('knows what the release can do without, and the nearest to what it cannot', () => {
    const { problems } = parse(`${GOOD}  disabledCapabilities: [Storage, Consol]\n`);

    expect(problems).toMatchObject([
      { path: 'cluster.disabledCapabilities.1', line: 13, hint: 'did you mean "Console"?' },
    ]);
  });

  test('environment variables win over the file', () => {
    const { site } = parse(GOOD.replace('type: none', 'type: aws\n  region: us-east-1'), {
      MIRROR_REGISTRY_HOST: 'bastion.example:8443',
      BASTION_HOST_AMI: 'ami-1',
      CREDENTIALS_MODE: 'Manual',
    });

    expect(site).toMatchObject({
      registry: { host: 'bastion.example', port: 8443 },
      bastion: { ami: 'ami-1' },
      cluster: { credentialsMode: 'Manual' },
    });
    expect(site?.overrides).toContainEqual({ variable: 'BASTION_HOST_AMI', field: 'bastion.ami' });
  });

  test('a variable of another platform does not count', () => {
    const { site } = parse(GOOD, { BASTION_HOST_AMI: 'ami-1' });

    expect(site?.overrides).toEqual([]);
    expect(site?.bastion.ami).toBeUndefined();
  });

  test('a bad value from the environment names the variable', () => {
    const { problems } = parse(GOOD, { CREDENTIALS_MODE: 'Magic' });

    expect(problems).toMatchObject([
      {
        path: 'cluster.credentialsMode',
        line: undefined,
        message: expect.stringContaining('from CREDENTIALS_MODE'),
      },
    ]);
    expect(() => parse(GOOD, { MIRROR_REGISTRY_HOST: 'a:b' })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  });

  test('choices that exclude each other are named where they stand', () => {
    const text = GOOD.replace('  host: mirror.north.example', '  type: existing').concat(
      'mirror:\n  imageSet: set.yaml\n  operators: []\n',
    );

    const { problems } = parse(text);

    expect(problems.map(({ path, line }) => [path, line])).toEqual([
      ['mirror.imageSet', 14],
      ['registry.host', 7],
    ]);
  });

  test('a site without a mirror is private, mirrors nothing, and names its proxy', () => {
    const none = GOOD.replace('  host: mirror.north.example', '  type: none');
    const on = (text: string) => parse(text).problems.map(({ path }) => path);

    expect(on(`mode: private\n${none}`)).toEqual([]);
    expect(on(none)).toEqual(['registry.type']);
    expect(on(`mode: private\n${none}mirror: { operators: [] }\n`)).toEqual(['mirror']);
    const proxied = `mode: private\n${none}proxy: { enabled: true }\n`;
    expect(on(proxied)).toEqual(['proxy.enabled']);
    expect(on(proxied.replace('true', 'true, host: proxy.example'))).toEqual([]);
  });

  test('settings are those of the platform, and others are refused', () => {
    const on = (platform: string) => parse(GOOD.replace('type: none', platform)).problems;

    expect(on('type: aws')).toMatchObject([{ path: 'platform.region', line: 5 }]);
    expect(on('type: aws\n  regoin: us-east-1')).toMatchObject([
      { path: 'platform.region' },
      { path: 'platform.regoin', line: 7, hint: 'did you mean "region"?' },
    ]);
    expect(on('type: none\n  region: us-east-1')).toMatchObject([
      { path: 'platform.region', line: 7, message: 'unknown field "region"' },
    ]);
    expect(on('type: azure')).toMatchObject([
      { message: '"azure" is none of lab, none, aws, vsphere, nutanix' },
    ]);
  });

  test('a file that nobody wrote by hand is refused before it is parsed', () => {
    // Minutes and all memory, if it were parsed.
    const text = `list:\n${'- - a\n'.repeat(8_000_000)}`;

    expect(parse(text).problems).toMatchObject([
      { line: 1, message: expect.stringContaining('characters, more than') },
    ]);
  });

  test('broken YAML is told with its line', () => {
    expect(parse('name: [\n').problems[0]).toMatchObject({ line: 2 });
  });
});

test('readSite lists the mistakes of the file it was given', async () => {
  const path = join(await tempDir(), 'atoll.yaml');
  await writeFile(path, GOOD.replace('mirror.north.example', '"no good"'));

  await expect(readSite(path, {}, PLATFORMS)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(`${path}:8:3: registry.host: not a host name or address`),
  });
});

test('sitePath starts relative paths from the folder of the site', () => {
  expect(sitePath({ directory: '/sites/north' }, 'a/b')).toBe('/sites/north/a/b');
  expect(sitePath({ directory: '/sites/north' }, '/a/b')).toBe('/a/b');
});

test('siteJsonSchema describes fields for editors and allows what has a default to be absent', () => {
  const schema = siteJsonSchema(PLATFORMS) as {
    required: string[];
    properties: Record<string, unknown>;
  };

  expect(schema.required).toEqual(['name', 'release', 'platform', 'cluster']);
  expect(JSON.stringify(schema.properties)).toContain('MIRROR_REGISTRY_HOST');
});

test('sitePaths starts relative folders from the folder of the site, wherever it is run', () => {
  const { site } = parse(
    `${GOOD}mirror:\n  flow: bundle\n  bundle: out\n`.replace(
      'registry:',
      'registry:\n  storage: data/mirror',
    ),
  );

  expect(site && sitePaths(site)).toMatchObject({
    registry: '/sites/north/data/mirror',
    bundle: '/sites/north/out',
  });
});

test('CUSTOM_PROXY_CREDENTIAL is the login of proxies whose URLs name nobody', () => {
  const env = {
    PROXY_PRIVATE_URL: 'http://in.example:3128',
    PROXY_PUBLIC_URL: 'http://own:pass-word@out.example:3128',
    CUSTOM_PROXY_CREDENTIAL: 'ops:hunter:22',
  };

  const { site } = parse(GOOD, env);

  expect(site?.proxy).toMatchObject({
    url: 'http://ops:hunter%3A22@in.example:3128',
    publicUrl: 'http://own:pass-word@out.example:3128',
  });
});

test('readSite of a file that is not there says how one is made or named', async () => {
  const path = join(await tempDir(), 'atoll.yaml');

  await expect(readSite(path, {}, PLATFORMS)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: `Cannot read "${path}": there is no site file`,
    hint: 'Write one with "atoll init", or name yours with --site',
  });
});

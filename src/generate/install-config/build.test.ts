import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatInstallConfig, type InstallConfigInput, installConfig } from './build.ts';
import { parseInstallConfig } from './schema.ts';

const RULES = [
  {
    source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
    mirrors: ['mirror.example:5000/release'],
  },
  {
    source: 'quay.io/openshift-release-dev/ocp-release',
    mirrors: ['mirror.example:5000/release-images'],
  },
];
const BASE = {
  name: 'site',
  baseDomain: 'example.com',
  pullSecret: '{"auths":{"mirror.example:5000":{"auth":"YWRtaW46cHc="}}}',
  sshKey: 'ssh-ed25519 AAAA core@example\n',
  mirrorRules: RULES,
  additionalTrustBundle: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
} satisfies Partial<InstallConfigInput>;
const AWS = {
  type: 'aws',
  region: 'us-east-1',
  subnets: [{ id: 'subnet-0b' }, { id: 'subnet-0a' }],
  zones: ['us-east-1b', 'us-east-1a'],
  hostedZone: 'Z0123',
  userTags: { site: 'a', owner: 'b' },
  controlPlaneType: 'm6i.xlarge',
} as const;
const VIPS = { apiVips: ['10.0.0.2'], ingressVips: ['10.0.0.3'] };
const VSPHERE = {
  ...VIPS,
  type: 'vsphere',
  server: 'vcenter.example',
  username: 'u',
  password: 'p',
  datacenter: 'dc',
  cluster: 'cl',
  datastore: 'ds',
  network: 'VM Network',
  clusterOsImage: 'http://inside.example/rhcos.ova',
} as const;

const INPUTS: Readonly<Record<string, InstallConfigInput>> = {
  'aws-disconnected': {
    ...BASE,
    platform: AWS,
    releaseVersion: '4.19.3',
    publish: 'Internal',
    credentialsMode: 'Manual',
    capabilities: { baseline: 'None', additional: ['Ingress', 'CloudCredential', 'Console'] },
  },
  'aws-private-proxy': {
    ...BASE,
    platform: { ...AWS, zones: [], controlPlaneType: undefined },
    releaseVersion: '4.18.1',
    publish: 'Internal',
    size: 'compact',
    proxy: {
      httpProxy: 'http://u:p@bastion:3128',
      httpsProxy: 'http://u:p@bastion:3128',
      noProxy: ['.example.com'],
    },
  },
  vsphere: { ...BASE, platform: VSPHERE, releaseVersion: '4.18.1' },
  'vsphere-old': { ...BASE, platform: VSPHERE, releaseVersion: '4.12.9' },
  nutanix: {
    ...BASE,
    platform: {
      ...VIPS,
      type: 'nutanix',
      prismCentral: { address: 'pc.example', username: 'u', password: 'p' },
      prismElement: { uuid: '0005b0f1-8f43-a0f2-02b7-3cecef193712', address: 'pe.example' },
      subnetUuid: 'c7938dc6-7659-453e-a688-e26020c68e43',
      preloadedOsImage: 'rhcos-4.18',
    },
    fips: true,
  },
  baremetal: {
    ...BASE,
    platform: {
      ...VIPS,
      type: 'baremetal',
      hosts: [
        {
          name: 'm0',
          role: 'master',
          bootMACAddress: '52:54:00:00:00:01',
          bmc: { address: 'redfish://a' },
        },
      ],
    },
  },
  'single-node': {
    ...BASE,
    platform: { type: 'none' },
    size: 'single-node',
    installationDisk: '/dev/vda',
  },
};

describe('installConfig', () => {
  test.each(Object.entries(INPUTS))('has a golden form for %s', async (name, input) => {
    const text = formatInstallConfig(installConfig(input));

    await expect(text).toMatchFileSnapshot(`../golden/install-config-${name}.yaml`);
  });

  test.each(Object.entries(INPUTS))('is read back the same for %s', (_, input) => {
    const config = installConfig(input);

    expect(parseInstallConfig(formatInstallConfig(config), 'x')).toEqual(config);
  });

  test('names the old fields for releases that do not know the new ones', () => {
    const old = installConfig({ ...BASE, platform: AWS, releaseVersion: '4.13.1' });
    const now = installConfig({ ...BASE, platform: AWS });

    expect([old.imageContentSources?.length, old.imageDigestSources]).toEqual([2, undefined]);
    expect([now.imageContentSources, now.imageDigestSources?.length]).toEqual([undefined, 2]);
    expect(old.platform.aws?.subnets).toEqual(['subnet-0a', 'subnet-0b']);
    expect(now.platform.aws?.vpc?.subnets).toEqual([{ id: 'subnet-0a' }, { id: 'subnet-0b' }]);
  });

  test('takes networks of both families, each with the host prefix of its kind', () => {
    const { networking } = installConfig({
      ...BASE,
      platform: { type: 'none' },
      clusterNetwork: [{ cidr: '10.128.0.0/14' }, { cidr: 'fd01::/48' }],
      serviceNetwork: ['172.30.0.0/16', 'fd02::/112'],
    });

    expect(networking?.clusterNetwork?.map(({ hostPrefix }) => hostPrefix)).toEqual([23, 64]);
    expect(networking?.serviceNetwork).toHaveLength(2);
  });

  test('puts the mirror into noProxy', () => {
    const config = installConfig(INPUTS['aws-private-proxy'] as InstallConfigInput);

    expect(config.proxy?.noProxy).toBe('.example.com,mirror.example');
  });

  test('writes a source policy only where the installer knows it', () => {
    const mirrorRules = RULES.map((rule) => ({ ...rule, policy: 'NeverContactSource' as const }));
    const policies = (releaseVersion: string) =>
      installConfig({
        ...BASE,
        mirrorRules,
        platform: AWS,
        releaseVersion,
      }).imageDigestSources?.map(({ sourcePolicy }) => sourcePolicy);

    expect(policies('4.21.0')).toEqual(['NeverContactSource', 'NeverContactSource']);
    expect(policies('4.20.0')).toEqual([undefined, undefined]);
  });

  test('does not depend on the order of rules, subnets, zones and tags', () => {
    const input = INPUTS['aws-disconnected'] as InstallConfigInput;
    const other: InstallConfigInput = {
      ...input,
      mirrorRules: RULES.toReversed(),
      platform: {
        ...AWS,
        subnets: AWS.subnets.toReversed(),
        zones: AWS.zones.toReversed(),
        userTags: { owner: 'b', site: 'a' },
      },
    };

    expect(formatInstallConfig(installConfig(other))).toBe(
      formatInstallConfig(installConfig(input)),
    );
  });

  test('keeps the pull secret a string, whatever YAML may think of it', () => {
    const { pullSecret } = parse(
      formatInstallConfig(installConfig({ ...BASE, platform: { type: 'none' } })),
    );

    expect(pullSecret).toBe(BASE.pullSecret);
  });
});

test.each([
  [
    'a machine pool',
    'platform: {none: {}}\ncontrolPlane: {replicas: three}',
    'controlPlane.replicas',
  ],
  ['a vCenter', 'platform: {vsphere: {vcenters: [{port: https}]}}', 'vcenters.0.port'],
  ['a disk', 'platform: {baremetal: {hosts: [{rootDeviceHints: {rotational: 1}}]}}', 'rotational'],
])('parseInstallConfig refuses a wrong type in %s', (_, text, field) => {
  const rest = 'metadata: {name: a}\nbaseDomain: b\npullSecret: c\n';

  expect(() => parseInstallConfig(`${text}\n${rest}`, 'f')).toThrow(field);
});

test('parseInstallConfig takes a number for text where the installer does', () => {
  const text = 'metadata: {name: a}\nbaseDomain: b\npullSecret: c\n';
  const vcenters = 'platform: {vsphere: {vcenters: [{password: 1234}]}}';

  const { platform } = parseInstallConfig(`${text}${vcenters}`, 'f');

  expect(platform.vsphere?.vcenters?.[0]?.password).toBe('1234');
  const tags = parseInstallConfig(`${text}platform: {aws: {userTags: {cost-center: 4711}}}`, 'f');
  expect(tags.platform.aws?.userTags).toEqual({ 'cost-center': '4711' });
});

test('parseInstallConfig names the file, line and field of every mistake', () => {
  const text = 'metadata:\n  nam: a\nplatform: {}\npullSecret: 1\n';

  expect(() => parseInstallConfig(text, 'a.yaml')).toThrow(/a\.yaml:1:\d+: "name" is missing/);
  expect(() => parseInstallConfig(text, 'a.yaml')).toThrow(/a\.yaml:4:\d+: pullSecret/);
});

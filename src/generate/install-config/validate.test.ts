import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseReleaseVersion } from '../../openshift/version.ts';
import { formatInstallConfig, type InstallConfigInput, installConfig } from './build.ts';
import type { InstallFacts } from './facts.ts';
import { type InstallConfig, parseInstallConfig } from './schema.ts';
import { validateInstallConfig } from './validate.ts';

const SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b';
const INPUT: InstallConfigInput = {
  name: 'site',
  baseDomain: 'example.com',
  releaseVersion: '4.19.1',
  pullSecret: '{"auths":{"mirror.example:5000":{"auth":"YWRtaW46cHc="}}}',
  sshKey: SSH_KEY,
  mirrorRules: [
    { source: 'quay.io/openshift-release-dev', mirrors: ['mirror.example:5000/release'] },
  ],
  publish: 'Internal',
  credentialsMode: 'Manual',
  platform: {
    type: 'aws',
    region: 'us-east-1',
    subnets: [{ id: 'subnet-00000001' }, { id: 'subnet-00000002' }],
    hostedZone: 'Z1',
    controlPlaneType: 'm6i.xlarge',
  },
};
const subnet = (id: string, zone: string, cidr: string) => ({
  ...{ id, zone, cidr, vpcId: 'vpc-1', isPublic: false },
});
const FIRST = subnet('subnet-00000001', 'us-east-1a', '10.0.0.0/20');
const SECOND = subnet('subnet-00000002', 'us-east-1b', '10.0.16.0/20');
const FACTS = {
  version: parseReleaseVersion('4.19.1'),
  disconnected: true,
  mirror: { host: 'mirror.example:5000' },
  aws: {
    vpcId: 'vpc-1',
    subnets: [FIRST, SECOND],
    hostedZoneVpcIds: ['vpc-1'],
    instanceTypes: {
      'm6i.xlarge': { vcpus: 4, memoryMiB: 16_384 },
      tiny: { vcpus: 1, memoryMiB: 1024 },
    },
  },
} satisfies InstallFacts;

const good = () => structuredClone(installConfig(INPUT));

/** Severities and paths, in an order that does not depend on the former. */
function findings(config: InstallConfig, facts: InstallFacts = FACTS): string[] {
  return validateInstallConfig(config, facts)
    .map(({ severity, path }) => `${severity} ${path}`)
    .toSorted();
}

/** Sets `a.0.b` of a config, or removes it when the value is null. */
function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const [head = '', ...rest] = path.split('.');
  if (rest.length > 0) setPath(target[head] as Record<string, unknown>, rest.join('.'), value);
  else if (value === null) delete target[head];
  else target[head] = value;
}

interface Case {
  readonly case: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly finds: readonly string[];
  readonly platforms?: readonly string[];
}
function readCases(file: string): readonly Case[] {
  return parse(readFileSync(join(import.meta.dirname, '..', 'golden', file), 'utf8'));
}
const CASES = readCases('install-config-violations.yaml');

describe('validateInstallConfig', () => {
  test('finds nothing wrong with a good config', () => {
    expect(validateInstallConfig(good(), FACTS)).toEqual([]);
  });

  test('says what, where and how to fix it, errors first', () => {
    const config = { ...good(), metadata: { name: 'Site' }, sshKey: '' };

    expect(validateInstallConfig(config, FACTS)).toEqual([
      {
        path: 'metadata.name',
        message: '"Site" is not a DNS name',
        fix: 'Use lower case letters, digits and dashes',
        severity: 'error',
      },
      {
        path: 'sshKey',
        message: 'it is missing',
        fix: 'Give a key: without one no logs can be gathered',
        severity: 'warning',
      },
    ]);
  });

  test.each(CASES)('finds $case', ({ set, finds }) => {
    const config = good();
    for (const [path, value] of Object.entries(set)) setPath(config, path, value);

    expect(findings(config)).toEqual(finds.toSorted());
  });

  test('counts tags', () => {
    const config = good();
    const tags = Array.from({ length: 26 }, (_, index) => [`key${index}`, 'x']);
    setPath(config, 'platform.aws.userTags', Object.fromEntries(tags));

    expect(findings(config)).toEqual(['error platform.aws.userTags']);
  });

  const tags = { 'kubernetes.io/cluster/other': 'owned' };
  test.each([
    ['that does not exist', [FIRST], 'error platform.aws.vpc.subnets[1]'],
    ['of another VPC', [FIRST, { ...SECOND, vpcId: 'vpc-2' }], 'error platform.aws'],
    [
      'of a zone that has one',
      [FIRST, { ...SECOND, zone: FIRST.zone }],
      'error platform.aws.vpc.subnets[1]',
    ],
    ['that is public', [FIRST, { ...SECOND, isPublic: true }], 'error platform.aws.vpc.subnets[1]'],
    [
      'outside of the machine network',
      [FIRST, { ...SECOND, cidr: '10.9.0.0/20' }],
      'error platform.aws.vpc.subnets[1]',
    ],
    ['of another cluster', [FIRST, { ...SECOND, tags }], 'error platform.aws.vpc.subnets[1]'],
    ['nobody manages', [FIRST, SECOND, { ...SECOND, id: 'subnet-3' }], 'warning platform.aws'],
  ])('finds a subnet %s', (_, subnets, expected) => {
    expect(findings(good(), { ...FACTS, aws: { ...FACTS.aws, subnets } })).toEqual([expected]);
  });

  test('finds a hosted zone of another VPC', () => {
    const facts = { ...FACTS, aws: { ...FACTS.aws, hostedZoneVpcIds: ['vpc-2'] } };

    expect(findings(good(), facts)).toEqual(['error platform.aws.hostedZone']);
  });

  test('knows which release has which field', () => {
    const facts = { ...FACTS, version: parseReleaseVersion('4.13.1') };

    expect(findings(good(), facts)).toEqual(['error imageDigestSources', 'error platform.aws.vpc']);
  });

  test('asks for a rule for the second repository of components from 5.0 on', () => {
    const facts = { ...FACTS, version: parseReleaseVersion('5.0.0') };
    const rulesFor = (...names: readonly string[]) => ({
      ...good(),
      imageDigestSources: names.map((name) => ({
        source: `quay.io/openshift-release-dev/${name}`,
        mirrors: ['mirror.example:5000/release'],
      })),
    });
    const before = rulesFor('ocp-release', 'ocp-v4.0-art-dev');

    expect(findings(before)).toEqual([]);
    expect(findings(before, facts)).toEqual(['error imageDigestSources']);
    expect(
      findings(rulesFor('ocp-release', 'ocp-v4.0-art-dev', 'ocp-v5.0-art-dev'), facts),
    ).toEqual([]);
  });

  test('knows the names of capabilities', () => {
    const capabilities = {
      baselineCapabilitySet: 'vCurrent',
      additionalEnabledCapabilities: ['Consol', 'Console'],
    };

    expect(findings({ ...good(), capabilities })).toEqual([
      'error capabilities.additionalEnabledCapabilities',
    ]);
  });

  test('asks for no rules where the release already names the mirror', () => {
    const { imageDigestSources, ...config } = good();
    const releaseRepositories = ['mirror.example:5000/release-images'];

    expect(findings(config, { ...FACTS, releaseRepositories })).toEqual([]);
  });
});

describe('validateInstallConfig on premises', () => {
  const vips = { apiVips: ['10.0.0.2'], ingressVips: ['10.0.0.3'] };
  const input = { ...INPUT, publish: undefined, credentialsMode: undefined };

  const VSPHERE = {
    type: 'vsphere',
    ...{ server: 'vc.example', username: 'u', password: 'p', datacenter: 'dc' },
    ...{ cluster: 'cl', datastore: 'ds', network: 'n' },
    ...vips,
  } as const;
  const NUTANIX = {
    type: 'nutanix',
    prismCentral: { address: 'pc.example', username: 'u', password: 'p' },
    prismElement: { uuid: '0005b0f1-8f43-a0f2-02b7-3cecef193712', address: 'pe.example' },
    subnetUuid: 'c7938dc6-7659-453e-a688-e26020c68e43',
    ...vips,
  } as const;
  const BAREMETAL = {
    type: 'baremetal',
    hosts: [1, 2, 3, 4, 5, 6].map((number) => ({
      name: `h${number}`,
      role: number < 4 ? 'master' : 'worker',
      bootMACAddress: `52:54:00:00:00:0${number}`,
      bmc: { address: `redfish-virtualmedia://10.1.0.${number}/a`, username: 'u', password: 'p' },
    })),
    ...vips,
  } as const;
  const on: Readonly<Record<string, () => InstallConfig>> = {
    none: () => installConfig({ ...input, platform: { type: 'none' } }),
    external: () =>
      ({ ...on.none?.(), platform: { external: { platformName: 'oci' } } }) as InstallConfig,
    vsphere: () => installConfig({ ...input, platform: VSPHERE }),
    nutanix: () => installConfig({ ...input, platform: NUTANIX }),
    baremetal: () => installConfig({ ...input, platform: BAREMETAL }),
  };
  const cases = readCases('install-config-platforms.yaml').flatMap((one) =>
    (one.platforms ?? []).map((platform) => ({ ...one, platform })),
  );

  test.each(cases)('finds $case on $platform', ({ platform, set, finds }) => {
    const config = structuredClone(on[platform]?.()) as InstallConfig;
    const named = (text: string) => text.replaceAll('@', platform);
    for (const [path, value] of Object.entries(set)) setPath(config, named(path), value);

    const facts = { version: FACTS.version };
    expect(findings(parseInstallConfig(formatInstallConfig(config), 'f'), facts)).toEqual(
      finds.map(named).toSorted(),
    );
  });

  test('checks ids and images of nutanix', () => {
    const config = installConfig({
      ...input,
      platform: {
        ...vips,
        type: 'nutanix',
        prismCentral: { address: 'a', username: 'u', password: 'p' },
        prismElement: { uuid: 'x', address: 'b' },
        subnetUuid: 'c7938dc6-7659-453e-a688-e26020c68e43',
      },
    });

    expect(findings(config)).toEqual([
      'error platform.nutanix.prismElements[0].uuid',
      'warning platform.nutanix.clusterOSImage',
    ]);
  });

  test('checks addresses, mode and images of vsphere', () => {
    const config = installConfig({
      ...INPUT,
      platform: {
        ...{ type: 'vsphere', apiVips: ['10.0.0.2'], ingressVips: ['10.0.0.2', '192.168.0.1'] },
        ...{ server: 's', username: 'u', password: 'p', datacenter: 'd' },
        ...{ cluster: 'c', datastore: 's', network: 'n' },
      },
    });

    expect(findings(config)).toEqual([
      'error credentialsMode',
      'error platform.vsphere.ingressVIPs',
      'error platform.vsphere.ingressVIPs',
      'error publish',
      'warning platform.vsphere.clusterOSImage',
      'warning platform.vsphere.ingressVIPs[1]',
    ]);
  });

  test('counts bare metal hosts and compares their addresses', () => {
    const bootMACAddress = '52:54:00:00:00:01';
    const login = { username: 'u', password: 'p' };
    const first = { name: 'a', bootMACAddress, bmc: { ...login, address: 'a' } };
    const hosts = [first, { name: 'b', bootMACAddress, bmc: login }];
    const config = installConfig({ ...input, platform: { ...vips, type: 'baremetal', hosts } });

    expect(findings(config)).toEqual([
      'error platform.baremetal.hosts',
      'error platform.baremetal.hosts[1].bmc.address',
      'error platform.baremetal.hosts[1].bootMACAddress',
    ]);
  });

  test('wants names and enough masters of bare metal hosts', () => {
    const hosts = [1, 2, 3].map((number) => ({
      name: number === 3 ? 'A_b' : 'a',
      role: 'worker',
      bootMACAddress: `52:54:00:00:00:0${number}`,
      bmc: { address: 'b', username: 'u', password: 'p' },
    }));
    const size = 'compact';
    const platform = { ...vips, type: 'baremetal', hosts } as const;

    expect(findings(installConfig({ ...input, size, platform }))).toEqual([
      'error platform.baremetal.hosts',
      'error platform.baremetal.hosts[1].name',
      'error platform.baremetal.hosts[2].name',
    ]);
  });

  test('looks for the failure domain of vsphere in its vcenter', () => {
    const platform: InstallConfigInput['platform'] = {
      ...vips,
      type: 'vsphere',
      ...{ server: 'vc.example', username: 'u', password: '' },
      ...{ datacenter: 'd', cluster: '/x/host/c', datastore: 's', network: 'n', resourcePool: 'p' },
      template: 't',
    };

    expect(findings(installConfig({ ...input, platform }))).toEqual([
      'error platform.vsphere.failureDomains[0].topology.computeCluster',
      'error platform.vsphere.failureDomains[0].topology.resourcePool',
      'error platform.vsphere.vcenters[0].password',
    ]);
  });

  test('reads a field without a value as one that is not there', () => {
    const text = formatInstallConfig(installConfig({ ...input, platform: { type: 'none' } }));
    const config = parseInstallConfig(`${text}proxy:\nadditionalTrustBundle:\n`, 'f');

    expect(findings(config)).toEqual([]);
  });
});

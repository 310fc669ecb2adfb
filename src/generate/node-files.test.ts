import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { toYaml } from '../core/yaml.ts';
import { chronyConf } from './chrony.ts';
import { crioDropIn } from './crio.ts';
import { hostsFile, upstreamHosts } from './hosts-file.ts';
import { textFile } from './ignition/config.ts';
import { machineConfig } from './machine-config.ts';
import { policyJson } from './policy-json.ts';

describe('hostsFile', () => {
  const bastion = upstreamHosts(
    [
      { source: 'registry.redhat.io/ubi9', mirrors: ['m'] },
      { source: 'quay.io/a', mirrors: ['m'] },
      { source: 'quay.io/b', mirrors: ['m'] },
      { source: '*.ci.example', mirrors: ['m'] },
    ],
    '10.0.10.10',
  );

  test('points upstream names at the bastion', async () => {
    const text = hostsFile([
      bastion,
      { address: 'fd00::1', names: ['api-int.a.example', 'quay.io'] },
    ]);

    await expect(text).toMatchFileSnapshot('golden/hosts');
  });

  test('does not depend on the order of entries and names', () => {
    const a = { address: '10.0.0.1', names: ['x', 'y'] };
    const b = { address: '10.0.0.2', names: ['z'] };
    const more = { address: '10.0.0.1', names: ['w', 'x'] };

    expect(hostsFile([more, b, { ...a, names: ['y', 'x'] }])).toBe(hostsFile([a, b, more]));
  });

  test('refuses a name with two addresses, a port or no address', () => {
    const quay = { address: '10.0.0.1', names: ['quay.io'] };

    expect(() => hostsFile([bastion, quay])).toThrow('Cannot point "quay.io" at both');
    expect(() => hostsFile([{ address: '10.0.0.1', names: ['m:5000'] }])).toThrow('"m:5000"');
    expect(() => hostsFile([{ address: 'bastion', names: ['quay.io'] }])).toThrow('"bastion"');
  });
});

describe('policyJson', () => {
  test('has a golden form with every kind of trust', async () => {
    const text = policyJson({
      default: { type: 'reject' },
      scopes: {
        'quay.io/openshift-release-dev': { type: 'sigstore', keyPath: '/etc/pki/release.pub' },
        'mirror.example:5000': { type: 'accept' },
        'mirror.example:5000/release': {
          type: 'sigstore',
          keyPath: '/etc/pki/release.pub',
          signedAs: 'quay.io/openshift-release-dev/ocp-release',
        },
        'registry.redhat.io': {
          type: 'gpg',
          keyPath: '/etc/pki/rpm-gpg/RPM-GPG-KEY-redhat-release',
        },
      },
    });

    await expect(text).toMatchFileSnapshot('golden/policy.json');
  });

  test('accepts everything unless told otherwise, as the OS does', () => {
    expect(JSON.parse(policyJson()).default).toEqual([{ type: 'insecureAcceptAnything' }]);
  });
});

test('crioDropIn names the pause image in TOML', () => {
  const image = `mirror.example:5000/release@sha256:${'a'.repeat(64)}`;

  expect(parse(crioDropIn({ pauseImage: image }))).toMatchObject({
    crio: { image: { pause_image: image } },
  });
  expect(() => crioDropIn({ pauseImage: 'pause' })).toThrow('Cannot use pause image "pause"');
});

test('machineConfig carries files and units in order, with the label of its pool', async () => {
  const config = machineConfig({
    name: '99-worker-atoll',
    role: 'worker',
    files: [
      textFile('/etc/hosts', hostsFile([])),
      textFile('/etc/chrony.conf', chronyConf(['ntp2.example', 'ntp1.example'])),
    ],
    units: [{ name: 'zincati.service', mask: true }],
  });

  await expect(toYaml(config)).toMatchFileSnapshot('golden/machine-config.yaml');
});

test('machineConfig refuses a name Kubernetes would refuse', () => {
  expect(() => machineConfig({ name: 'A B', role: 'worker' })).toThrow('"A B"');
});

test('chronyConf refuses an empty list and a server with spaces', () => {
  expect(() => chronyConf([])).toThrow('Cannot use NTP server');
  expect(() => chronyConf(['a b'])).toThrow('"a b"');
});

import { describe, expect, test } from 'vitest';
import { toYaml } from '../../core/yaml.ts';
import { digestOf } from '../../oci/digest.ts';
import {
  catalogName,
  catalogSource,
  clusterCatalog,
  clusterCatalogOff,
  operatorHub,
} from './catalogs.ts';
import { clusterVersionPatch, updateService } from './cluster-version.ts';
import { imageConfig, trustedCaConfigMap, trustedCaKey } from './image-config.ts';
import { imagePolicy } from './image-policy.ts';
import { imageRegistryObjects } from './image-registry.ts';
import { telemetryOff } from './monitoring-config.ts';
import { pinnedImageSets } from './pinned-images.ts';
import { releaseSignatures } from './release-signatures.ts';
import { samplesConfig } from './samples-config.ts';

const INDEX = 'mirror.example:5000/ocp/redhat/redhat-operator-index:v4.18';
const KEY = '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n';
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

test('cluster objects have their golden form', async () => {
  const text = toYaml(
    catalogSource({
      image: INDEX,
      displayName: 'Mirror',
      publisher: 'Example',
      pollInterval: '30m',
    }),
    clusterCatalog({ image: INDEX, pollInterval: '2h' }),
    clusterCatalogOff('openshift-redhat-operators'),
    operatorHub({ defaultsOff: true }),
    trustedCaConfigMap('mirror-ca', { 'mirror.example:5000': PEM, 'b.example': PEM }),
    imageConfig({ additionalTrustedCA: 'mirror-ca', blockedRegistries: ['quay.io', 'docker.io'] }),
    samplesConfig({ removed: true }),
    samplesConfig({ registry: 'mirror.example:5000', skippedImageStreams: ['ruby', 'jenkins'] }),
    updateService({
      releases: 'mirror.example:5000/ocp/openshift/release-images',
      graphDataImage: 'mirror.example:5000/ocp/openshift/graph-image:latest',
    }),
    clusterVersionPatch({
      channel: 'stable-4.18',
      upstream: 'https://updates.example/graph',
      overrides: [
        { group: 'config.openshift.io', kind: 'DNS', name: 'cluster', namespace: '' },
        { group: '', kind: 'ConfigMap', name: 'cluster-config-v1', namespace: 'kube-system' },
      ],
      signatureStores: [{ url: 'https://updates.example/signatures', ca: 'updates-ca' }],
    }),
    imagePolicy({ name: 'team', scopes: ['quay.io/team', 'quay.io/apps'], publicKey: KEY }),
    imagePolicy({
      name: 'team',
      namespace: 'apps',
      scopes: ['mirror.example:5000/team'],
      publicKey: KEY,
      signedAs: { prefix: 'mirror.example:5000/team', signedPrefix: 'quay.io/team' },
    }),
    ...pinnedImageSets({
      name: 'release',
      pools: ['worker', 'master'],
      images: [`quay.io/b@${digestOf('b')}`, `quay.io/a@${digestOf('a')}`],
    }),
    telemetryOff(),
  );

  await expect(text).toMatchFileSnapshot('../golden/cluster-objects.yaml');
});

describe('catalogName', () => {
  test('is made from the last path component and the tag, as oc-mirror does', () => {
    expect(catalogName('cs', INDEX)).toBe('cs-redhat-operator-index-v4-18');
    expect(catalogName('cc', 'm/a/index')).toBe('cc-index-0');
    expect(catalogName('cs', `m.io/idx@${digestOf('x')}`)).toMatch(/^cs-idx-[0-9a-f]{12}$/);
  });

  test('never ends with a dash, wherever the tag is cut', () => {
    expect(catalogName('cs', 'm.io/idx:v4.18.20261-15')).toBe('cs-idx-v4-18-20261');
  });

  test('refuses a name that is too long', () => {
    expect(() => catalogName('cs', `m.io/${'a'.repeat(70)}:v1`)).toThrow('Cannot name a catalog');
  });
});

test.each([
  '[fd00::1]:5000',
  'mirror:5000/team',
  'm_x.example',
  'quay.io/Team',
  'quay.io/*',
  '*.',
  '',
])('imagePolicy refuses the scope "%s", as the API does', (scope) => {
  const input = { name: 'a', scopes: ['quay.io/team', scope], publicKey: KEY };

  expect(() => imagePolicy(input)).toThrow(`Cannot have a policy for "${scope}"`);
});

test('imagePolicy takes every scope that the API takes, and only names where something is signed', () => {
  const digest = digestOf('a');
  const scopes = [
    ...['quay.io', 'localhost:5000/a', '*.example.com', 'm.example:5000/a/b-c'],
    ...['quay.io/a:v1', `quay.io/a@${digest}`, `quay.io/a:v1@${digest}`],
  ];
  const input = { name: 'a', scopes, publicKey: KEY };

  expect(imagePolicy(input).spec.scopes).toEqual(scopes.toSorted());
  for (const repository of ['quay.io/a:v1', '*.example.com']) {
    expect(() => imagePolicy({ ...input, signedAs: { repository } })).toThrow('a policy for');
  }
});

test.each([PEM, `x${KEY}`, `${KEY}x`, ''])('imagePolicy refuses the key %j', (publicKey) => {
  const input = { name: 'a', scopes: ['quay.io/team'], publicKey };

  expect(() => imagePolicy(input)).toThrow('Cannot trust this key');
});

test('clusterCatalog refuses an IPv6 address, which the API takes for no domain', () => {
  expect(() => clusterCatalog({ image: '[fd00::1]:5000/index:v1' })).toThrow('an IPv6 address');
});

test('imagePolicy leaves the policy of the release to the cluster', () => {
  const input = { name: 'openshift', scopes: ['quay.io/team'], publicKey: KEY };

  expect(() => imagePolicy(input)).toThrow('Cannot name a ClusterImagePolicy "openshift"');
  expect(
    imagePolicy({ ...input, signedAs: { repository: 'quay.io/a' }, name: 'a' }).spec.policy,
  ).toMatchObject({
    signedIdentity: {
      matchPolicy: 'ExactRepository',
      exactRepository: { repository: 'quay.io/a' },
    },
  });
});

test('clusterCatalog refuses an interval it cannot say', () => {
  expect(() => clusterCatalog({ image: INDEX, pollInterval: '10s' })).toThrow('"10s"');
});

test('clusterCatalog refuses to poll a digest, which never changes', () => {
  const image = `m.io/idx@${digestOf('x')}`;

  expect(() => clusterCatalog({ image, pollInterval: '10m' })).toThrow('Cannot look for news');
  expect(clusterCatalog({ image }).spec).toBeDefined();
});

test('objects of a cluster have names that it takes', () => {
  const releases = { releases: 'm.io/a', graphDataImage: 'm.io/b:1' };

  expect(() => updateService({ ...releases, name: 'My_Service' })).toThrow('"My_Service"');
  expect(() => imageConfig({ additionalTrustedCA: 'Mirror' })).toThrow('"Mirror"');
  expect(() => trustedCaConfigMap('mirror_ca', {})).toThrow('"mirror_ca"');
  expect(() => catalogSource({ image: INDEX, name: 'A' })).toThrow('"A"');
});

test('clusterVersionPatch names an object once', () => {
  const dns = { group: 'config.openshift.io', kind: 'DNS', name: 'cluster', namespace: '' };

  expect(clusterVersionPatch({ overrides: [dns, { ...dns }] }).spec.overrides).toHaveLength(1);
});

test('trustedCaKey writes the port behind two dots', () => {
  expect(trustedCaKey('mirror.example:5000')).toBe('mirror.example..5000');
  expect(trustedCaKey('updateservice-registry')).toBe('updateservice-registry');
  expect(() => trustedCaKey('m/a')).toThrow('"m/a"');
});

test('imageConfig refuses to allow and block at once', () => {
  expect(() => imageConfig({ allowedRegistries: ['a'], blockedRegistries: ['b'] })).toThrow(
    'Cannot both allow and block',
  );
});

describe('releaseSignatures', () => {
  const a = { digest: digestOf('a'), bytes: Buffer.from('one') };
  const b = { digest: digestOf('b'), bytes: Buffer.from('two') };

  test('keeps earlier signatures, numbers them per release, and repeats nothing', () => {
    const earlier = releaseSignatures([a]);
    const both = releaseSignatures([b, a, { ...a, bytes: Buffer.from('other') }], earlier);

    expect(Object.keys(both.binaryData ?? {})).toEqual(
      [`${a.digest}-1`, `${a.digest}-2`, `${b.digest}-1`]
        .map((key) => key.replace(':', '-'))
        .toSorted(),
    );
    expect(releaseSignatures([], both)).toEqual(both);
  });

  test('refuses an earlier key it does not understand', () => {
    expect(() => releaseSignatures([], { binaryData: { x: 'eA==' } })).toThrow(
      'Cannot keep signature "x"',
    );
  });
});

describe('imageRegistryObjects', () => {
  const config = (storage: object) => ({
    apiVersion: 'imageregistry.operator.openshift.io/v1',
    kind: 'Config',
    metadata: { name: 'cluster' },
    spec: { managementState: 'Managed', replicas: 1, rolloutStrategy: 'Recreate', storage },
  });

  test('gives the registry of a cluster a volume that one pod has at a time', () => {
    expect(imageRegistryObjects('volume')).toEqual([
      expect.objectContaining({
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'image-registry-storage', namespace: 'openshift-image-registry' },
        spec: expect.objectContaining({ accessModes: ['ReadWriteOnce'] }),
      }),
      config({ pvc: { claim: 'image-registry-storage' } }),
    ]);
  });

  test('or a folder that goes with its pod', () => {
    expect(imageRegistryObjects('emptyDir')).toEqual([config({ emptyDir: {} })]);
  });
});

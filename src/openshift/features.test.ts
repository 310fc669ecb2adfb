import { expect, test } from 'vitest';
import { CAPABILITY_SETS, isOptional, setHas } from './capabilities.ts';
import {
  defaultCatalogImages,
  defaultClusterCatalogs,
  defaultOsImageStream,
  knows,
  sinceOf,
} from './features.ts';
import { isAtLeast, parseReleaseVersion } from './version.ts';

const v = parseReleaseVersion;

test('parseReleaseVersion reads what releases are called', () => {
  expect(v('4.18.0-rc.2')).toEqual({ major: 4, minor: 18 });
  expect(() => v('latest')).toThrow('Cannot read release version "latest"');
  expect(isAtLeast(v('5.0'), '4.21')).toBe(true);
  expect(isAtLeast(v('4.9'), '4.14')).toBe(false);
});

test('knows says what a release can do, and of an unknown one that it can', () => {
  expect(knows(v('4.18.9'), 'awsVpcSubnets')).toBe(false);
  expect(knows(v('4.19.0'), 'awsVpcSubnets')).toBe(true);
  expect(knows(undefined, 'awsVpcSubnets')).toBe(true);
  expect(sinceOf('awsVpcSubnets')).toBe('4.19');
});

test('knows forgets what newer releases dropped', () => {
  expect(knows(v('4.21.3'), 'marketplaceCatalog')).toBe(true);
  expect(knows(v('4.22.0'), 'marketplaceCatalog')).toBe(false);
  expect(defaultClusterCatalogs(v('4.22.0'))).not.toContain('openshift-redhat-marketplace');
  expect(defaultClusterCatalogs()).toContain('openshift-redhat-marketplace');
  expect(defaultCatalogImages(v('4.21')).at(-1)).toBe(
    'registry.redhat.io/redhat/redhat-marketplace-index:v4.21',
  );
  expect(defaultCatalogImages(v('5.0')).join()).not.toContain('marketplace');
});

test('defaultOsImageStream follows the release', () => {
  expect([v('4.23.0'), v('5.0.0')].map(defaultOsImageStream)).toEqual(['rhel-9', 'rhel-10']);
});

test('setHas counts what a set was given later', () => {
  expect(setHas('v4.11', 'MachineAPI')).toBe(true);
  expect(isOptional(v('4.13.0'), 'MachineAPI')).toBe(false);
  expect(setHas('v4.17', 'OperatorLifecycleManagerV1')).toBe(false);
  expect(setHas('v4.18', 'ClusterAPI')).toBe(false);
  expect(setHas('vCurrent', 'ClusterAPI')).toBe(true);
  expect(setHas('None', 'Ingress')).toBe(false);
});

test('CAPABILITY_SETS are those the installer takes', () => {
  expect(CAPABILITY_SETS).toEqual([
    ...['None', 'v4.11', 'v4.12', 'v4.13', 'v4.14', 'v4.15', 'v4.16', 'v4.17', 'v4.18', 'vCurrent'],
  ]);
});

import { expect, test } from 'vitest';
import { policyJson } from '../../generate/policy-json.ts';
import { parseReference } from '../../oci/reference.ts';
import { demandsOn } from '../check/signatures.ts';
import { wantedImage } from '../images/wanted-image.ts';
import { decide, parsePolicy } from './policy.ts';
import type { SignedIdentity } from './policy-schema.ts';
import { acceptsIdentity } from './signed-identity.ts';

const POLICY = parsePolicy(
  policyJson({
    default: { type: 'reject' },
    scopes: {
      'quay.io/org/app': { type: 'gpg', keyPath: '/k' },
      'quay.io/org': { type: 'sigstore', keyPath: '/k' },
      '*.example.com': { type: 'accept' },
    },
  }),
  'policy.json',
);

test('decide takes the longest scope, then wildcards, then the default', () => {
  const scopeOf = (name: string) => decide(POLICY, parseReference(name)).scope;

  expect(scopeOf('quay.io/org/app:1')).toBe('quay.io/org/app');
  expect(scopeOf('quay.io/org/other/deep:1')).toBe('quay.io/org');
  expect(scopeOf('quay.io/organic/app:1')).toBe('default');
  expect(scopeOf('a.b.example.com/x:1')).toBe('*.example.com');
  expect(scopeOf('mirror.example.com:8443/x:1')).toBe('*.example.com');
});

test('parsePolicy names the field that is wrong', () => {
  expect(() => parsePolicy('{"default":[{}]}', 'p.json')).toThrow(
    'Cannot use "p.json": default.0.type',
  );
});

test.each([
  ['an unknown requirement', [{ type: 'sigstoreSignd' }], '0.type'],
  ['no requirement at all', [], 'default'],
  ['a sigstoreSigned without a key', [{ type: 'sigstoreSigned' }], 'exactly one of keyPath'],
  ['two keys', [{ type: 'sigstoreSigned', keyPath: '/k', keyData: 'aw==' }], 'exactly one of'],
  ['a misspelt key', [{ type: 'reject', keypath: '/k' }], 'keypath'],
  ['GPG keys without their type', [{ type: 'signedBy', keyPath: '/k' }], 'keyType'],
  [
    'an unknown identity',
    [{ type: 'sigstoreSigned', keyPath: '/k', signedIdentity: { type: 'matchRepositry' } }],
    'signedIdentity.type',
  ],
])('parsePolicy refuses what nodes refuse: %s', (_what, requirements, words) => {
  const ofDefault = JSON.stringify({ default: requirements });
  const accept = [{ type: 'insecureAcceptAnything' }];
  const ofScope = JSON.stringify({
    default: accept,
    transports: { docker: { 'quay.io': requirements } },
  });

  expect(() => parsePolicy(ofDefault, 'p.json')).toThrow(words);
  expect(() => parsePolicy(ofScope, 'p.json')).toThrow('transports.docker.quay.io');
});

test('acceptsIdentity follows each kind of signed identity', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const image = parseReference(`quay.io/org/app@${digest}`);
  const signed = 'quay.io/org/app:1.0';
  const accepts = (identity: object) => acceptsIdentity(identity as SignedIdentity, image, signed);

  expect(accepts({ type: 'matchRepoDigestOrExact' })).toBe(true);
  expect(accepts({ type: 'matchExact' })).toBe(false);
  expect(accepts({ type: 'exactRepository', dockerRepository: 'quay.io/org/app' })).toBe(true);
  expect(accepts({ type: 'exactRepository', dockerRepository: 'quay.io/org' })).toBe(false);
  expect(accepts({ type: 'remapIdentity', prefix: 'quay.io', signedPrefix: 'elsewhere.io' })).toBe(
    false,
  );
});

test('acceptsIdentity compares as nodes do', () => {
  const byDigest = `quay.io/org/app@sha256:${'a'.repeat(64)}`;
  const accepts = (identity: SignedIdentity, name: string, signed: string) =>
    acceptsIdentity(identity, parseReference(name), signed);
  const usual: SignedIdentity = { type: 'matchRepoDigestOrExact' };
  const remap: SignedIdentity = {
    ...{ type: 'remapIdentity', prefix: 'mirror.example:5000/a', signedPrefix: 'quay.io/org' },
  };

  // cosign signs names without a tag, which only rules about repositories take.
  expect(accepts(usual, byDigest, 'quay.io/org/app')).toBe(false);
  expect(accepts({ type: 'matchRepository' }, byDigest, 'quay.io/org/app')).toBe(true);
  expect(accepts({ type: 'matchExact' }, byDigest, byDigest)).toBe(true);
  expect(accepts(usual, 'quay.io/org/app:1', 'quay.io/org/app:1')).toBe(true);
  expect(accepts(usual, 'quay.io/org/app:1', 'quay.io/org/app:2')).toBe(false);
  expect(accepts(remap, 'mirror.example:5000/a/app:1', 'quay.io/org/app:1')).toBe(true);
  expect(accepts(remap, 'mirror.example:5000/a/app:1', 'quay.io/org/app:2')).toBe(false);
  expect(accepts(remap, 'mirror.example:5000/a/app:1', 'quay.io/org/app')).toBe(false);
  expect(accepts(remap, 'mirror.example:5000/ab/app:1', 'mirror.example:5000/ab/app:1')).toBe(true);
});

test('demandsOn wants a Sigstore signature of releases from 4.21 on, under their own name only', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const rules = (repository: string, release: string) =>
    demandsOn(wantedImage('release', `${repository}@${digest}`, 'a test', { release }), undefined);

  expect(rules('quay.io/openshift-release-dev/ocp-release', '4.20.9')).toEqual([]);
  expect(rules('quay.io/openshift-release-dev/ocp-release', '4.21.0')).toHaveLength(1);
  expect(rules('mirror.example/openshift/release-images', '4.21.0')).toEqual([]);
});

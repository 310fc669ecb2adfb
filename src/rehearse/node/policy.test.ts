import { expect, test } from 'vitest';
import { policyJson } from '../../generate/policy-json.ts';
import { parseReference } from '../../oci/reference.ts';
import { demandsOn } from '../check/signatures.ts';
import { wantedImage } from '../images/wanted-image.ts';
import { acceptsIdentity, decide, parsePolicy } from './policy.ts';

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
});

test('parsePolicy names the field that is wrong', () => {
  expect(() => parsePolicy('{"default":[{}]}', 'p.json')).toThrow(
    'Cannot use "p.json": default.0.type',
  );
});

test('acceptsIdentity follows each kind of signed identity', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const image = parseReference(`quay.io/org/app@${digest}`);
  const signed = 'quay.io/org/app:1.0';
  const accepts = (identity: object) =>
    acceptsIdentity(identity as { type: string }, image, signed);

  expect(accepts({ type: 'matchRepoDigestOrExact' })).toBe(true);
  expect(accepts({ type: 'matchExact' })).toBe(false);
  expect(accepts({ type: 'exactRepository', dockerRepository: 'quay.io/org/app' })).toBe(true);
  expect(accepts({ type: 'exactRepository', dockerRepository: 'quay.io/org' })).toBe(false);
  expect(accepts({ type: 'remapIdentity', prefix: 'quay.io', signedPrefix: 'elsewhere.io' })).toBe(
    false,
  );
});

test('demandsOn wants a Sigstore signature of releases from 4.21 on, under their own name only', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const rules = (repository: string, release: string) =>
    demandsOn(wantedImage('release', `${repository}@${digest}`, 'a test', { release }), undefined);

  expect(rules('quay.io/openshift-release-dev/ocp-release', '4.20.9')).toEqual([]);
  expect(rules('quay.io/openshift-release-dev/ocp-release', '4.21.0')).toHaveLength(1);
  expect(rules('mirror.example/openshift/release-images', '4.21.0')).toEqual([]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import { formatReference, parseReference, referenceIfValid, tagOrDigestOf } from './reference.ts';

const digest = digestOf('text');

test.each([
  ['ubuntu', 'docker.io', 'library/ubuntu', undefined],
  ['ubuntu:22.04', 'docker.io', 'library/ubuntu', '22.04'],
  ['bitnami/redis:7', 'docker.io', 'bitnami/redis', '7'],
  ['docker.io/ubuntu', 'docker.io', 'library/ubuntu', undefined],
  ['index.docker.io/ubuntu', 'docker.io', 'library/ubuntu', undefined],
  ['docker.io/a/b/c', 'docker.io', 'a/b/c', undefined],
  ['localhost/app', 'localhost', 'app', undefined],
  ['localhost:5000/app:v1', 'localhost:5000', 'app', 'v1'],
  ['bastion:8443/ocp4/openshift4', 'bastion:8443', 'ocp4/openshift4', undefined],
  ['quay.io/org/app:V1_x.y-z', 'quay.io', 'org/app', 'V1_x.y-z'],
  ['10.0.0.1:5000/app', '10.0.0.1:5000', 'app', undefined],
  ['[fd00::1]:8443/ocp/release:4.18', '[fd00::1]:8443', 'ocp/release', '4.18'],
  ['[::1]/app', '[::1]', 'app', undefined],
  ['Registry/app', 'Registry', 'app', undefined],
  ['quay.io/a__b/c-d/e.f', 'quay.io', 'a__b/c-d/e.f', undefined],
])('parseReference reads %s', (text, registry, repository, tag) => {
  expect(parseReference(text)).toEqual({
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
  });
});

test('parseReference keeps a tag beside a digest, and the digest counts', () => {
  const reference = parseReference(`quay.io/org/app:v1@${digest}`);

  expect(reference).toEqual({ registry: 'quay.io', repository: 'org/app', tag: 'v1', digest });
  expect(tagOrDigestOf(reference)).toBe(digest);
  expect(tagOrDigestOf(parseReference('quay.io/org/app:v1'))).toBe('v1');
  expect(tagOrDigestOf(parseReference('quay.io/org/app'))).toBe('latest');
});

test.each([
  ['', 'it is empty'],
  ['/', 'is not a repository'],
  ['quay.io/', 'is not a repository'],
  ['quay.io/a//b', 'is not a repository'],
  ['quay.io/../etc', 'is not a repository'],
  ['quay.io/-a', 'is not a repository'],
  ['quay.io/a___b', 'is not a repository'],
  [`quay.io/${'a'.repeat(256)}`, 'is not a repository'],
  ['quay.io/app:', 'is not a tag'],
  ['quay.io/app:-v1', 'is not a tag'],
  [`quay.io/app:${'t'.repeat(129)}`, 'is not a tag'],
  ['quay.io/app@', 'is not a digest'],
  ['quay.io/app@sha256:123', 'is not a digest'],
  [`quay.io/app@${digest}@${digest}`, 'is not a digest'],
  ['https://quay.io/app', 'is not a'],
  ['a..b/app', 'is not a registry host'],
  ['my_registry:5000/app', 'is not a registry host'],
  ['my_registry.example.com/app', 'is not a registry host'],
  ['0123456789abcdef'.repeat(4), 'names no image'],
  ['host:99999/app', 'is not a registry host'],
  ['host:port/app', 'is not a registry host'],
  ['[::1/app', 'is not a registry host'],
  ['quay.io/app v1', 'is not a repository'],
])('parseReference rejects %j', (text, found) => {
  expect(() => parseReference(text)).toThrowError(
    expect.objectContaining({ code: 'REFERENCE_INVALID', message: expect.stringContaining(found) }),
  );
});

test('parseReference says when only the case is wrong', () => {
  expect(() => parseReference('quay.io/Org/App')).toThrowError(
    expect.objectContaining({ hint: 'Write the repository in lower case' }),
  );
});

const word = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const component = fc
  .tuple(word, fc.constantFrom('.', '_', '__', '-', '--'), word)
  .map(([left, separator, right]) => `${left}${separator}${right}`);
const repository = fc
  .array(fc.oneof(word, component), { minLength: 2, maxLength: 4 })
  .map((parts) => parts.join('/'));
const host = fc.oneof(
  fc.constantFrom('localhost', 'docker.io', '[::1]', '[fd00:0:0::a1]', '10.1.2.3'),
  fc.tuple(word, word).map((labels) => labels.join('.')),
);
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
const tag = fc.option(fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,20}$/), { nil: undefined });

test('parseReference and formatReference are inverses', () => {
  const digests = fc.option(
    fc.string().map((text) => digestOf(text)),
    { nil: undefined },
  );

  fc.assert(
    fc.property(host, port, repository, tag, digests, (name, number, path, tagged, pinned) => {
      const reference = {
        registry: number === undefined ? name : `${name}:${number}`,
        repository: path,
        ...(tagged === undefined ? {} : { tag: tagged }),
        ...(pinned === undefined ? {} : { digest: pinned }),
      };
      const text = formatReference(reference);
      expect(parseReference(text)).toEqual(reference);
      expect(formatReference(parseReference(text))).toBe(text);
    }),
  );
});

test('parseReference of any text either fails with its code or round-trips', () => {
  const soup = fc.string({ unit: fc.constantFrom(...'aA0.:/@-_[]% '), maxLength: 14 });

  fc.assert(
    fc.property(soup, (text) => {
      let reference: ReturnType<typeof parseReference>;
      try {
        reference = parseReference(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'REFERENCE_INVALID' });
        return;
      }
      expect(parseReference(formatReference(reference))).toEqual(reference);
    }),
    { numRuns: 2000 },
  );
});

test('parseReference says of nothing that it is nothing', () => {
  expect(() => parseReference('')).toThrow('Cannot parse image reference "": it is empty');
});

test('referenceIfValid reads what parseReference reads, and nothing else', () => {
  expect(referenceIfValid('quay.io/org/app:v1')).toEqual(parseReference('quay.io/org/app:v1'));
  for (const text of ['', 'quay.io/Org/app', 'a:b:c', '$(IMAGE)']) {
    expect(referenceIfValid(text)).toBeUndefined();
  }
});

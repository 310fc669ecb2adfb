import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import {
  askedBySkopeo,
  registryTable as registry,
  withoutTag,
} from '../../../test/support/skopeo-endpoints.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { formatReference, parseReference } from '../reference.ts';
import { endpointRules, matchLength, pullEndpoints, ruleFor } from './match.ts';
import { mergeFiles, type RegistriesConf } from './model.ts';
import { parseRegistriesFile } from './parse.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const confOf = (...texts: string[]): RegistriesConf =>
  mergeFiles(texts.map((text, index) => parseRegistriesFile(`${index}.conf`, text)));

function endpointsOf(text: string, reference: string): string[] {
  return pullEndpoints(confOf(text), parseReference(reference)).endpoints.map((endpoint) =>
    formatReference(endpoint.reference),
  );
}

async function confFile(text: string): Promise<string> {
  const path = join(await tempDir(), 'registries.conf');
  await writeFile(path, text);
  return path;
}

/** What refMatchingPrefix and refMatchingSubdomainPrefix of containers/image answer; '' is no match. */
describe('matchLength covers, as containers/image does,', () => {
  test.each([
    // Whole parts of a name.
    ['docker.io', 'docker.io', 'docker.io'],
    ['example.com', 'docker.io', ''],
    ['example.com', 'example.com/foo/bar:baz', 'example.com'],
    ['example.com', `example.com/foo@${DIGEST}`, 'example.com'],
    ['docker.io/library', 'docker.io', ''],
    ['docker.io/library', 'docker.io/library/busybox', 'docker.io/library'],
    ['docker.io/library', 'docker.io/libraryy', ''],
    ['docker.io/library', 'example.com/library', ''],
    ['docker.io/library/busybox', 'docker.io/library/busybox2', ''],
    ['example.com/foo:bar', 'example.com/foo', ''],
    ['example.com/foo:bar', 'example.com/foo:bar', 'example.com/foo:bar'],
    ['example.com/foo:bar', 'example.com/foo:bar2', ''],
    [`example.com/foo@${DIGEST}`, `example.com/foo@${DIGEST}`, `example.com/foo@${DIGEST}`],
    ['*', 'example.com/foo', ''],
    // Ports. A host covers its ports: containers/image says that this is not meant, and does it.
    ['example.com:5000', 'example.com:5000', 'example.com:5000'],
    ['example.com:5000', 'example.com:50000', ''],
    ['example.com', 'example.com:5000', 'example.com'],
    ['reg.example.com', 'reg.example.com:5000/a/b', 'reg.example.com'],
    ['reg.example.com:5000', 'reg.example.com/a/b', ''],
    // Subdomains.
    ['*.io', 'docker.io', 'docker.io'],
    ['*.com', 'docker.io/foo', ''],
    ['*.co', 'example.com/foo', ''],
    ['*.example.com', 'example.com/foo', ''],
    ['*.com', 'sub.example.com/foo/bar', 'sub.example.com'],
    ['*.example.com', 'another.sub.example.com/foo:baz', 'another.sub.example.com'],
    ['*.example.com', `yet.another.example.com/a@${DIGEST}`, 'yet.another.example.com'],
    ['*.com', 'example.net/namespace-ends-in.com/foo', ''],
    ['*.namespace.com', 'another.example.com/namespace.com/foo', ''],
    ['**.example.com', 'yet.another.example.com/foo', ''],
    ['*.example.com', 'reg.example.com:5000/a/b', 'reg.example.com'],
    ['*.example.com', 'reg.example.com.example.com/a', ''],
  ])('with %s of %s: "%s"', (prefix, name, covered) => {
    const length = matchLength(name, prefix);

    expect(length < 0 ? '' : name.slice(0, length)).toBe(covered);
  });
});

/** The tables of containers/image's own test of FindRegistry, drop-ins included. */
describe('ruleFor finds, as containers/image does,', () => {
  const at = (prefix: string, location: string) =>
    registry(`prefix="${prefix}"\nlocation="${location}"`);
  const main = [
    at('simple-prefix.com', 'registry.com:5000'),
    at('complex-prefix.com:4000/with/path', 'another-registry.com:5000'),
    registry('location="no-prefix.com"'),
    registry('prefix=""\nlocation="empty-prefix.com"'),
    at('*.so.simple-prefix.com', 'subdomain-1.com'),
    at('*.quite.simple-prefix.com', 'subdomain-2.com'),
    at('*.not.quite.simple-prefix.com', 'subdomain-3.com'),
    at('*.docker.io', 'subdomain-4.com'),
    at('*.bar.docker.io', 'subdomain-5.com'),
    at('*.bar.example.com', 'subdomain-6.com'),
    at('foo.bar.example.com:5000', 'subdomain-7.com'),
  ].join('\n');
  const conf = confOf(
    main,
    at('*.not.quite.simple-prefix.com', 'overridden-1.com'),
    at('*.docker.com', 'overridden-2.com'),
    at('*.bar.example.com', 'overridden-3.com'),
  );

  test.each([
    ['simple-prefix.com/foo/bar:latest', 'registry.com:5000'],
    ['simple-prefix.com/', 'registry.com:5000'],
    ['simple-prefix.com', 'registry.com:5000'],
    ['simple-prefix.comx', undefined],
    ['complex-prefix.com:4000/with/path/and/beyond:tag', 'another-registry.com:5000'],
    ['no-prefix.com/foo:tag', 'no-prefix.com'],
    ['empty-prefix.com/foo:tag', 'empty-prefix.com'],
    ['not.so.simple-prefix.com/', 'subdomain-1.com'],
    ['not.quite.simple-prefix.com:5000/with/path:tag', 'subdomain-2.com'],
    ['really.not.quite.simple-prefix.com:5000/with:tag', 'overridden-1.com'],
    ['foo.docker.io:5000/a/b:foo', 'subdomain-4.com'],
    ['foo.bar.docker.io:5000/a/b:foo', 'subdomain-5.com'],
    [`foo.bar.example.com:6000/a/b@${DIGEST}`, 'overridden-3.com'],
    ['foo.bar.example.com:5000/a/b:foo', 'subdomain-7.com'],
  ])('for %s the table that leads to %s', (name, location) => {
    expect(ruleFor(conf, name)?.location).toBe(location);
  });
});

/** Locations are ports of loopback where nobody listens, so that a real tool fails at once. */
const CASES: readonly (readonly [name: string, conf: string, references: readonly string[]])[] = [
  ['no rule', '', ['127.0.0.1:1/a/b:v1']],
  [
    'a prefix with a location and mirrors in order',
    registry(
      'prefix="q.test/org"\nlocation="127.0.0.1:1/real"',
      'location="127.0.0.1:2/m"',
      'location="127.0.0.1:3"',
    ),
    ['q.test/org/x:v1', `q.test/org/deep/x@${DIGEST}`, `q.test/org/x:v1@${DIGEST}`],
  ],
  [
    'the longest prefix at a whole part',
    [
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:2"'),
      registry('location="127.0.0.1:1/org"', 'location="127.0.0.1:3/org"'),
      registry('location="127.0.0.1:1/org/x"', 'location="127.0.0.1:4/x"'),
    ].join('\n'),
    ['127.0.0.1:1/org/x:v1', '127.0.0.1:1/org/xy:v1', '127.0.0.1:1/organ:v1'],
  ],
  [
    'a host that also matches with a port',
    registry('location="localhost"', 'location="127.0.0.1"'),
    ['localhost:1/a:v1'],
  ],
  [
    'subdomains with a port',
    registry('prefix="*.q.test"\nlocation="127.0.0.1"'),
    ['a.q.test:1/x:v1'],
  ],
  [
    'mirror-by-digest-only',
    registry('location="127.0.0.1:1"\nmirror-by-digest-only=true', 'location="127.0.0.1:2"'),
    ['127.0.0.1:1/a:v1', `127.0.0.1:1/a@${DIGEST}`, `127.0.0.1:1/a:v1@${DIGEST}`],
  ],
  [
    'pull-from-mirror',
    registry(
      'location="127.0.0.1:1"',
      'location="127.0.0.1:2"\npull-from-mirror="digest-only"',
      'location="127.0.0.1:3"\npull-from-mirror="tag-only"',
      'location="127.0.0.1:4"\npull-from-mirror="all"',
    ),
    ['127.0.0.1:1/a:v1', `127.0.0.1:1/a@${DIGEST}`],
  ],
  [
    'subdomains of any depth without a location',
    registry('prefix="*.q.test"', 'location="127.0.0.1:2"'),
    ['a.q.test/x:v1', 'a.b.q.test/x/y:v1'],
  ],
  [
    'subdomains with a location',
    registry('prefix="*.q.test"\nlocation="127.0.0.1:1/all"'),
    ['a.q.test/x:v1'],
  ],
  [
    'a prefix with a tag or digest in it never matches',
    registry('prefix="127.0.0.1:1/a:v1"\nlocation="127.0.0.1:2/b"'),
    ['127.0.0.1:1/a:v1'],
  ],
  [
    'a trailing slash in location and prefix',
    registry('prefix="q.test/org/"\nlocation="127.0.0.1:1/real/"'),
    ['q.test/org/x:v1'],
  ],
  [
    'Docker Hub short names',
    registry('prefix="docker.io/library"\nlocation="127.0.0.1:1/hub"'),
    ['busybox:v1', 'docker.io/library/busybox:v1'],
  ],
  [
    'the first of two tables with one prefix',
    [
      registry('prefix="q.test"\nlocation="127.0.0.1:1"'),
      registry('prefix="q.test"\nlocation="127.0.0.1:2"'),
    ].join('\n'),
    ['q.test/x:v1'],
  ],
  [
    'a blocked source with a mirror that is not',
    registry('location="127.0.0.1:1"\nblocked=true', 'location="127.0.0.1:2"'),
    ['127.0.0.1:1/a:v1'],
  ],
  [
    'a mirror that another table blocks',
    [
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:2/m"', 'location="127.0.0.1:3"'),
      registry('location="127.0.0.1:2"\nblocked=true'),
    ].join('\n'),
    ['127.0.0.1:1/a:v1'],
  ],
  ['everything blocked', registry('location="127.0.0.1:1"\nblocked=true'), ['127.0.0.1:1/a:v1']],
];

describeWithPeers(['skopeo'], 'pullEndpoints and skopeo agree on', () => {
  test.each(CASES)('%s', async (_name, text, references) => {
    const conf = await confFile(text);

    for (const reference of references) {
      const ours = endpointsOf(text, reference);
      expect(ours.map(withoutTag)).toEqual(await askedBySkopeo(reference, conf));
    }
  });
});

describeWithPeers(['skopeo'], 'pullEndpoints and skopeo refuse', () => {
  test.each([
    ['a location that is no host', 'prefix="q.test"\nlocation="hub"', 'q.test/a/b:v1'],
    ['a short name of Docker Hub', 'prefix="q.test/a"\nlocation="docker.io"', 'q.test/a/b:v1'],
    ['a host without a repository', 'prefix="q.test/a"\nlocation="127.0.0.1:1"', 'q.test/a:v1'],
  ])('%s', async (_name, fields, reference) => {
    const text = registry(fields, 'location="127.0.0.1:2/m"');

    expect(await askedBySkopeo(reference, await confFile(text))).toEqual([]);
    expect(() => endpointsOf(text, reference)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  });
});

test.each(['*.b.test', 'a.b.test'])(
  'pullEndpoints takes *.b.test for a.b.test, which is as long, also where %s comes first',
  (first) => {
    const tables = ['*.b.test', 'a.b.test'].map((prefix) =>
      registry(`prefix="${prefix}"\nlocation="${prefix === '*.b.test' ? 'all' : 'one'}.test"`),
    );
    const text = (first === '*.b.test' ? tables : tables.toReversed()).join('\n');

    expect(endpointsOf(text, 'a.b.test/x:v1')).toEqual(['all.test/x:v1']);
  },
);

test('pullEndpoints rewrites, keeps the order and says which endpoint is a mirror', () => {
  const text = registry(
    'prefix="quay.io/ocp"\nlocation="quay.io/ocp"\ninsecure=true',
    'location="mirror.local:8443/ocp"',
    'location="other.local/ocp"\ninsecure=true',
  );
  const conf = confOf(text);

  const { endpoints, blocked } = pullEndpoints(conf, parseReference(`quay.io/ocp/r@${DIGEST}`));

  expect(blocked).toBe(false);
  expect(
    endpoints.map(({ reference, ...rest }) => ({ at: formatReference(reference), ...rest })),
  ).toEqual([
    { at: `mirror.local:8443/ocp/r@${DIGEST}`, insecure: false, mirror: true },
    { at: `other.local/ocp/r@${DIGEST}`, insecure: true, mirror: true },
    { at: `quay.io/ocp/r@${DIGEST}`, insecure: true, mirror: false },
  ]);
});

test('pullEndpoints says when nothing is left because all is blocked', () => {
  const conf = confOf(registry('location="quay.io"\nblocked=true'));

  expect(pullEndpoints(conf, parseReference('quay.io/a:v1'))).toEqual({
    endpoints: [],
    blocked: true,
    blockedEndpoints: ['quay.io/a'],
  });
});

test('endpointRules looks at the physical name alone', () => {
  const text = [
    registry('prefix="*.test"\ninsecure=true'),
    registry('location="quay.io/secret"\nblocked=true'),
  ].join('\n');
  const conf = confOf(text);

  expect(endpointRules(conf, 'a.test/x')).toEqual({ insecure: true, blocked: false });
  expect(endpointRules(conf, 'quay.io/secret/x')).toEqual({ insecure: false, blocked: true });
  expect(endpointRules(conf, 'quay.io/secrets')).toEqual({ insecure: false, blocked: false });
});

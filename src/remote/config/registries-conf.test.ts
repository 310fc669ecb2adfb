import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPeers, peerPath } from '../../../test/support/peers.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';
import { endpointRules, loadRegistriesConf, pullEndpoints } from './registries-conf.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

async function confFile(text: string): Promise<string> {
  const path = join(await tempDir(), 'registries.conf');
  await writeFile(path, text);
  return path;
}

async function endpointsOf(text: string, reference: string): Promise<string[]> {
  const conf = await loadRegistriesConf({ registriesConf: await confFile(text) });
  return pullEndpoints(conf, parseReference(reference)).endpoints.map((endpoint) =>
    formatReference(endpoint.reference),
  );
}

const registry = (fields: string, ...mirrors: string[]) =>
  ['[[registry]]', fields, ...mirrors.map((mirror) => `[[registry.mirror]]\n${mirror}`)].join('\n');

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

/** Skopeo does not take a tag together with a digest; the digest is what counts. */
const withoutTag = (reference: string) => reference.replace(/:[^:/@]+@/, '@');

const TRIED = /Trying to access \\"(?<reference>[^"\\]+)\\"/;

/** What skopeo asks, in order; an endpoint that it finds blocked is not asked. */
async function askedBySkopeo(reference: string, conf?: string, home = '/nonexistent') {
  const args = [...(conf ? ['--registries-conf', conf] : []), '--debug', 'inspect', '--raw'];
  const output = await new Promise<string>((resolve) => {
    const command = peerPath('skopeo') ?? 'skopeo';
    const env = { PATH: process.env.PATH, HOME: home };
    execFile(
      command,
      [...args, `docker://${withoutTag(reference)}`],
      { env },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });
  const found = output.split('\n').flatMap((line) => TRIED.exec(line)?.groups?.reference ?? []);
  const blocked = [...output.matchAll(/registry (\S+) is blocked/g)].map(
    (match) => match[1] ?? '-',
  );
  return found.filter((tried) => !blocked.some((prefix) => tried.startsWith(prefix)));
}

describeWithPeers(['skopeo'], 'pullEndpoints and skopeo agree on', () => {
  test.each(CASES)('%s', async (_name, text, references) => {
    const conf = await confFile(text);

    for (const reference of references) {
      const ours = await endpointsOf(text, reference);
      expect(ours.map(withoutTag)).toEqual(await askedBySkopeo(reference, conf));
    }
  });

  test('drop-in directories', async () => {
    const home = await tempDir();
    const folder = join(home, '.config', 'containers');
    await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
    await writeFile(
      join(folder, 'registries.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:2"', 'location="127.0.0.1:3"'),
    );
    await writeFile(
      join(folder, 'registries.conf.d', '10-a.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:4"'),
    );
    await writeFile(
      join(folder, 'registries.conf.d', '20-b.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:5"'),
    );
    await writeFile(join(folder, 'registries.conf.d', 'ignored.txt'), 'not toml [');
    const conf = await loadRegistriesConf({ env: { HOME: home } });

    const ours = pullEndpoints(conf, parseReference('127.0.0.1:1/a:v1')).endpoints;

    expect(ours.map(({ reference }) => formatReference(reference))).toEqual(
      await askedBySkopeo('127.0.0.1:1/a:v1', undefined, home),
    );
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
    await expect(endpointsOf(text, reference)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

test.each(['*.b.test', 'a.b.test'])(
  'pullEndpoints takes *.b.test for a.b.test, which is as long, also where %s comes first',
  async (first) => {
    const tables = ['*.b.test', 'a.b.test'].map((prefix) =>
      registry(`prefix="${prefix}"\nlocation="${prefix === '*.b.test' ? 'all' : 'one'}.test"`),
    );
    const text = (first === '*.b.test' ? tables : tables.toReversed()).join('\n');

    expect(await endpointsOf(text, 'a.b.test/x:v1')).toEqual(['all.test/x:v1']);
  },
);

test('loadRegistriesConf leaves the drop-ins of the system alone where the user has a file', async () => {
  const home = await tempDir();
  const folder = join(home, '.config', 'containers');
  await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
  await writeFile(join(folder, 'registries.conf'), '');
  await writeFile(join(folder, 'registries.conf.d', '1.conf'), '');
  await symlink('gone', join(folder, 'registries.conf.d', '2.conf'));

  const { files } = await loadRegistriesConf({ env: { HOME: home } });

  expect(files).toEqual([
    join(folder, 'registries.conf'),
    join(folder, 'registries.conf.d', '1.conf'),
  ]);
});

test('pullEndpoints rewrites, keeps the order and says which endpoint is a mirror', async () => {
  const text = registry(
    'prefix="quay.io/ocp"\nlocation="quay.io/ocp"\ninsecure=true',
    'location="mirror.local:8443/ocp"',
    'location="other.local/ocp"\ninsecure=true',
  );
  const conf = await loadRegistriesConf({ registriesConf: await confFile(text) });

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

test('pullEndpoints says when nothing is left because all is blocked', async () => {
  const conf = await loadRegistriesConf({
    registriesConf: await confFile(registry('location="quay.io"\nblocked=true')),
  });

  expect(pullEndpoints(conf, parseReference('quay.io/a:v1'))).toEqual({
    endpoints: [],
    blocked: true,
    blockedEndpoints: ['quay.io/a'],
  });
});

test('endpointRules looks at the physical name alone', async () => {
  const text = [
    registry('prefix="*.test"\ninsecure=true'),
    registry('location="quay.io/secret"\nblocked=true'),
  ].join('\n');
  const conf = await loadRegistriesConf({ registriesConf: await confFile(text) });

  expect(endpointRules(conf, 'a.test/x')).toEqual({ insecure: true, blocked: false });
  expect(endpointRules(conf, 'quay.io/secret/x')).toEqual({ insecure: false, blocked: true });
  expect(endpointRules(conf, 'quay.io/secrets')).toEqual({ insecure: false, blocked: false });
});

test('loadRegistriesConf takes the credential helpers of the last file that names some', async () => {
  const home = await tempDir();
  const folder = join(home, '.config', 'containers');
  await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
  await writeFile(join(folder, 'registries.conf'), 'credential-helpers = ["pass"]');
  const inHome = async () => (await loadRegistriesConf({ env: { HOME: home } })).credentialHelpers;

  expect(await inHome()).toEqual(['pass']);
  await writeFile(join(folder, 'registries.conf.d', '1.conf'), 'credential-helpers = ["a", "b"]');
  await writeFile(join(folder, 'registries.conf.d', '2.conf'), registry('location="a.test"'));
  expect(await inHome()).toEqual(['a', 'b']);
});

test('loadRegistriesConf reads the file that CONTAINERS_REGISTRIES_CONF names', async () => {
  const path = await confFile(registry('location="named.test"\nblocked=true'));

  const conf = await loadRegistriesConf({ env: { CONTAINERS_REGISTRIES_CONF: path } });

  expect(endpointRules(conf, 'named.test/x').blocked).toBe(true);
  expect(conf.files[0]).toBe(path);
});

test.each([
  ['[registries.search]\nregistries = ["quay.io"]', 'old format'],
  ['[[registry]\nlocation = "a"', 'line 1'],
  [registry('prefix="a.test"'), '[[registry]] number 1: prefix "a.test" has no location'],
  [`${registry('location="a"')}\n${registry('insecure=true')}`, '[[registry]] number 2'],
  [registry('location="https://a.test"'), 'starts with a scheme'],
  [registry('prefix="*.a.test/org"\nlocation="b.test"'), '"*.a.test/org" is more than a host'],
  [registry('prefix="*.a.test:5000"'), '"*.a.test:5000" is more than a host'],
  [registry('location="a"', 'insecure=true'), 'mirror number 1 has no location'],
  [registry('location="a"\npull-from-mirror="all"'), '[[registry.mirror]]'],
  [registry('location="a"', 'location="b"\npull-from-mirror="never"'), '"never"'],
  [
    registry('location="a"\nmirror-by-digest-only=true', 'location="b"\npull-from-mirror="all"'),
    'exclude each other',
  ],
  [registry('location="a"\ninsecure="yes"'), '[[registry]] number 1, insecure'],
  ['credential-helpers = "pass"', 'credential-helpers: not a list'],
  [
    `${registry('location="a"\ninsecure=true')}\n${registry('prefix="b"\nlocation="a"')}`,
    '"a" is named twice, once with insecure',
  ],
])('loadRegistriesConf refuses %j and names the file and the table', async (text, said) => {
  const path = await confFile(text);

  const failure = await loadRegistriesConf({ registriesConf: path }).catch((error) => error);

  expect(failure).toMatchObject({ code: 'INPUT_INVALID' });
  expect(String(failure)).toContain(path);
  expect(String(failure)).toContain(said);
});

import { expect, test } from 'vitest';
import { mergeFiles } from '../../oci/registries/model.ts';
import { parseRegistriesFile } from '../../oci/registries/parse.ts';
import type { CertificateSummary } from './certificates.ts';
import type { Inspected, MirrorSummary } from './inspection.ts';
import { warningsFor } from './warnings.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

const MIRROR: MirrorSummary = {
  source: 'quay.io/release',
  mirrors: ['mirror.lab:5000/release'],
  digestOnly: false,
  blocked: false,
  insecure: false,
};
const CA: CertificateSummary = {
  path: '/etc/pki/ca-trust/source/anchors/ca.crt',
  subject: 'CN=mirror',
  issuer: 'CN=mirror',
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: '2027-01-01T00:00:00.000Z',
  ca: true,
  state: 'valid',
};

const conf = (text: string) => mergeFiles([parseRegistriesFile('registries.conf', text)]);

/** A bootstrap machine that has a mirror, trusts it and may log in there: nothing to warn of. */
const INSIDE: Inspected = {
  version: '3.2.0',
  kind: 'bootstrap',
  fetches: [],
  units: [],
  scripts: [],
  mirrors: [MIRROR],
  credentialsFor: ['mirror.lab:5000'],
  certificates: [CA],
  manifests: [],
  secrets: [],
  loginKeys: [],
  otherFiles: [],
  references: [],
  conf: conf(
    '[[registry]]\nlocation = "quay.io/release"\n[[registry.mirror]]\nlocation = "mirror.lab:5000/release"\n',
  ),
  unreadable: [],
  texts: new Map(),
  now: new Date('2026-08-20T10:00:00Z'),
};

const warned = (change: Partial<Inspected>) => warningsFor({ ...INSIDE, ...change });
const image = (text: string) => ({ path: '/x', kind: 'image' as const, text });
const url = (text: string) => ({ path: '/x', kind: 'url' as const, text });

test('warningsFor has nothing to say of a config that stays inside', () => {
  expect(warned({})).toEqual([]);
});

test('warningsFor says the same only once, and first what could not be read', () => {
  const references = [image('other.io/a:1'), image('other.io/a:1')];

  expect(warned({ references, unreadable: ['Cannot use "x"'] })).toEqual([
    'Cannot use "x"',
    '/x: no mirror covers the image other.io/a:1',
  ]);
});

test('warningsFor misses a mirror on a bootstrap machine only', () => {
  const none = { mirrors: [] };

  expect(warned({ ...none, releaseImage: `quay.io/release@${DIGEST}` })).toEqual([
    'registries.conf has no mirror: every pull goes to quay.io itself',
  ]);
  expect(warned(none)).toEqual([
    'registries.conf has no mirror: every pull goes to the source itself',
  ]);
  expect(warned({ ...none, kind: 'worker' })).toEqual([]);
});

test('warningsFor lets images pass that are mirrored, on the mirror or inside', () => {
  const references = [
    image(`quay.io/release@${DIGEST}`),
    image('quay.io/release:4.18'),
    image('mirror.lab:5000/anything:1'),
    image('localhost/a:1'),
    image('image-registry.openshift-image-registry.svc:5000/a:1'),
  ];

  expect(warned({ references })).toEqual([]);
});

test('warningsFor knows an image no rule is for, and one whose rule has no mirror', () => {
  const empty = conf('[[registry]]\nlocation = "other.io"\n');

  expect(warned({ references: [image(`other.io/a@${DIGEST}`)] })).toEqual([
    `/x: no mirror covers the image other.io/a@${DIGEST}`,
  ]);
  expect(warned({ references: [image('other.io/a:1')], conf: empty })).toEqual([
    '/x: no mirror covers the image other.io/a:1',
  ]);
});

const onlyFor = (pull: string) =>
  conf(
    `[[registry]]\nlocation = "quay.io/release"\n[[registry.mirror]]\nlocation = "mirror.lab:5000/release"\npull-from-mirror = "${pull}"\n`,
  );

test('warningsFor knows an image that the mirror skips because of the kind of pull', () => {
  const tagged = [image('quay.io/release:4.18')];
  const digested = [image(`quay.io/release@${DIGEST}`)];

  expect(warned({ references: tagged, conf: onlyFor('digest-only') })).toEqual([
    '/x: quay.io/release:4.18 has a tag, and the mirror of quay.io/release serves digests only',
  ]);
  expect(warned({ references: digested, conf: onlyFor('tag-only') })).toEqual([
    `/x: quay.io/release@${DIGEST} has a digest, and the mirror of quay.io/release serves tags only`,
  ]);
  expect(warned({ references: tagged, conf: onlyFor('tag-only') })).toEqual([]);
  expect(warned({ references: digested, conf: onlyFor('digest-only') })).toEqual([]);
});

test('warningsFor is content when one mirror of several serves the image', () => {
  const two = conf(
    '[[registry]]\nlocation = "quay.io/release"\n[[registry.mirror]]\nlocation = "a/b"\npull-from-mirror = "digest-only"\n[[registry.mirror]]\nlocation = "c/d"\n',
  );

  expect(warned({ references: [image('quay.io/release:4.18')], conf: two })).toEqual([]);
});

test('warningsFor lets addresses pass that are on the mirror, in the cluster or inside', () => {
  const references = [
    url('https://mirror.lab:8443/files'),
    url('https://console.c1.example.com/x'),
    url('https://oauth.c2.example.com/x'),
    url('https://10.0.0.1/x'),
    url('http:///nothing'),
  ];
  const texts = new Map([['/kubeconfig', 'server: https://api-int.c1.example.com:6443\n']]);
  const fetches = [{ source: 'https://api.c2.example.com:22623/config/master', verified: false }];

  expect(warned({ references, texts, fetches })).toEqual([]);
  expect(warned({ references })).toEqual([
    '/x: https://console.c1.example.com/x is outside the mirror',
    '/x: https://oauth.c2.example.com/x is outside the mirror',
  ]);
});

test('warningsFor asks for a credential for each mirror, but not of a config without a pull secret', () => {
  const mirrors = [
    MIRROR,
    { ...MIRROR, source: 'b', mirrors: ['other.lab/b', 'mirror.lab:5000/b'] },
  ];
  const missing = 'The pull secret has no credential for the mirror other.lab';

  expect(warned({ mirrors })).toEqual([missing]);
  expect(warned({ mirrors, kind: 'worker' })).toEqual([missing]);
  expect(warned({ mirrors, kind: 'worker', credentialsFor: [] })).toEqual([]);
  expect(warned({ credentialsFor: [] })).toEqual([
    'The pull secret has no credential for the mirror mirror.lab:5000',
  ]);
});

test('warningsFor misses a CA for the mirror where the trust store is given none', () => {
  const elsewhere = { ...CA, path: '/opt/openshift/tls/root-ca.crt' };
  const missing = 'No CA is added to the trust store: the mirror must have a public certificate';

  expect(warned({ certificates: [elsewhere] })).toEqual([missing]);
  expect(warned({ certificates: [elsewhere, CA] })).toEqual([]);
  expect(
    warned({ certificates: [{ ...CA, path: '/etc/containers/certs.d/mirror.lab/ca.crt' }] }),
  ).toEqual([]);
  expect(warned({ certificates: [], kind: 'worker' })).toEqual([]);
});

test('warningsFor tells of mirrors that are not verified, and of sources nothing can come from', () => {
  const insecure = { ...MIRROR, insecure: true };
  const blocked = { ...MIRROR, source: 'docker.io', blocked: true };

  expect(warned({ mirrors: [insecure, blocked] })).toEqual([
    'The mirror of quay.io/release is used without verifying its certificate',
  ]);
  expect(warned({ mirrors: [MIRROR, { ...blocked, mirrors: [] }] })).toEqual([
    'docker.io is blocked and has no mirror: nothing can be pulled from it',
  ]);
  expect(warned({ mirrors: [MIRROR, { ...blocked, blocked: false, mirrors: [] }] })).toEqual([]);
});

const proxied = (noProxy: string) =>
  warned({
    texts: new Map([
      ['/etc/profile.d/proxy.sh', 'export HTTPS_PROXY="http://10.0.0.1:3128"\n'],
      ['/etc/no-proxy', noProxy],
    ]),
  });

test.each(['NO_PROXY="mirror.lab"', 'NO_PROXY=*', 'no_proxy=a, lab', 'NO_PROXY=.lab,.svc'])(
  'warningsFor is content with a proxy and %s',
  (noProxy) => {
    expect(proxied(noProxy)).toEqual([]);
  },
);

test.each(['', 'NO_PROXY=', 'NO_PROXY=".svc,or.lab"', 'NO_PROXY=ab', 'NO_PROXY=x\nmirror.lab'])(
  'warningsFor fears that the proxy catches the mirror with %j',
  (noProxy) => {
    expect(proxied(noProxy)).toEqual([
      'A proxy is set and NO_PROXY does not have the mirror mirror.lab:5000',
    ]);
  },
);

test('warningsFor asks for no exception where no proxy is set', () => {
  expect(warned({ texts: new Map([['/x', 'NO_PROXY=.svc']]) })).toEqual([]);
});

test('warningsFor tells which certificates have ended or have not begun', () => {
  const certificates = (['expired', 'not yet valid', 'ends soon', 'valid'] as const).map(
    (state) => ({ ...CA, state }),
  );

  expect(warned({ certificates })).toEqual([
    `${CA.path}: the certificate of CN=mirror expired at 2027-01-01T00:00:00.000Z`,
    `${CA.path}: the certificate of CN=mirror is not valid before 2026-01-01T00:00:00.000Z`,
  ]);
});

test('warningsFor tells of what is fetched without encryption and without a hash', () => {
  const fetches = [
    { source: 'http://10.0.0.1/a.ign', verified: false },
    { source: 'http://10.0.0.1/b.ign', verified: true },
    { source: 'https://10.0.0.1/c.ign', verified: false },
  ];

  expect(warned({ fetches })).toEqual([
    'http://10.0.0.1/a.ign is fetched without encryption and without a hash',
  ]);
});

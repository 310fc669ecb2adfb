import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { inspectIgnition } from './inspect.ts';

const NOW = new Date('2026-08-20T10:00:00Z');
const DIGEST = `sha256:${'ab'.repeat(32)}`;
const RELEASE = `quay.io/openshift-release-dev/ocp-release@${DIGEST}`;
const data = (text: string) =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
const file = (path: string, text: string, mode = 0o644) => ({
  path,
  mode,
  contents: { source: data(text) },
});

const REGISTRIES = `
[[registry]]
  location = "quay.io/openshift-release-dev/ocp-release"
  mirror-by-digest-only = true
  [[registry.mirror]]
    location = "mirror.lab:5000/openshift/release-images"
`;
const PULL_SECRET = JSON.stringify({
  auths: { 'mirror.lab:5000': { auth: 'cm9ib3Q6Z2VoZWltMTIz' } },
});

interface Parts {
  readonly files?: readonly object[];
  readonly units?: readonly object[];
  readonly ignition?: object;
  readonly users?: readonly object[];
}

const config = ({ files = [], units = [], ignition = {}, users = [] }: Parts): string =>
  JSON.stringify({
    ignition: { version: '3.2.0', ...ignition },
    passwd: { users },
    storage: { files },
    systemd: { units },
  });

const inspect = (parts: Parts) => inspectIgnition('x.ign', config(parts), NOW);

const BOOTSTRAP: Required<Pick<Parts, 'files' | 'units'>> = {
  files: [
    file('/usr/local/bin/bootkube.sh', '#!/bin/bash\n# https://github.com/x/y\necho hi\n', 0o555),
    file('/usr/local/bin/release-image.sh', `#!/bin/bash\npodman inspect ${RELEASE}\n`, 0o555),
    file('/etc/containers/registries.conf', REGISTRIES),
    file('/root/.docker/config.json', PULL_SECRET, 0o600),
    file('/opt/openshift/manifests/cm.yaml', 'kind: ConfigMap\nmetadata:\n  name: one\n'),
    file(
      '/opt/openshift/openshift/s.yaml',
      'kind: Secret\nmetadata:\n  name: s\ndata:\n  password: Z2VoZWltMTIz\n',
    ),
    file('/opt/openshift/tls/root.key', '-----BEGIN RSA PRIVATE KEY-----\ngeheim123\n'),
  ],
  units: [
    {
      name: 'progress.service',
      enabled: true,
      contents: '[Unit]\nWants=bootkube.service\nAfter=bootkube.service\n',
    },
    {
      name: 'bootkube.service',
      contents:
        '[Unit]\nDescription=Bootstrap a cluster\nAfter=kubelet.service\n[Service]\nExecStart=/usr/local/bin/bootkube.sh\nRestart=on-failure\n',
    },
    {
      name: 'kubelet.service',
      enabled: true,
      contents: '[Unit]\nAfter=release-image.service\nWants=release-image.service\n',
    },
    { name: 'release-image.service', contents: '[Unit]\nDescription=Download\n' },
    { name: 'zincati.service', mask: true },
  ],
};

test('inspectIgnition tells what a bootstrap machine will do', () => {
  const inspection = inspect(BOOTSTRAP);

  expect(inspection).toMatchObject({
    kind: 'bootstrap',
    releaseImage: RELEASE,
    credentialsFor: ['mirror.lab:5000'],
    mirrors: [
      { source: 'quay.io/openshift-release-dev/ocp-release', digestOnly: true, blocked: false },
    ],
    manifests: [
      { kind: 'ConfigMap', name: 'one' },
      { kind: 'Secret', name: 's' },
    ],
  });
  expect(inspection.scripts.map(({ path }) => path)).toEqual([
    '/usr/local/bin/bootkube.sh',
    '/usr/local/bin/release-image.sh',
  ]);
});

test('inspectIgnition lists units in boot order with what starts them', () => {
  const { units } = inspect(BOOTSTRAP);

  expect(units.map(({ name, started }) => [name, started])).toEqual([
    ['release-image.service', 'by kubelet.service'],
    ['kubelet.service', 'enabled'],
    ['bootkube.service', 'by progress.service'],
    ['progress.service', 'enabled'],
    ['zincati.service', 'masked'],
  ]);
});

/** The order of the real bootstrap machine: what its system is made of comes before everything else. */
const OVERLAY = {
  files: [
    file(
      '/etc/systemd/system/node-image-finish.service',
      '[Unit]\nRequires=node-image-overlay.service\nAfter=node-image-overlay.service\n',
    ),
    file(
      '/etc/systemd/system/node-image-overlay.service',
      '[Unit]\nRequires=node-image-pull.service\nAfter=node-image-pull.service\n',
    ),
    file(
      '/etc/systemd/system/node-image-overlay.target',
      '[Unit]\nRequires=basic.target\nRequires=node-image-overlay.service\nRequires=node-image-finish.service\n',
    ),
    file(
      '/etc/systemd/system/node-image-pull.service',
      '[Unit]\nDescription=Node Image Pull\nAfter=network.target\n[Service]\nExecStart=/usr/local/bin/node-image-pull.sh\n',
    ),
    file(
      '/etc/systemd/system-generators/node-image-overlay-generator',
      '#!/bin/bash\nln -sf "/etc/systemd/system/node-image-overlay.target" "$1/default.target"\n',
      0o755,
    ),
  ],
  units: [
    {
      name: 'kubelet.service',
      enabled: true,
      contents: '[Unit]\nWants=crio.service\nAfter=crio.service release-image.service\n',
    },
    {
      name: 'crio-configure.service',
      enabled: true,
      contents:
        '[Unit]\nAfter=release-image.service\nRequires=release-image.service\nBefore=crio.service\n[Install]\nRequiredBy=crio.service\n',
    },
    { name: 'release-image.service', contents: '[Unit]\nAfter=network-online.target\n' },
  ],
};

test('inspectIgnition lists units that come as files, and what a generator starts before all others', () => {
  const { units, otherFiles } = inspect(OVERLAY);

  expect(units.map(({ name, started }) => [name, started])).toEqual([
    ['node-image-pull.service', 'by node-image-overlay.service'],
    ['node-image-overlay.service', 'by node-image-finish.service'],
    ['node-image-finish.service', 'by node-image-overlay.target'],
    ['node-image-overlay.target', 'by node-image-overlay-generator'],
    ['release-image.service', 'by crio-configure.service'],
    ['crio-configure.service', 'enabled'],
    ['kubelet.service', 'enabled'],
  ]);
  expect(units[0]?.runs).toEqual(['/usr/local/bin/node-image-pull.sh']);
  expect(otherFiles).toEqual([]);
});

test('inspectIgnition keeps the order through a unit that is not in the config', () => {
  const names = inspect({ units: OVERLAY.units }).units.map(({ name }) => name);

  expect(names.indexOf('crio-configure.service')).toBeLessThan(names.indexOf('kubelet.service'));
});

test('inspectIgnition takes quadlets for units, with what podman runs', () => {
  const { units } = inspect({
    files: [
      file(
        '/etc/containers/systemd/ironic.container',
        '[Unit]\nAfter=ironic-volume.service build-ironic-env.service\n[Container]\nImage=quay.io/ironic\nExec=/bin/runironic\n[Install]\nWantedBy=multi-user.target\n',
      ),
      file('/etc/containers/systemd/ironic.volume', '[Volume]\n'),
    ],
    units: [{ name: 'build-ironic-env.service', enabled: true, contents: '[Unit]\n' }],
  });

  expect(units.map(({ name, started }) => [name, started])).toEqual([
    ['build-ironic-env.service', 'enabled'],
    ['ironic-volume.service', 'not by this config'],
    ['ironic.service', 'enabled'],
  ]);
  expect(units[2]?.runs).toEqual(['podman run quay.io/ironic /bin/runironic']);
});

test('inspectIgnition counts drop-ins and links that come as files', () => {
  const text = JSON.stringify({
    ignition: { version: '3.2.0' },
    storage: {
      files: [
        file('/etc/systemd/system/late.service', '[Unit]\nDescription=Late\n'),
        file('/etc/systemd/system/late.service.d/10.conf', '[Unit]\nAfter=early.service\n'),
        file('/etc/systemd/system/early.service', '[Unit]\n'),
      ],
      links: [
        {
          path: '/etc/systemd/system/multi-user.target.wants/late.service',
          target: '../late.service',
        },
        { path: '/etc/systemd/system/zincati.service', target: '/dev/null' },
      ],
    },
  });

  const { units } = inspectIgnition('x.ign', text, NOW);

  expect(units.map(({ name, started }) => [name, started])).toEqual([
    ['early.service', 'not by this config'],
    ['late.service', 'enabled'],
    ['zincati.service', 'masked'],
  ]);
});

test.each([
  [
    'merges what the config server has',
    { merge: [{ source: 'https://api-int.c1:22623/config/master' }] },
  ],
  ['is replaced by another', { replace: { source: 's3://bucket/bootstrap.ign' } }],
])('inspectIgnition knows a pointer that %s, also when files were added to it', (_, target) => {
  const files = [file('/etc/hosts', '10.0.0.1 mirror.lab\n')];

  expect(inspect({ files, ignition: { config: target } }).kind).toBe('pointer');
});

test('inspectIgnition names secrets and never shows one', () => {
  const users = [
    { name: 'core', passwordHash: '$6$geheim123', sshAuthorizedKeys: ['ssh-ed25519 AAAA me@x'] },
  ];

  const inspection = inspect({ ...BOOTSTRAP, users });

  expect(inspection.secrets).toEqual([
    { path: '/root/.docker/config.json', holds: 'credentials for mirror.lab:5000' },
    { path: '/opt/openshift/openshift/s.yaml', holds: 'Secret with password' },
    { path: '/opt/openshift/tls/root.key', holds: 'private key' },
    { path: 'user core', holds: 'password hash' },
  ]);
  expect(inspection.loginKeys[0]).toMatch(/^core: ssh-ed25519 me@x SHA256:/);
  expect(JSON.stringify(inspection)).not.toMatch(/geheim123|Z2VoZWltMTIz/);
});

test('inspectIgnition has no warning but the missing CA for a config that stays inside', () => {
  expect(inspect(BOOTSTRAP).warnings).toEqual([
    'No CA is added to the trust store: the mirror must have a public certificate',
  ]);
});

test.each([
  [
    'an image no mirror covers',
    file('/usr/local/bin/x.sh', `podman pull registry.redhat.io/a/b@${DIGEST}`),
    /no mirror covers the image registry\.redhat\.io/,
  ],
  [
    'a tag under a digest-only mirror',
    file('/x', 'image: quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64'),
    /has a tag, and the mirror of .* serves digests only/,
  ],
  [
    'a URL outside',
    file('/x', 'curl https://mirror.openshift.com/pub/x'),
    /mirror\.openshift\.com\/pub\/x is outside the mirror/,
  ],
  [
    'a mirror without credential',
    file('/root/.docker/config.json', '{"auths":{"quay.io":{"auth":"eA=="}}}'),
    /no credential for the mirror mirror\.lab:5000/,
  ],
  [
    'a proxy that would catch the mirror',
    file(
      '/etc/profile.d/proxy.sh',
      'export HTTPS_PROXY="http://10.0.0.1:3128"\nexport NO_PROXY=".svc,lab.example"',
    ),
    /NO_PROXY does not have the mirror/,
  ],
  [
    'an insecure mirror',
    file(
      '/etc/containers/registries.conf',
      REGISTRIES.replace('release-images"', 'release-images"\n    insecure = true'),
    ),
    /without verifying its certificate/,
  ],
  [
    'no mirror at all',
    file('/etc/containers/registries.conf', ''),
    /registries\.conf has no mirror/,
  ],
])('inspectIgnition warns of %s', (_, extra, warning) => {
  const kept = BOOTSTRAP.files.filter((one) => (one as { path: string }).path !== extra.path);

  const { warnings } = inspect({ ...BOOTSTRAP, files: [...kept, extra] });

  expect(warnings.join('\n')).toMatch(warning);
});

test.each(['*.example.com', 'reg.example.com'])(
  'inspectIgnition sees that the mirror of %s covers an image at a port',
  (prefix) => {
    const rules = `[[registry]]\nprefix = "${prefix}"\nlocation = "reg.example.com"\n[[registry.mirror]]\nlocation = "mirror.lab:5000"\n`;
    const files = [
      file('/etc/containers/registries.conf', rules),
      file('/usr/local/bin/run.sh', '#!/bin/bash\npodman run reg.example.com:5000/a/b:v1\n', 0o555),
    ];

    const { warnings } = inspect({ files });

    expect(warnings.join('\n')).not.toContain('no mirror covers');
  },
);

test('inspectIgnition takes the table of a drop-in instead of the one in the main file', () => {
  const table = (mirror: string) =>
    `[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "${mirror}"\n`;

  const { mirrors } = inspect({
    files: [
      file('/etc/containers/registries.conf.d/1.conf', table('dropped.in')),
      file('/etc/containers/registries.conf', table('main.file')),
    ],
  });

  expect(mirrors).toMatchObject([{ source: 'quay.io', mirrors: ['dropped.in'] }]);
});

test('inspectIgnition warns of a registries.conf that nodes cannot use, and tells the rest', () => {
  const { kind, warnings } = inspect({
    files: [...BOOTSTRAP.files.slice(0, 1), file('/etc/containers/registries.conf', '[[registry')],
  });

  expect(kind).toBe('bootstrap');
  expect(warnings[0]).toMatch(/^Cannot use "\/etc\/containers\/registries\.conf": line 1/);
});

test('inspectIgnition is content with names inside the cluster and comments', () => {
  const extra = file(
    '/opt/openshift/auth/kubeconfig',
    'server: https://api-int.c1.example.com:6443\nurl: https://console.c1.example.com/x\n# see https://docs.openshift.com\nlocal: https://localhost:2379 https://10.0.0.1:6443\n',
  );

  expect(inspect({ ...BOOTSTRAP, files: [...BOOTSTRAP.files, extra] }).warnings).toHaveLength(1);
});

test('inspectIgnition tells where a pointer config points', () => {
  const source = 'https://api-int.c1.example.com:22623/config/master';

  const inspection = inspect({ ignition: { config: { merge: [{ source }] } } });

  expect(inspection).toMatchObject({ kind: 'pointer', fetches: [{ source, verified: false }] });
  expect(inspection.warnings).toEqual([]);
});

test('inspectIgnition knows a rendered worker config and compressed content', () => {
  const compressed = {
    path: '/etc/kubelet-args',
    contents: {
      source: `data:;base64,${gzipSync('--node-labels=node-role.kubernetes.io/worker').toString('base64')}`,
      compression: 'gzip',
    },
  };

  expect(inspect({ files: [compressed] }).kind).toBe('worker');
});

test.each(['3.0.0', '3.1.0', '3.4.0', '3.5.0', '3.6.0-experimental'])(
  'inspectIgnition reads specification %s',
  (version) => {
    expect(inspect({ ignition: { version } }).version).toBe(version);
  },
);

test.each([
  ['2.2.0', config({ ignition: { version: '2.2.0' } }), /version is "2\.2\.0"/],
  ['text', 'no json', /not JSON/],
  ['another document', '{"kind":"List"}', /ignition/],
  [
    'a broken data URL',
    config({ files: [{ path: '/x', contents: { source: 'data:,%zz' } }] }),
    /\/x.*data URL/,
  ],
  [
    'content that does not unfold',
    config({ files: [{ path: '/x', contents: { source: 'data:,abc', compression: 'gzip' } }] }),
    /decompressed/,
  ],
])('inspectIgnition refuses %s', (_, text, message) => {
  expect(() => inspectIgnition('x.ign', text, NOW)).toThrow(message);
});

describeWithPeers(['openssl'], 'inspectIgnition with real certificates', () => {
  test('tells when they end, also inside a kubeconfig, and warns once they have', async () => {
    const directory = await tempDir();
    const path = join(directory, 'ca.crt');
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...[
        '-keyout',
        join(directory, 'ca.key'),
        '-out',
        path,
        '-days',
        '10',
        '-subj',
        '/CN=mirror CA',
      ],
    ]);
    const pem = await readFile(path, 'utf8');
    const files = [
      file('/etc/pki/ca-trust/source/anchors/ca.crt', pem),
      file('/kubeconfig', `certificate-authority-data: ${Buffer.from(pem).toString('base64')}`),
    ];
    const at = (days: number) =>
      inspectIgnition('x', config({ files }), new Date(Date.now() + days * 86_400_000));

    expect(at(1).certificates).toMatchObject([
      { subject: 'CN=mirror CA', ca: true, state: 'ends soon' },
      { path: '/kubeconfig', state: 'ends soon' },
    ]);
    expect(at(20).warnings[0]).toMatch(/certificate of CN=mirror CA expired at/);
  });
});

test('inspectIgnition names a registry once, however many files have its login', () => {
  const files = ['/root/.docker/config.json', '/var/lib/kubelet/config.json'].map((path) =>
    file(path, PULL_SECRET, 0o600),
  );

  expect(inspect({ files }).credentialsFor).toEqual(['mirror.lab:5000']);
});

test('inspectIgnition tells of each manifest what it is, and which cannot be read', () => {
  const { manifests } = inspect({
    files: [
      file(
        '/opt/openshift/manifests/two.yaml',
        'kind: A\n---\n---\nkind: B\nmetadata:\n  name: b\n',
      ),
      file('/var/opt/openshift/openshift/one.json', '{"kind":"C","metadata":{"name":"c"}}'),
      file('/opt/openshift/manifests/words.yml', 'just: words\n'),
      file('/opt/openshift/manifests/broken.yaml', 'kind: Broken\nmetadata: {\n'),
      file('/opt/openshift/manifests/deeper/x.yaml', 'kind: D\n'),
    ],
  });

  expect(manifests).toEqual([
    { path: '/opt/openshift/manifests/two.yaml', kind: 'A', name: '' },
    { path: '/opt/openshift/manifests/two.yaml', kind: 'B', name: 'b' },
    { path: '/var/opt/openshift/openshift/one.json', kind: 'C', name: 'c' },
    { path: '/opt/openshift/manifests/broken.yaml', kind: 'unreadable', name: '' },
  ]);
});

test('inspectIgnition tells scripts by their mode or their first line, and what is neither that nor a unit', () => {
  const { scripts, otherFiles } = inspect({
    files: [
      file('/usr/local/bin/a', 'abc', 0o755),
      file('/usr/local/bin/b', '#!/bin/sh\n'),
      file('/etc/c', 'plain'),
      { path: '/etc/fetched', contents: { source: 'https://10.0.0.1/x' } },
      { path: '/usr/local/bin/fetched', mode: 0o555, contents: { source: 'https://10.0.0.1/x' } },
      file('/etc/systemd/system/d.service', '[Unit]'),
      file('/opt/openshift/manifests/e.yaml', 'kind: E'),
    ],
  });

  expect(scripts.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
    ['/usr/local/bin/a', 3],
    ['/usr/local/bin/b', 10],
    ['/usr/local/bin/fetched', 0],
  ]);
  expect(scripts[0]?.sha256).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  expect(otherFiles).toEqual(['/etc/c', '/etc/fetched']);
});

const ENCAPSULATED = '/etc/ignition-machine-config-encapsulated.json';

test.each([
  ['bootstrap', { units: [{ name: 'bootkube.service', contents: '' }] }],
  ['bootstrap', { files: [file('/usr/local/bin/bootkube.sh', '#!')] }],
  ['master', { files: [file(ENCAPSULATED, '{"name":"rendered-master-1"}')] }],
  ['worker', { files: [file(ENCAPSULATED, '{"name":"rendered-worker-1"}')] }],
  ['master', { files: [file('/x', '--node-labels=node-role.kubernetes.io/master')] }],
  ['other', { files: [file('/etc/x', 'nothing')] }],
  ['other', {}],
  ['pointer', { ignition: { config: { merge: [{ source: 'https://10.0.0.1/x' }] } } }],
  [
    'other',
    {
      files: [file('/etc/x', 'nothing')],
      ignition: { config: { merge: [{ source: 'https://10.0.0.1/x' }] } },
    },
  ],
  ['other', { ignition: { config: { merge: [{ source: 'data:,x' }, {}] } } }],
] as const)('inspectIgnition takes a config for a %s: %j', (kind, parts) => {
  expect(inspect(parts).kind).toBe(kind);
});

test('inspectIgnition tells what is fetched, first what replaces all, and whether its hash is known', () => {
  const { fetches } = inspect({
    ignition: {
      config: {
        merge: [{ source: 'https://a/x' }, { source: 'data:,x' }],
        replace: { source: 's3://b/y', verification: { hash: 'sha512-x' } },
      },
    },
  });

  expect(fetches).toEqual([
    { source: 's3://b/y', verified: true },
    { source: 'https://a/x', verified: false },
  ]);
});

test('inspectIgnition takes the release image from the first script that names one', () => {
  const script = (name: string, image: string) =>
    file(`/usr/local/bin/${name}`, `https://a.io/x\npodman pull ${image}\n`);

  expect(
    inspect({
      files: [script('node-image-pull.sh', 'q.io/b:1'), script('release-image.sh', 'q.io/a:1')],
    }).releaseImage,
  ).toBe('q.io/a:1');
  expect(inspect({ files: [script('release-image-download.sh', 'q.io/c:1')] }).releaseImage).toBe(
    'q.io/c:1',
  );
  expect(inspect({ files: [script('other.sh', 'q.io/a:1')] })).not.toHaveProperty('releaseImage');
});

const tableOf = (more: string, mirror = '') =>
  inspect({
    files: [
      file(
        '/etc/containers/registries.conf',
        `[[registry]]\nlocation = "q.io"\n${more}\n[[registry.mirror]]\nlocation = "m.lab/q"\n${mirror}`,
      ),
    ],
  }).mirrors[0];

test('inspectIgnition tells of a mirror whether it serves digests only, is not verified or blocked', () => {
  const plain = {
    source: 'q.io',
    mirrors: ['m.lab/q'],
    digestOnly: false,
    blocked: false,
    insecure: false,
  };

  expect(tableOf('')).toEqual(plain);
  expect(tableOf('mirror-by-digest-only = true')).toEqual({ ...plain, digestOnly: true });
  expect(tableOf('', 'pull-from-mirror = "digest-only"')).toEqual({ ...plain, digestOnly: true });
  expect(tableOf('blocked = true')).toEqual({ ...plain, blocked: true });
  expect(tableOf('insecure = true')).toEqual({ ...plain, insecure: true });
  expect(tableOf('', 'insecure = true')).toEqual({ ...plain, insecure: true });
});

test('inspectIgnition takes a source without a mirror for none that serves digests only', () => {
  const { mirrors } = inspect({
    files: [file('/etc/containers/registries.conf', '[[registry]]\nlocation = "q.io"\n')],
  });

  expect(mirrors).toMatchObject([{ mirrors: [], digestOnly: false }]);
});

test('inspectIgnition looks for addresses in units, and not in samples and notices', () => {
  const address = 'https://outside.example.org/x';
  const files = ['/usr/share/doc/x', '/etc/motd.d/x', '/etc/issue'].map((path) =>
    file(path, address),
  );

  const { warnings } = inspect({
    files,
    units: [{ name: 'a.service', contents: `ExecStart=curl ${address}` }],
  });

  expect(warnings).toEqual([`a.service: ${address} is outside the mirror`]);
});

test('inspectIgnition shows nothing that is only there to make warnings from', () => {
  expect(Object.keys(inspect({})).toSorted()).toEqual([
    ...['certificates', 'credentialsFor', 'fetches', 'kind', 'loginKeys', 'manifests', 'mirrors'],
    ...['otherFiles', 'scripts', 'secrets', 'units', 'version', 'warnings'],
  ]);
});

import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { generateKey } from 'openpgp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hashPassword } from '../src/registry/auth/passwords.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { commandsOf, GUIDE, guideHome, type Typed, typeInShell } from './support/guide.ts';
import { tempDir } from './support/temp.ts';
import { publishUpstream } from './support/upstream.ts';

// Every command of README and guide, typed into a shell as it stands. All hosts in them lead to one registry on
// loopback, through the proxy that the environment names.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const HOSTS = [
  ...['quay.io', 'registry.redhat.io', 'mirror.example', 'mirror.example.com', 'mirror.local'],
  ...['other.example.com', 'old.example.com', 'quay.example.com'],
];

/** What cannot be run here, and why. Each has to fit a command that is there. */
const EXCEPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^npm /, 'builds, tests or measures the project itself'],
  [/^aws |^umask|jq -r '|network\.json|keys\.json/, 'needs AWS: guide-aws.test.ts runs it'],
  [/^(scp|ssh|openssl s_client) /, 'another machine'],
  [/\| source /, 'another shell'],
  [/^echo \$\?/, 'about the command before it'],
  [/DIGEST=FILE/, 'the reader fills it in'],
  [/mirror follow .*--every/, 'goes on until it is stopped: mirror-follow.test.ts runs it'],
  [/registry upgrade/, 'a unit of systemd and a newer atoll: registry-upgrade.test.ts runs it'],
  [/extract --tools/, 'the release of the fixture has no tools'],
  [/registry serve|localhost:8443/, 'serves on a fixed port until it is stopped'],
  [/^atoll lab|lab\/site/, 'guide-lab.test.ts runs it'],
  [
    /^atoll rehearse/,
    'needs an install-config and a mirrored release: rehearse-command.test.ts runs it',
  ],
  [/^atoll plan/, 'needs the names of a site in DNS: site-commands.test.ts runs it'],
  [
    /^atoll (up|apply)/,
    'needs a cluster and the installer of a release: guide-site.test.ts runs it',
  ],
  [
    /release (info|verify)|mirror release|ocp\/openshift\/release-images|--requests requests/,
    'needs what Red Hat signs and serves: release-commands.test.ts runs it with other keys',
  ],
];

const commands = ['README.md', ...GUIDE].flatMap(commandsOf);
const exceptionFor = ({ line }: Typed) => EXCEPTIONS.find(([pattern]) => pattern.test(line));

let registry: EmbeddedRegistry;
let proxy: Server;
let home: string;

const shell = (folder: string, line: string) =>
  typeInShell(folder, line, {
    home,
    answers: / delete .*--execute/.test(line),
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: join(home, 'made/tls/ca.crt'),
    },
  });

/** Whoever connects to a host gets the registry. */
function startProxy(port: number): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const upstream = connect(port, '127.0.0.1').on('error', () => socket.destroy());
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

beforeAll(async () => {
  home = guideHome();
  writeFileSync(join(home, 'pull-secret.json'), AUTH(['quay.io']));
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id_ed25519.pub'), PUBLIC_KEY);
  proxy = createServer().listen(0);
  expect(
    await shell(home, `atoll registry init --dir made --host ${HOSTS.join(',')}`),
  ).toBeUndefined();
  proxy.close();
  const tls = {
    certificate: join(home, 'made/tls/server.crt'),
    key: join(home, 'made/tls/server.key'),
  };
  registry = await startEmbeddedRegistry({ listeners: [{ port: 0 }, { port: 0, tls }] });
  await publishUpstream(registry.url);
  proxy = await startProxy(registry.running.listeners[1]?.port ?? 0);
});
afterAll(async () => {
  proxy?.close();
  await registry?.stop();
  rmSync(home, { recursive: true, force: true });
});

const AUTH = (hosts: readonly string[]) =>
  JSON.stringify({
    auths: Object.fromEntries(hosts.map((host) => [host, { auth: 'bWU6c2VjcmV0' }])),
  });

const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGVleGFtcGxlZXhhbXBsZWV4YW1wbGVleGFt me\n';

/** What the documents take for granted: files that a reader has, under the names they use. */
async function prepare(folder: string): Promise<void> {
  const head = (kind: string) => `apiVersion: mirror.openshift.io/v2alpha1\nkind: ${kind}\n`;
  const image = 'additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n';
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'guide' }],
    passphrase: 'phrase',
  });
  const migrated = {
    apiVersion: 'operator.openshift.io/v1alpha1',
    kind: 'ImageContentSourcePolicy',
    metadata: { name: 'mirror' },
    spec: { repositoryDigestMirrors: [{ source: 'quay.io/a', mirrors: ['mirror.example/a'] }] },
  };
  const files: Readonly<Record<string, string>> = {
    'imageset.yaml': `${head('ImageSetConfiguration')}mirror:\n  ${image}`,
    'delete.yaml': `${head('DeleteImageSetConfiguration')}delete:\n  ${image}`,
    'key.asc': privateKey,
    'public.asc': publicKey,
    phrase: 'phrase\n',
    'password.txt': 'a-long-password\n',
    'pull-secret.json': AUTH(['quay.io', 'mirror.example:5000']),
    'id.pub': PUBLIC_KEY,
    htpasswd: `admin:${await hashPassword('a-long-password')}\n`,
    'auth.json': AUTH(['quay.example.com:8443']),
    'icsp.yaml': JSON.stringify(migrated),
    'bootstrap.ign': '{"ignition":{"version":"3.2.0"}}',
    hosts: '10.0.10.10 mirror.example\n',
    'aws.yaml':
      'type: aws\nregion: us-east-1\nsubnets: [{ id: subnet-0123456789abcdef0 }]\nhostedZone: Z0123456789\n',
    'bastion.ign': '{"ignition":{"version":"3.4.0"}}',
    'notes.txt': 'level=error msg="no space left on device"\n',
    'log-bundle-20260820105959.tar.gz': '',
  };
  for (const path of ['must-gather', 'install-dir', 'srv', 'media/disk', 'bundles']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'must-gather/events.txt'), files['notes.txt'] ?? '');
  writeFileSync(join(folder, 'install-dir/.openshift_install.log'), files['notes.txt'] ?? '');
  // The disk that was carried, as it is found on the other side.
  symlinkSync('../media/disk/bundle', join(folder, 'srv/bundle'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  for (const [from, to] of [
    ['ca.crt', 'ca.crt'],
    ['ca.crt', 'mirror-ca.crt'],
    ['ca.crt', 'rootCA.pem'],
    ['server.crt', 'mirror.pem'],
    ['server.crt', 'tls.crt'],
    ['server.key', 'tls.key'],
  ] as const) {
    cpSync(join(home, 'made/tls', from), join(folder, to));
  }
}

/** Folders of an operator's machine, here below the folder of the test; and words that stand for a bucket and a release. */
const ours = (line: string): string =>
  line
    .replace(/(?<=[ =])\/(media|mnt|opt|srv)\//g, './$1/')
    .replace('BUCKET', 'site-ignition')
    .replace(/\bREF\b/, 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64');

/** What was carried before, and an image that the documents made up. */
const BEFORE: Readonly<Record<string, string>> = {
  'docs/guide/airgap.md': 'atoll mirror save -c imageset.yaml --to bundles/2026-08 --dir before',
  'docs/guide/registries.md':
    'atoll mirror copy docker://quay.io/openshifttest/helm:3.17.0 docker://quay.io/org/app:v1',
};

const DOCUMENTS = [...new Set(commands.map(({ file }) => file))];

test.each(DOCUMENTS)('the commands of %s work as they stand', async (file) => {
  const folder = await tempDir();
  await prepare(folder);
  expect(await shell(folder, BEFORE[file] ?? 'true')).toBeUndefined();
  const failed: string[] = [];
  for (const typed of commands.filter((each) => each.file === file)) {
    if (exceptionFor(typed)) continue;
    const problem = await shell(folder, ours(typed.line));
    if (problem !== undefined) failed.push(problem);
  }

  expect(failed).toEqual([]);
});

test('every exception is needed, and most commands are none', () => {
  const unused = EXCEPTIONS.filter(([pattern]) => !commands.some(({ line }) => pattern.test(line)));
  const run = commands.filter((typed) => !exceptionFor(typed));

  expect(unused.map(([, reason]) => reason)).toEqual([]);
  expect(run.length).toBeGreaterThan(60);
});

test('a sync in a pipe says one line for each image, and ends well when the pipe does not', async () => {
  const folder = await tempDir();
  await prepare(folder);
  const sync = (place: string) =>
    `atoll mirror sync -c imageset.yaml --to docker://mirror.example.com:5000/${place} --dir ${place} 2>&1`;

  const counted = await shell(folder, `test $(${sync('all')} | grep -c 'helm:3.17.0 →') = 1`);
  const cut = await shell(folder, `${sync('cut')} | head -n 1; exit \${PIPESTATUS[0]}`);

  expect([counted, cut]).toEqual([undefined, undefined]);
  expect(await shell(folder, 'test -s cut/working-dir/mirrored.json')).toBeUndefined();
});

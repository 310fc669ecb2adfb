import { readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fakeProcess } from '../../../../test/support/fake-process.ts';
import { nullDevice } from '../../../../test/support/null-device.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { readYaml } from '../../../core/yaml.ts';
import { readMirrorSets } from '../../../generate/mirror-set-migration.ts';
import { runCommandLine } from '../../run.ts';
import { RENDER_COMMANDS } from './index.ts';

const SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b\n';
const PULL_SECRET = '{"auths":{"mirror.example:5000":{"auth":"YWRtaW46cHc="}}}';

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function atoll(argv: readonly string[], stdin = ''): Promise<Outcome> {
  const process = fakeProcess();
  process.stdin.end(stdin);
  const set = { commands: RENDER_COMMANDS, groups: { render: 'Render' } };
  const status = await runCommandLine(['render', ...argv], set, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

/** A folder with these files; returns the path of each. */
async function folder(files: Readonly<Record<string, string>>): Promise<(name: string) => string> {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return (name) => join(dir, name);
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('render', () => {
  test('--to writes to a device and through a link, and leaves both what they are', async ({
    skip,
  }) => {
    const at = await folder({ old: 'old\n' });
    const device = (await nullDevice(at(''))) ?? skip();
    await symlink(device, at('nowhere'));
    await symlink('old', at('link'));
    const argv = ['chrony', '--server', 'ntp.example', '--to'];

    const outcomes = [await atoll([...argv, at('nowhere')]), await atoll([...argv, at('link')])];

    expect(outcomes.map(({ status }) => status)).toEqual([0, 0]);
    expect(await readlink(at('nowhere'))).toBe(device);
    expect((await stat(device)).isCharacterDevice()).toBe(true);
    expect(await readlink(at('link'))).toBe('old');
    expect(await readFile(at('old'), 'utf8')).toContain('ntp.example');
  });

  test.each([
    [['ignition', '--ssh-key', 'FILE'], 'it is not a public SSH key'],
    [['ignition', '--trust', 'mirror=FILE'], 'it holds none'],
    [['image-config', '--ca', 'mirror.example:5000=FILE'], 'it holds none'],
    [
      ['user-data', '--source', 's3://a/b', '--hash', `sha512-${'0'.repeat(128)}`, '--ca', 'FILE'],
      'it holds none',
    ],
    [
      ['release-signatures', '--signature', `sha256:${'0'.repeat(64)}=FILE`, '--merge', 'FILE'],
      'no ConfigMap',
    ],
  ])('refuses a file that is something else: %j', async (argv, found) => {
    const path = (await folder({ notes: 'just words\n' }))('notes');

    const { status, stdout, stderr } = await atoll(argv.map((word) => word.replace('FILE', path)));

    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toContain(`"${path}": `);
    expect(stderr).toContain(found);
    expect(stderr).toContain('next: ');
  });

  test('prints the file and nothing else', async () => {
    const { status, stdout, stderr } = await atoll(['samples']);

    expect([status, stderr]).toEqual([0, '']);
    expect(parse(stdout).spec).toEqual({ managementState: 'Removed' });
  });

  test('switches telemetry off', async () => {
    const { stdout } = await atoll(['monitoring-config']);

    expect(parse(parse(stdout).data['config.yaml'])).toEqual({
      telemeterClient: { enabled: false },
    });
  });

  test('returns the file in JSON', async () => {
    const { stdout } = await atoll(['samples', '--output', 'json']);
    const result = JSON.parse(stdout);

    expect(parse(result.contents).kind).toBe('Config');
    expect(result).toMatchObject({ sizeBytes: result.contents.length, digest: expect.any(String) });
  });

  test('writes with --to, says so, and returns no content', async () => {
    const path = (await folder({}))('a/b/samples.yaml');
    const { stdout } = await atoll(['samples', '--to', path, '--output', 'json']);

    expect(JSON.parse(stdout)).not.toHaveProperty('contents');
    expect(parse(await readFile(path, 'utf8')).kind).toBe('Config');
  });
});

describe('render auth', () => {
  test('takes the password from stdin and writes for the owner only', async () => {
    const at = await folder({ 'secret.json': '{"auths":{"quay.io":{"auth":"YTpi"}}}' });
    const login = ['--registry', 'mirror.example:5000', '--username', 'admin'];
    const files = ['--existing', at('secret.json'), '--to', at('auth.json')];
    const { status, stderr } = await atoll(['auth', ...login, ...files], 'sesame-1234\n');

    expect(status).toBe(0);
    expect(await modeOf(at('auth.json'))).toBe('600');
    expect(JSON.parse(await readFile(at('auth.json'), 'utf8')).auths).toEqual({
      'mirror.example:5000': { auth: btoa('admin:sesame-1234') },
      'quay.io': { auth: 'YTpi' },
    });
    expect(stderr).not.toContain('sesame');
  });

  test('prints the secret as it is: that is what was asked for', async () => {
    const at = await folder({ 'secret.json': PULL_SECRET });
    const { stdout } = await atoll(['auth', '--existing', at('secret.json'), '--keep', 'all']);

    expect(stdout).toBe(`${PULL_SECRET}\n`);
  });

  test('needs user and registry together, and a password', async () => {
    expect((await atoll(['auth', '--registry', 'm'])).status).toBe(2);
    const { status, stderr } = await atoll(['auth', '--registry', 'm', '--username', 'u']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('standard input is empty')]);
  });
});

describe('render registries-conf, hosts and mirror-sets', () => {
  test('agree on the rules of --mirror', async () => {
    const mirror = ['--mirror', 'mirror.example:5000/ocp'];
    const conf = await atoll(['registries-conf', ...mirror, '--block', 'quay.io']);
    const hosts = await atoll(['hosts', ...mirror, '--upstreams-at', '10.0.10.10']);
    const sets = await atoll(['mirror-sets', ...mirror, '--never-contact-source']);

    expect(conf.stdout).toContain('location = "mirror.example:5000/ocp/openshift/release-images"');
    expect(hosts.stdout).toContain('10.0.10.10 quay.io\n');
    expect(readMirrorSets(sets.stdout, 'x')[0]?.rules.map(({ source }) => source)).toEqual([
      'quay.io/openshift-release-dev/ocp-release',
      'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
      'quay.io/openshift-release-dev/ocp-v5.0-art-dev',
    ]);
    expect(sets.stdout).toContain('mirrorSourcePolicy: NeverContactSource');
  });

  test('read rules from objects, and migrate with warnings on stderr', async () => {
    const rules = ['--rule', 'quay.io=m.example/quay', '--tag-rule', 'docker.io=m.example/hub'];
    const at = await folder({ 'sets.yaml': (await atoll(['mirror-sets', ...rules])).stdout });
    const conf = await atoll(['registries-conf', '--rules-from', at('sets.yaml')]);
    const icsp = await atoll(['mirror-sets', '--kind', 'icsp', '--migrate', at('sets.yaml')]);

    expect(conf.stdout).toContain('pull-from-mirror = "tag-only"');
    expect(parse(icsp.stdout).kind).toBe('ImageContentSourcePolicy');
    expect(icsp.stderr).toContain('ICSP has no rules for tags');
  });

  test('refuse a rule that is none, and no rule at all', async () => {
    expect((await atoll(['registries-conf', '--rule', 'quay.io'])).status).toBe(2);
    expect((await atoll(['mirror-sets'])).status).toBe(2);
  });
});

describe('render ignition', () => {
  test('makes a bastion from files, merges another config, and keeps it secret', async () => {
    const at = await folder({
      ...{ 'id.pub': SSH_KEY, 'tls.crt': 'CRT', 'tls.key': 'KEY', htpasswd: 'admin:x' },
      'auth.json': '{"auths":{"quay.io":{"auth":"dXNlcjpwdw=="}}}',
      'more.ign': '{"ignition":{"version":"3.5.0"},"storage":{"files":[{"path":"/extra"}]}}',
    });
    const { status } = await atoll([
      ...['ignition', '--hostname', 'bastion', '--ssh-key', at('id.pub'), '--registry', 'atoll'],
      ...['--certificate', at('tls.crt'), '--key', at('tls.key'), '--htpasswd', at('htpasswd')],
      ...['--cache', '6001=https://quay.io', '--cache-auth', at('auth.json')],
      ...['--proxy-image', 'q.example/squid:1', '--proxy-client', '10.0.0.0/16'],
      ...['--data-disk', '/dev/nvme1n1', '--directory', '/srv/x', '--link', '/a=/b'],
      ...['--mask', 'x.service', '--merge', at('more.ign'), '--to', at('bastion.ign')],
    ]);
    const config = JSON.parse(await readFile(at('bastion.ign'), 'utf8'));

    expect([status, await modeOf(at('bastion.ign'))]).toEqual([0, '600']);
    expect(config.ignition.version).toBe('3.5.0');
    expect(config.storage.files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['/extra', '/etc/hostname', '/etc/atoll/registry/upstream-auth.json']),
    );
    expect(config.systemd.units.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['atoll-registry.path', 'squid.service', 'x.service']),
    );
  });

  test('refuses a certificate without key and a spec it does not write', async () => {
    expect((await atoll(['ignition', '--certificate', 'a'])).status).toBe(2);
    expect((await atoll(['ignition', '--spec', '2.2.0'])).status).toBe(3);
  });

  test('makes user data with the hash of the config', async () => {
    const at = await folder({ 'a.ign': '{}' });
    const { stdout } = await atoll(['user-data', '--source', 's3://b/k', '--config', at('a.ign')]);

    expect(JSON.parse(stdout).ignition.config.replace.verification.hash).toMatch(/^sha512-/);
  });
});

describe('render patch-ignition', () => {
  test('changes a file in place, shows the difference, and then nothing more', async () => {
    const at = await folder({
      'bootstrap.ign': '{"ignition":{"version":"3.2.0"}}',
      hosts: '10.0.0.1 quay.io\n',
      'auth.json': PULL_SECRET,
    });
    const argv = [
      'patch-ignition',
      at('bootstrap.ign'),
      '--hosts',
      at('hosts'),
      '--pull-secret',
      at('auth.json'),
    ];
    const dry = await atoll([...argv, '--dry-run']);
    expect(await readFile(at('bootstrap.ign'), 'utf8')).toBe('{"ignition":{"version":"3.2.0"}}');
    const first = await atoll(argv);
    const patched = await readFile(at('bootstrap.ign'), 'utf8');
    const second = await atoll(argv);

    expect(dry.stdout).toBe(first.stdout);
    expect(first.stdout).toContain('added file /etc/hosts\n  +mode 0644\n  +10.0.0.1 quay.io');
    expect(first.stdout).not.toContain('YWRtaW46cHc=');
    expect(second.stdout).toContain('unchanged file /etc/hosts');
    expect(await readFile(at('bootstrap.ign'), 'utf8')).toBe(patched);
  });
});

describe('render install-config', () => {
  const flags = (at: (name: string) => string) => [
    ...[
      'install-config',
      '--name',
      'site',
      '--base-domain',
      'example.com',
      '--platform',
      at('aws.yaml'),
    ],
    ...[
      '--release',
      '4.18.1',
      '--publish',
      'Internal',
      '--credentials-mode',
      'Manual',
      '--disconnected',
    ],
    ...[
      '--mirror',
      'mirror.example:5000',
      '--pull-secret',
      at('auth.json'),
      '--ssh-key',
      at('id.pub'),
    ],
  ];
  const FILES = {
    'aws.yaml':
      'type: aws\nregion: us-east-1\nhostedZone: Z1\nsubnets: [{ id: subnet-00000001 }]\n',
    'auth.json': PULL_SECRET,
    'id.pub': SSH_KEY,
  };

  test('writes a good file for the owner only, and the check finds nothing wrong with it', async () => {
    const at = await folder(FILES);
    const { status, stderr } = await atoll([...flags(at), '--to', at('install-config.yaml')]);
    const check = await atoll([
      'install-config-check',
      at('install-config.yaml'),
      '--release',
      '4.18.1',
    ]);

    expect([status, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    expect(await modeOf(at('install-config.yaml'))).toBe('600');
    expect([check.status, check.stdout]).toEqual([0, expect.stringContaining('nothing wrong')]);
  });

  test('refuses with everything that is wrong at once', async () => {
    const at = await folder(FILES);
    const { status, stdout, stderr } = await atoll([
      ...flags(at),
      ...['--service-network', '10.128.0.0/16', '--machine-network', '10.0.0.1/16'],
    ]);

    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toContain('found 2 mistakes');
    expect(stderr).toContain('networking.machineNetwork[0]: "10.0.0.1/16" has bits set');
  });

  test('takes the login of a proxy from a file, and refuses one in the URL', async () => {
    const at = await folder({ ...FILES, login: 'user:p@ss-word\n' });
    const proxy = ['--http-proxy', 'http://bastion.example:3128', '--proxy-login', at('login')];
    const { stdout } = await atoll([...flags(at), ...proxy, '--no-proxy', '.example.com']);
    const inUrl = await atoll([...flags(at), '--http-proxy', 'http://u:secret@bastion:3128']);

    expect(parse(stdout).proxy).toEqual({
      httpProxy: 'http://user:p%40ss-word@bastion.example:3128',
      httpsProxy: 'http://user:p%40ss-word@bastion.example:3128',
      noProxy: '.example.com,mirror.example',
    });
    expect([inUrl.status, inUrl.stderr]).toEqual([2, expect.not.stringContaining('secret@')]);
  });

  test('appends a second network, for IPv6 beside IPv4', async () => {
    const at = await folder(FILES);
    const { stdout } = await atoll([
      ...['install-config', '--name', 'site', '--base-domain', 'example.com'],
      ...['--mirror', 'mirror.example:5000', '--pull-secret', at('auth.json')],
      ...['--machine-network', '10.0.0.0/16', '--machine-network', 'fd00:1::/64'],
      ...['--cluster-network', '10.128.0.0/14', '--cluster-network', 'fd00:2::/48'],
      ...['--service-network', '172.30.0.0/16', '--service-network', 'fd00:3::/112'],
    ]);

    expect(parse(stdout).networking).toMatchObject({
      clusterNetwork: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd00:2::/48', hostPrefix: 64 },
      ],
      serviceNetwork: ['172.30.0.0/16', 'fd00:3::/112'],
    });
  });

  test('adds a capability to the set that the installer starts from', async () => {
    const at = await folder(FILES);
    const { stdout } = await atoll([...flags(at), '--capability', 'Console']);

    expect(parse(stdout).capabilities).toEqual({
      baselineCapabilitySet: 'vCurrent',
      additionalEnabledCapabilities: ['Console'],
    });
  });

  test('refuses a rule for tags, and tells of those it finds in a file', async () => {
    const itms = `apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata: { name: tags }
spec: { imageTagMirrors: [{ source: quay.io/a, mirrors: [mirror.example:5000/a] }] }
`;
    const at = await folder({ ...FILES, 'itms.yaml': itms });
    const rule = ['--tag-rule', 'quay.io/a=mirror.example:5000/a'];
    const given = await atoll([...flags(at), ...rule]);
    const read = await atoll([...flags(at), '--rules-from', at('itms.yaml')]);

    expect([given.status, given.stdout]).toEqual([2, '']);
    expect(given.stderr).toContain('imageDigestSources takes digests only');
    expect(given.stderr).toContain('atoll render mirror-sets');
    expect(read.status).toBe(0);
    expect(read.stderr).toContain('Left out rules for tags of quay.io/a');
  });

  test('names the line of a mistake in the platform file', async () => {
    const at = await folder({ ...FILES, 'aws.yaml': 'type: aws\nregion: a\nzone: b\n' });
    const { status, stderr } = await atoll(flags(at));

    expect([status, stderr]).toEqual([
      3,
      expect.stringContaining('aws.yaml:3:1: unknown field "zone"'),
    ]);
  });

  test('check names line, fix and exit status', async () => {
    const at = await folder(FILES);
    const { stdout: text } = await atoll([...flags(at)]);
    await writeFile(at('bad.yaml'), text.replace('name: site', 'name: Site'));
    const { status, stdout } = await atoll(['install-config-check', at('bad.yaml')]);

    expect(status).toBe(3);
    expect(stdout).toContain('bad.yaml:3: error: metadata.name: "Site" is not a DNS name');
  });
});

describe('render of the rest', () => {
  const DIGEST = `sha256:${'0'.repeat(64)}`;
  test.each([
    ['policy --default reject --scope m.example=accept', '"insecureAcceptAnything"'],
    ['policy --scope m.example=gpg:/etc/key', '"signedBy"'],
    ['crio --pause-image m.example/pause:1', 'pause_image = "m.example/pause:1"'],
    ['chrony --server ntp.example', 'server ntp.example iburst'],
    ['machine-config --name hosts --file /etc/hosts:0600=FILE', 'name: 99-worker-hosts'],
    [
      'catalog-sources --catalog m.example/i:v1 --no-defaults --cluster-catalogs',
      'availabilityMode',
    ],
    [
      'catalog-sources --catalog m.example/i:v1 --no-defaults --cluster-catalogs --release 4.22.1',
      'openshift-redhat-operators',
    ],
    ['image-config --ca m.example:5000=CA', 'm.example..5000'],
    ['samples --registry m.example --skip ruby', 'samplesRegistry: m.example'],
    ['update-service --releases m.example/r --graph-image m.example/g:1', 'kind: UpdateService'],
    ['cluster-version --override config.openshift.io/DNS//cluster', 'unmanaged: true'],
    [`release-signatures --signature ${DIGEST}=FILE`, 'sha256-0000'],
    ['registry-unit', 'ProtectSystem=strict'],
    ['registry-unit --kind distribution', '/usr/bin/podman run'],
    ['registry-config --cache 6001=quay.io', 'upstream: quay.io'],
    ['registry-config --kind distribution --cache 6001=quay.io', 'remoteurl: https://quay.io'],
    ['squid-conf --client 10.0.0.0/16 --tls-port 3129', 'https_port 3129'],
  ])('%s', async (line, expected) => {
    const at = await folder({ file: 'content\n', 'ca.crt': rootCertificates[0] ?? '' });
    const words = line.replace('FILE', at('file')).replace('=CA', `=${at('ca.crt')}`);
    const { status, stdout } = await atoll(words.split(' '));

    expect([status, stdout]).toEqual([0, expect.stringContaining(expected)]);
    expect(() => (stdout.startsWith('apiVersion') ? readYaml(stdout, 'x') : [])).not.toThrow();
  });

  test.each([
    'policy --default maybe',
    'cluster-version --override DNS',
    'machine-config --name a --file etc/hosts=x',
    'registry-config --kind distribution --cache 1=a --cache 2=b',
    'ignition --registry atoll --program s3://b/k',
    'install-config',
    'install-config --name a --base-domain b --pull-secret x --size huge',
  ])('refuses "%s" as a wrong command line', async (line) => {
    expect((await atoll(line.split(' '))).status).toBe(2);
  });
});

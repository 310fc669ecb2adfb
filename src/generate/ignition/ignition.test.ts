import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BastionInput, bastionIgnition } from './bastion.ts';
import { bootstrapPatch } from './bootstrap-patch.ts';
import { formatIgnition, type IgnitionConfig, inline, textFile } from './config.ts';
import { lineDiff } from './line-diff.ts';
import { mergeIgnition } from './merge.ts';
import { formatPatched, patchIgnition } from './patch.ts';
import { contentsOf, parseIgnition } from './read.ts';
import { userData } from './user-data.ts';
import { parseIgnitionVersion } from './versions.ts';

const FULL: BastionInput = {
  hostname: 'site-bastion',
  users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA core@example'] }],
  trustedCas: { site: 'CA PEM' },
  certificate: { certificate: 'CERTIFICATE PEM\n', key: 'KEY PEM\n' },
  registry: { kind: 'distribution', htpasswd: 'admin:$2y$05$hash\n' },
  caches: [
    { port: 6002, url: 'https://registry.redhat.io', username: 'u', password: 'upstream-pw' },
    { port: 6001, url: 'https://quay.io' },
  ],
  proxy: {
    image: 'quay.io/example/squid:1',
    clients: ['10.0.0.0/16'],
    tlsPort: 3129,
    htpasswd: 'proxy:$apr1$hash\n',
  },
  dataDisk: { device: '/dev/nvme1n1' },
  extra: {
    directories: [{ path: '/srv/work', mode: 0o755 }],
    links: [{ path: '/etc/localtime', target: '../usr/share/zoneinfo/UTC', overwrite: true }],
  },
};

describe('bastionIgnition', () => {
  test('has a golden form with every part', async () => {
    const text = formatIgnition(bastionIgnition(FULL));

    await expect(text).toMatchFileSnapshot('../golden/bastion.ign');
  });

  test('has a golden form with the embedded registry', async () => {
    const config = bastionIgnition({
      users: FULL.users,
      certificate: FULL.certificate,
      registry: { kind: 'atoll', htpasswd: 'admin:x\n' },
      caches: FULL.caches,
    });

    await expect(formatIgnition(config)).toMatchFileSnapshot('../golden/bastion-atoll.ign');
  });

  test('holds only what the site wants', () => {
    const config = bastionIgnition({ users: [], masked: [] });

    expect(config).toEqual({ ignition: { version: '3.4.0' } });
  });

  test.each(['atoll', 'distribution'] as const)(
    'refuses a login in the URL of a cache (%s), and does not repeat it',
    (kind) => {
      const caches = [{ port: 6001, url: 'https://user:secret@quay.io' }];

      expect(() => bastionIgnition({ users: [], registry: { kind }, caches })).toThrow(
        'Cannot cache "https://…@quay.io"',
      );
    },
  );

  test('does not depend on the order of its input', () => {
    const other = { ...FULL, caches: FULL.caches?.toReversed() };

    expect(formatIgnition(bastionIgnition(other))).toBe(formatIgnition(bastionIgnition(FULL)));
  });

  test('keeps every secret in a file only its owner reads', () => {
    const files = bastionIgnition(FULL).storage?.files ?? [];
    const open = files.filter(({ mode }) => ((mode ?? 0) & 0o077) !== 0);
    const text = open.map(({ contents }) => contentsOf(contents)?.toString()).join();

    expect(files.length).toBeGreaterThan(open.length);
    expect(text).not.toMatch(/KEY PEM|upstream-pw|\$apr1|\$2y/);
  });

  test('fetches the program of the registry only with a hash', () => {
    const program = { source: 's3://bucket/atoll', hash: `sha256-${'a'.repeat(64)}` };
    const registry = { kind: 'atoll', program } as const;
    const config = bastionIgnition({ users: [], registry });

    expect(config.storage?.files).toContainEqual({
      path: '/usr/local/bin/atoll',
      overwrite: true,
      mode: 0o755,
      contents: { source: program.source, verification: { hash: program.hash } },
    });
    const bad = { ...registry, program: { ...program, hash: 'abc' } };
    expect(() => bastionIgnition({ users: [], registry: bad })).toThrow('bad hash');
  });

  test('refuses TLS for the proxy without a certificate, and a bad host name', () => {
    expect(() => bastionIgnition({ ...FULL, certificate: undefined })).toThrow('no certificate');
    expect(() => bastionIgnition({ users: [], hostname: 'a b' })).toThrow('"a b"');
  });
});

describe('userData', () => {
  const source = 's3://site-ignition/bastion.ign';

  test('points at the config and holds its hash', () => {
    const hash = createHash('sha512').update('config').digest('hex');

    expect(JSON.parse(userData({ source, config: 'config' }))).toEqual({
      ignition: {
        version: '3.4.0',
        config: { replace: { source, verification: { hash: `sha512-${hash}` } } },
      },
    });
  });

  test('refuses plain http without a hash, other schemes, and what EC2 would refuse', () => {
    expect(() => userData({ source: 'http://a/b' })).toThrow('Cannot fetch a config');
    expect(() => userData({ source: 'ftp://a/b' })).toThrow('Cannot fetch a config');
    expect(() => userData({ source, hash: 'md5-1' })).toThrow('Cannot verify with hash');
    const certificateAuthorities = ['x'.repeat(16_384)];
    expect(() => userData({ source, certificateAuthorities })).toThrow('over 16384 bytes');
  });
});

describe('mergeIgnition', () => {
  const base: IgnitionConfig = {
    ignition: { version: '3.2.0' },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['a'] }] },
    storage: {
      files: [textFile('/a', 'old'), textFile('/b', 'b')],
      links: [{ path: '/c', target: '/d' }],
    },
    systemd: { units: [{ name: 'x.service', enabled: true, dropins: [{ name: '1.conf' }] }] },
  };

  test('replaces files, joins users and units, and keeps the newer version', () => {
    const merged = mergeIgnition(base, {
      ignition: { version: '3.4.0' },
      passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['a', 'b'] }] },
      storage: { files: [textFile('/a', 'new'), textFile('/c', 'was a link')] },
      systemd: { units: [{ name: 'x.service', mask: true, dropins: [{ name: '2.conf' }] }] },
    });

    expect(merged).toEqual({
      ignition: { version: '3.4.0' },
      passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['a', 'b'] }] },
      storage: {
        files: [textFile('/a', 'new'), textFile('/b', 'b'), textFile('/c', 'was a link')],
        links: [],
      },
      systemd: {
        units: [
          {
            name: 'x.service',
            enabled: true,
            mask: true,
            dropins: [{ name: '1.conf' }, { name: '2.conf' }],
          },
        ],
      },
    });
  });

  test('changes nothing when a config is laid over itself', () => {
    expect(mergeIgnition(base, base)).toEqual(base);
  });

  test('refuses kernel arguments in a spec that does not know them', () => {
    const overlay = { ignition: { version: '3.2.0' }, kernelArguments: { shouldExist: ['a'] } };

    expect(() => mergeIgnition(base, overlay)).toThrow('Cannot set kernel arguments');
  });
});

describe('parseIgnition', () => {
  test('keeps fields it does not know', () => {
    const text = '{"ignition":{"version":"3.2.0","future":1},"storage":{"luks":[{"name":"l"}]}}';

    expect(JSON.stringify(parseIgnition(text, 'x'))).toBe(text);
  });

  test('names the file and field that is wrong', () => {
    expect(() => parseIgnition('{', '"a.ign"')).toThrow('Cannot read "a.ign": it is not JSON');
    expect(() => parseIgnition('{"ignition":{"version":"2.2.0"}}', '"a.ign"')).toThrow(
      'Cannot read "a.ign": ignition.version',
    );
  });

  test('parseIgnitionVersion takes the short form and lists the others', () => {
    expect(parseIgnitionVersion('3.5')).toBe('3.5.0');
    expect(() => parseIgnitionVersion('3.1.0')).toThrow('Cannot write Ignition spec "3.1.0"');
  });
});

test('contentsOf reads every form a data URL takes', () => {
  const gzipped = gzipSync('zipped').toString('base64');

  expect(contentsOf(inline('äöü'))?.toString()).toBe('äöü');
  expect(contentsOf({ source: 'data:,a%20b%0A' })?.toString()).toBe('a b\n');
  expect(contentsOf({ source: 'data:text/plain;charset=utf-8;base64,YQ%3D%3D' })?.toString()).toBe(
    'a',
  );
  expect(contentsOf({ source: `data:;base64,${gzipped}`, compression: 'gzip' })?.toString()).toBe(
    'zipped',
  );
  expect(contentsOf({})?.toString()).toBe('');
  expect(contentsOf({ source: 'https://a/b' })).toBeUndefined();
});

describe('patchIgnition', () => {
  const bootstrap = parseIgnition(
    JSON.stringify({
      ignition: { version: '3.2.0' },
      storage: {
        files: [
          textFile('/etc/containers/registries.conf', 'a\nb\nc\nd\n'),
          textFile('/root/.docker/config.json', '{"auths":{"old":{}}}', { mode: 0o600 }),
        ],
      },
      systemd: { units: [{ name: 'bootkube.service', contents: '[Unit]\n' }] },
    }),
    'bootstrap.ign',
  );
  const patch = bootstrapPatch({
    registriesConf: 'a\nb\nC\nd\n',
    hosts: '10.0.0.1 quay.io\n',
    pullSecret: '{"auths":{"mirror":{"auth":"c2VjcmV0"}}}',
    pauseImage: 'mirror.example/release:pause',
    trustedCas: { mirror: 'PEM' },
    units: [{ name: 'bootkube.service', dropins: [{ name: '10.conf', contents: '[Service]\n' }] }],
  });

  test('says what it changed, line by line, without showing a secret', () => {
    const { changes } = patchIgnition(bootstrap, patch);

    expect(changes.map(({ action, name }) => `${action} ${name}`)).toEqual(
      [
        'added /etc/crio/crio.conf.d/60-pause-image.conf',
        'added /etc/hosts',
        'changed /etc/containers/registries.conf',
        'added /etc/pki/ca-trust/source/anchors/mirror.crt',
        'changed /root/.docker/config.json',
        'added /var/lib/kubelet/config.json',
        'changed bootkube.service',
      ].toSorted((a, b) => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1)),
    );
    const registries = changes.find(({ name }) => name.endsWith('registries.conf'));
    expect(registries?.diff).toEqual([' b', '-c', '+C', ' d']);
    expect(JSON.stringify(changes)).not.toContain('c2VjcmV0');
    expect(JSON.stringify(changes)).toContain('secret of 40 bytes, sha256:');
  });

  test('changes nothing the second time', () => {
    const once = patchIgnition(bootstrap, patch).config;
    const twice = patchIgnition(parseIgnition(formatPatched(once), 'x'), patch);

    expect(formatPatched(twice.config)).toBe(formatPatched(once));
    expect(twice.changes.every(({ action }) => action === 'unchanged')).toBe(true);
  });

  test('keeps what it was not asked to change', () => {
    const { config } = patchIgnition(bootstrap, { files: [textFile('/etc/hosts', 'x')] });

    expect(config.storage?.files?.slice(0, 2)).toEqual(bootstrap.storage?.files);
    expect(config.systemd).toEqual(bootstrap.systemd);
  });
});

test('patchIgnition warns of units whose text the server has, and not of those it only masks', () => {
  const source = 'https://api-int.site.example.com:22623/config/worker';
  const pointer = { ignition: { version: '3.2.0', config: { merge: [{ source }] } } };
  const files = ['/etc/containers/storage.conf', '/etc/crio/crio.conf.d/00-default'].map(
    (path) => ({ path }),
  );
  const units = [
    { name: 'kubelet.service', contents: '[Service]' },
    { name: 'ovs-configuration.service', mask: true },
    { name: 'own.service', contents: '[Service]' },
  ];

  expect(patchIgnition(pointer, { files, units }).warnings).toEqual([
    expect.stringMatching(
      /^\/etc\/containers\/storage.conf, \/etc\/crio\/crio.conf.d\/00-default, kubelet.service: /,
    ),
  ]);
});

test('patchIgnition warns of what the machine config server replaces', () => {
  const source = 'https://api-int.site.example.com:22623/config/worker';
  const pointer = { ignition: { version: '3.2.0', config: { merge: [{ source }] } } };
  const patch = bootstrapPatch({ registriesConf: 'a', policy: '{}', pullSecret: '{}', hosts: 'b' });

  const [warning = '', ...rest] = patchIgnition(pointer, patch).warnings;

  expect(rest).toEqual([]);
  expect(warning).toContain('/etc/containers/policy.json, /etc/containers/registries.conf');
  expect(warning).not.toContain('/etc/hosts');
  expect(patchIgnition({ ignition: { version: '3.2.0' } }, patch).warnings).toEqual([]);
});

test('lineDiff shows only changes and their neighbours', () => {
  expect(lineDiff('1\n2\n3\n4\n5\n', '1\n2\nX\n4\n5\n')).toEqual([' 2', '-3', '+X', ' 4']);
  expect(lineDiff('', 'a\n')).toEqual(['+a']);
  expect(lineDiff('a\n', 'a\n')).toEqual([]);
});

test('lineDiff finds the one change in texts of 5,000 lines, and all of them in others', () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const other = lines.with(2500, 'X');
  const ends = [...lines.with(0, 'first').slice(0, -1), 'last'];

  expect(lineDiff(lines.join('\n'), other.join('\n'))).toEqual([
    ' line 2499',
    '-line 2500',
    '+X',
    ' line 2501',
  ]);
  expect(lineDiff(other.join('\n'), ends.join('\n'))).toHaveLength(10);
  expect(lineDiff(lines.join('\n'), lines.map((line) => `${line}!`).join('\n'))).toHaveLength(
    10_000,
  );
});

test('lineDiff is as short as can be, and leads from one text to the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

  fc.assert(
    fc.property(text, text, (a, b) => {
      const edits = lineDiff(a.join('\n'), b.join('\n')).filter((line) => line[0] !== ' ');
      const shared = sharedCount(a, b);

      expect(edits.filter((line) => line[0] === '-')).toHaveLength(a.length - shared);
      expect(edits.filter((line) => line[0] === '+')).toHaveLength(b.length - shared);
    }),
  );
});

/** Of the longest common subsequence, the plain way. */
function sharedCount([a, ...as]: readonly string[], [b, ...bs]: readonly string[]): number {
  if (a === undefined || b === undefined) return 0;
  if (a === b) return 1 + sharedCount(as, bs);
  return Math.max(sharedCount([a, ...as], bs), sharedCount(as, [b, ...bs]));
}

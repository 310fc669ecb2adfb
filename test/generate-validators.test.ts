import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type BastionInput, bastionIgnition } from '../src/generate/ignition/bastion.ts';
import { bootstrapPatch } from '../src/generate/ignition/bootstrap-patch.ts';
import { formatIgnition, IGNITION_VERSIONS } from '../src/generate/ignition/config.ts';
import { mergeIgnition } from '../src/generate/ignition/merge.ts';
import { formatPatched, patchIgnition } from '../src/generate/ignition/patch.ts';
import { userData } from '../src/generate/ignition/user-data.ts';
import { machineConfig } from '../src/generate/machine-config.ts';
import { mirrorService, mirrorTimer } from '../src/generate/units/mirror-timer.ts';
import { squidConf } from '../src/generate/units/squid-conf.ts';
import { ignitionValidate } from './support/ignition.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);
const ACCEPTED = { accepted: true, report: '' };

const USERS = [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA core@example'] }];
const FULL: BastionInput = {
  hostname: 'site-bastion',
  users: USERS,
  trustedCas: { site: 'PEM' },
  certificate: { certificate: 'PEM\n', key: 'PEM\n' },
  registry: { kind: 'distribution', htpasswd: 'admin:x\n' },
  caches: [
    { port: 6001, url: 'https://quay.io' },
    { port: 6002, url: 'https://registry.redhat.io', username: 'u', password: 'p' },
  ],
  proxy: {
    image: 'quay.io/example/squid:1',
    clients: ['10.0.0.0/16'],
    tlsPort: 3129,
    htpasswd: 'x',
  },
  dataDisk: { device: '/dev/nvme1n1' },
  extra: {
    directories: [{ path: '/srv/work', mode: 0o755 }],
    links: [{ path: '/etc/localtime', target: '../usr/share/zoneinfo/UTC', overwrite: true }],
  },
};
const hash = `sha256-${'a'.repeat(64)}`;
const ATOLL: BastionInput = {
  users: USERS,
  registry: { kind: 'atoll', program: { source: 's3://b/atoll', hash } },
  caches: FULL.caches,
};

describeWithPeers(['ignition-validate'], 'ignition-validate', () => {
  test.each(IGNITION_VERSIONS)('accepts every kind of bastion in spec %s', (version) => {
    const { registry, ...withoutRegistry } = FULL;
    const { proxy, caches, ...registryOnly } = FULL;
    const waiting: BastionInput = { users: USERS, registry: { kind: 'atoll' } };

    for (const input of [FULL, ATOLL, waiting, withoutRegistry, registryOnly, { users: [] }]) {
      const text = formatIgnition(bastionIgnition({ ...input, version }));
      expect(ignitionValidate(text)).toEqual(ACCEPTED);
    }
  });

  test('accepts user data, merged and patched configs, and what a MachineConfig carries', () => {
    const bastion = bastionIgnition(FULL);
    const patch = bootstrapPatch({
      registriesConf: 'a',
      policy: '{}',
      hosts: 'b',
      pullSecret: '{}',
      pauseImage: 'm.example/pause:1',
      trustedCas: { mirror: 'PEM' },
      units: [{ name: 'bootkube.service', dropins: [{ name: '1.conf', contents: '[Service]\n' }] }],
    });
    const pool = machineConfig({ name: '99-a', role: 'worker', ...patch });

    const texts = [
      userData({ source: 's3://b/k', config: 'x', certificateAuthorities: ['PEM'] }),
      formatIgnition(mergeIgnition(bastion, bastionIgnition(ATOLL))),
      formatPatched(patchIgnition(bastion, patch).config),
      JSON.stringify(pool.spec.config),
    ];
    expect(texts.map(ignitionValidate)).toEqual(texts.map(() => ACCEPTED));
  });

  test('is really asked: it refuses a broken config', () => {
    const broken = formatIgnition(
      bastionIgnition({ users: [], extra: { directories: [{ path: 'relative' }] } }),
    );

    expect(ignitionValidate(broken).accepted).toBe(false);
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.runIf(hasSystemd)('systemd-analyze', () => {
  test('accepts every unit of a bastion, and rates the registry as well shielded', async () => {
    const root = await tempDir();
    const units = [FULL, ATOLL, { users: [], registry: { kind: 'atoll' } } as const]
      .flatMap((input) => bastionIgnition(input).systemd?.units ?? [])
      .filter(({ contents }) => contents !== undefined);
    for (const program of ['usr/local/bin/atoll', 'usr/bin/podman']) {
      await mkdir(dirname(join(root, program)), { recursive: true });
      await writeFile(join(root, program), '#!/bin/sh\n');
      await chmod(join(root, program), 0o755);
    }
    // `verify` looks programs up on this machine, so the units name the ones made above.
    for (const { name, contents } of units) {
      const here = (contents ?? '').replaceAll(/=(\/usr\/\S+\/(?:atoll|podman))/g, `=${root}$1`);
      await writeFile(join(root, name), here);
    }

    const paths = [...new Set(units.map(({ name }) => join(root, name)))];
    const verify = await run('systemd-analyze', ['verify', '--man=no', ...paths]);
    expect(problems(`${verify.stdout}${verify.stderr}`, root)).toEqual([]);

    const registry = join(root, 'atoll-registry.service');
    const args = ['security', '--offline=true', '--threshold=25', registry];
    const security = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect([security.status, security.stderr]).toEqual([0, '']);
  });
});

describe.runIf(hasSystemd)('systemd-analyze of a mirror that runs by itself', () => {
  test('accepts the service and its timer, and refuses one that never comes', async () => {
    const root = await tempDir();
    const program = join(root, 'atoll');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    const command = ['mirror', 'sync', '-c', 'image set.yaml', '--window', '22:00-06:00'];
    await writeFile(join(root, 'atoll-mirror.service'), mirrorService({ command, program }));
    const verified = async (schedule: string) => {
      const timer = join(root, 'atoll-mirror.timer');
      await writeFile(timer, mirrorTimer({ schedule }));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', timer], {
        encoding: 'utf8',
      });
      return problems(`${stdout}${stderr}`, root);
    };

    expect(await verified('Sat *-*-* 22:00')).toEqual([]);
    expect(await verified('sometimes')).not.toEqual([]);
  });
});

/** `verify` also complains about units of this machine; only ours count. */
function problems(report: string, root: string): string[] {
  return report.split('\n').filter((line) => line.includes(root));
}

describeWithPeers(['squid', 'openssl'], 'squid -k parse', () => {
  test.each(['plain', 'with users, TLS and a list of destinations'])('accepts %s', async (kind) => {
    const dir = await tempDir();
    const [certificate, key, htpasswd] = ['c.pem', 'k.pem', 'htpasswd'].map((f) => join(dir, f));
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=proxy', '-keyout', `${key}`, '-out', `${certificate}`],
    ]);
    await writeFile(`${htpasswd}`, 'a:b\n');
    const full = {
      auth: { htpasswd: `${htpasswd}`, helper: '/bin/true' },
      tls: { port: 3129, certificate: `${certificate}`, key: `${key}` },
      destinations: ['.quay.io', 'registry.redhat.io'],
    };
    const input = { clients: ['10.0.0.0/16', 'fd00::/64'], logs: dir };
    const conf = join(dir, 'squid.conf');
    await writeFile(conf, squidConf(kind === 'plain' ? input : { ...input, ...full }));

    const { stdout, stderr } = await run(peerPath('squid') ?? 'squid', ['-k', 'parse', '-f', conf]);
    expect(`${stdout}${stderr}`).not.toMatch(/ERROR|WARNING|FATAL|Bungled/);
  });
});

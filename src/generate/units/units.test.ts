import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { distributionConfig } from './distribution-config.ts';
import { mirrorService, mirrorTimer } from './mirror-timer.ts';
import { podmanUnit } from './podman-unit.ts';
import { registryPathUnit, registryUnit } from './registry-unit.ts';
import { squidConf } from './squid-conf.ts';
import { squidUnit } from './squid-unit.ts';
import { execLine, mountUnitName } from './unit-file.ts';

test('registryUnit has its golden form', async () => {
  await expect(registryUnit()).toMatchFileSnapshot('../golden/atoll-registry.service');
  await expect(registryPathUnit()).toMatchFileSnapshot('../golden/atoll-registry.path');
});

test('mirrorService and mirrorTimer have their golden form', async () => {
  const command = ['mirror', 'sync', '-c', 'imageset.yaml', '--window', '22:00-06:00'];

  await expect(mirrorService({ command })).toMatchFileSnapshot('../golden/atoll-mirror.service');
  await expect(mirrorTimer({ schedule: '22:00' })).toMatchFileSnapshot(
    '../golden/atoll-mirror.timer',
  );
});

test('registryUnit asks for a capability only below port 1024', () => {
  expect(registryUnit()).toContain('\nCapabilityBoundingSet=\n');
  expect(registryUnit({ lowestPort: 443 })).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE');
});

test('podmanUnit has its golden form', async () => {
  const text = podmanUnit({
    name: 'registry-5000',
    description: 'Mirror registry',
    image: 'docker.io/library/registry:2',
    command: ['/etc/registry/config.yml'],
    volumes: [
      { host: '/var/lib/atoll/registry-5000/data', container: '/var/lib/registry' },
      { host: '/var/lib/atoll/registry-5000/etc', container: '/etc/registry', readOnly: true },
    ],
  });

  await expect(text).toMatchFileSnapshot('../golden/registry-5000.service');
});

test('execLine quotes words and takes percent and dollar signs literally', () => {
  expect(execLine(['/bin/a', 'b c', '50%', '$HOME', 'say "x"', ''])).toBe(
    '/bin/a "b c" 50%% $$HOME "say \\"x\\"" ""',
  );
});

test('mountUnitName escapes as systemd does', () => {
  expect(mountUnitName('/var/lib/atoll')).toBe('var-lib-atoll.mount');
  expect(mountUnitName('/srv/data-1')).toBe('srv-data\\x2d1.mount');
});

describe('distributionConfig', () => {
  test('serves a mirror with TLS and users', async () => {
    const text = distributionConfig({
      port: 5000,
      data: '/var/lib/registry',
      tls: { certificate: '/etc/registry/tls.crt', key: '/etc/registry/tls.key' },
      htpasswd: '/etc/registry/htpasswd',
    });

    await expect(text).toMatchFileSnapshot('../golden/distribution-config.yml');
  });

  test('makes a cache that takes no pushes or deletions', () => {
    const config = parse(
      distributionConfig({
        port: 6001,
        data: '/d',
        cacheOf: { url: 'https://quay.io', username: 'u' },
      }),
    );

    expect(config.proxy).toEqual({ remoteurl: 'https://quay.io', username: 'u' });
    expect(config.storage.delete.enabled).toBe(false);
  });
});

describe('squidUnit', () => {
  const input = { folder: '/var/lib/atoll/proxy-north', image: 'quay.io/a/squid:1' };

  test('runs the squid that is installed', () => {
    const unit = squidUnit({ ...input, program: '/usr/sbin/squid' });

    expect(unit).toContain(
      'ExecStart=/usr/sbin/squid --foreground -f /var/lib/atoll/proxy-north/squid.conf\n',
    );
    expect(unit).toContain('WantedBy=multi-user.target\n');
  });

  test('runs that of an image where none is', () => {
    const unit = squidUnit({ ...input, program: undefined });

    expect(unit).toMatch(/podman run .* quay\.io\/a\/squid:1 squid --foreground/);
    expect(unit).toContain('/var/lib/atoll/proxy-north:/etc/squid:ro,z');
    expect(unit).toContain('/var/lib/atoll/proxy-north/log:/var/log/squid:z');
  });
});

describe('squidConf', () => {
  test('has its golden form', async () => {
    const text = squidConf({
      clients: ['10.0.0.0/16', '10.1.0.0/16'],
      auth: { htpasswd: '/etc/squid/htpasswd' },
      tls: { port: 3129, certificate: '/etc/squid/tls.crt', key: '/etc/squid/tls.key' },
      destinations: ['.quay.io', 'registry.redhat.io'],
    });

    await expect(text).toMatchFileSnapshot('../golden/squid.conf');
  });

  test('is never open to everyone by accident', () => {
    expect(() => squidConf({ clients: [] })).toThrow('Cannot let "" use the proxy');
    expect(() => squidConf({ clients: ['bastion'] })).toThrow('"bastion"');
    expect(() => squidConf({ clients: ['10.0.0.0/8'], destinations: ['a b'] })).toThrow('"a b"');
  });
});

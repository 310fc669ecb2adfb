import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { silentContext } from '../src/core/context.ts';
import { bastionIgnition } from '../src/generate/ignition/bastion.ts';
import { formatIgnition } from '../src/generate/ignition/config.ts';
import type { Host } from '../src/host/host.ts';
import { openSshHost } from '../src/host/ssh-host.ts';
import { hashPassword } from '../src/registry/auth/passwords.ts';
import { createCa, createServerCertificate } from '../src/registry/tls/certificates.ts';
import { takeDown } from '../src/site/down.ts';
import { openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { bringUp } from '../src/site/up.ts';
import { bastionSite } from './support/bastion-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { OUTSIDE, startVm, type Vm } from './support/vm.ts';

const ctx = silentContext();
/** An emulated machine boots in forty seconds where nothing else runs, and much later where much does. */
const BOOT = { attempts: 400, firstDelayMs: 500, maxDelayMs: 2000 };
const PATIENT = { timeout: 600_000, interval: 1000 };
const PORTS = { mirror: 5000, ignition: 5001, proxy: 3128 };
const VALIDITY = { days: 2, now: new Date() };
const LOGIN = { user: 'ops', password: 'let-me-pass' };

type Ask = Pick<RequestOptions, 'path' | 'ca' | 'headers' | 'method'>;

/** The status that somebody without a login gets at a port, over TLS where a CA is named. */
async function statusOf(port: number | undefined, ask: Ask): Promise<number | undefined> {
  const send = ask.ca === undefined ? httpRequest : request;
  return await new Promise((resolve, reject) => {
    send({ host: '127.0.0.1', port, servername: 'localhost', timeout: 20_000, ...ask })
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject)
      .end();
  });
}

describeWithPeers(
  ['qemu-system-x86_64', 'machine', 'ssh'],
  'a bastion that is a real machine',
  () => {
    let vm: Vm;
    let host: Host;

    beforeAll(async () => {
      vm = await startVm(Object.values(PORTS));
      const login = { address: '127.0.0.1', port: vm.port, user: vm.user, identity: vm.identity };
      host = await openSshHost(
        ctx,
        { ...login, config: '/dev/null', pin: { keys: vm.hostKeys } },
        BOOT,
      );
    }, 1_200_000);
    afterAll(async () => {
      await host?.close();
      await vm?.stop();
    });

    const asRoot = async (...[program = '', ...args]: readonly string[]) => {
      const { status, stdout, stderr } = await host.run(ctx, program, args, { sudo: true });
      expect([status, status === 0 ? '' : `${program}: ${stdout}${stderr}`]).toEqual([0, '']);
      return stdout.trim();
    };
    const bootId = () => asRoot('cat', '/proc/sys/kernel/random/boot_id');

    /** Applies a config as a first boot would, by the program that does it there. */
    async function ignite(config: string): Promise<void> {
      await host.put(ctx, '/run/config.ign', config, { sudo: true, mode: 0o600 });
      for (const stage of ['fetch', 'files']) {
        const args = ['-platform', 'file', '-config-cache', '/run/ignition.json', '-log-to-stdout'];
        const env = 'IGNITION_CONFIG_FILE=/run/config.ign';
        await asRoot('env', env, 'ignition', ...args, '-root', '/', '-stage', stage);
      }
      await asRoot('systemctl', 'daemon-reload');
    }

    async function bastionConfig() {
      const ca = await createCa('a CA', VALIDITY);
      const certificate = await createServerCertificate(ca, ['localhost'], VALIDITY);
      const users = `${LOGIN.user}:${await hashPassword(LOGIN.password)}\n`;
      const config = bastionIgnition({
        version: '3.3.0',
        hostname: 'north-bastion',
        users: [{ name: 'ops', sshAuthorizedKeys: ['ssh-ed25519 AAAA ops@example'] }],
        certificate,
        registry: { kind: 'atoll', port: PORTS.ignition, htpasswd: users },
        proxy: { image: 'localhost/squid', clients: ['10.0.2.0/24'], htpasswd: users },
      });
      return { config: formatIgnition(config), ca: ca.certificate };
    }

    test('is what its Ignition says, serves the mirror by systemd, and does so after a reboot', async () => {
      const { config, ca: ignitionCa } = await bastionConfig();
      await ignite(config);
      await asRoot('podman', 'import', '--quiet', '/usr/local/share/squid.tar', 'localhost/squid');
      await asRoot('systemctl', 'preset', 'atoll-registry.path', 'squid.service');
      await asRoot('systemctl', 'start', 'atoll-registry.path', 'squid.service');
      const { site: path, folder, there } = await bastionSite(vm, { address: OUTSIDE });
      const open = await openSite(ctx, await readSite(path, {}, PLATFORMS), {});
      onTestFinished(() => open.close());

      const { error, outputs } = await bringUp(ctx, open, { to: 'images' });

      expect(error).toBeUndefined();
      expect(outputs.bastion).toMatchObject({
        os: expect.stringContaining('Debian'),
        systemd: true,
      });
      expect(outputs.images).toMatchObject({ images: 1, copied: 1 });
      // The registry of the Ignition config waits for its program alone.
      await asRoot('ln', '-s', join(there, 'bin', 'atoll'), '/usr/local/bin/atoll');
      const ca = await readFile(join(folder, '.atoll', 'registry', 'tls', 'ca.crt'), 'utf8');
      const at = (name: keyof typeof PORTS) => vm.ports.get(PORTS[name]);
      const everythingAnswers = async () => {
        await vi.waitFor(async () => {
          expect(await statusOf(at('mirror'), { path: '/v2/', ca })).toBe(401);
          expect(await statusOf(at('ignition'), { path: '/v2/', ca: ignitionCa })).toBe(401);
          const path = 'http://upstream.invalid/';
          expect(await statusOf(at('proxy'), { path })).toBe(407);
          const login = Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64');
          const headers = { 'proxy-authorization': `Basic ${login}` };
          expect(await statusOf(at('proxy'), { path, headers })).toBeGreaterThanOrEqual(502);
        }, PATIENT);
      };
      await everythingAnswers();
      const unit = 'atoll-registry-north.service';
      expect(await asRoot('systemctl', 'show', '-P', 'User', unit)).toBe('core');
      expect(await asRoot('systemctl', 'show', '-P', 'User', 'atoll-registry.service')).toBe(
        'atoll',
      );
      const before = await bootId();

      await host.run(ctx, 'systemctl', ['reboot'], { sudo: true }).catch(() => undefined);
      await host.close();
      await vi.waitFor(async () => expect(await bootId()).not.toBe(before), PATIENT);
      await everythingAnswers();
      expect(await asRoot('hostname')).toBe('north-bastion');

      await open.work.platform.close();
      await takeDown(ctx, open, { temporary: false });
      expect(await asRoot('systemctl', 'show', '-P', 'LoadState', unit)).toBe('not-found');
      // Its parent is root's: the folder itself stays.
      expect(await asRoot('ls', '-A', there)).toBe('');
    }, 2_400_000);
  },
);

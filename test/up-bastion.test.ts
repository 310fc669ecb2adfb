import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { processesWith, startAtoll } from './support/atoll-process.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { makeNoneSite, type NoneSite } from './support/none-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { type Sshd, startSshd } from './support/sshd.ts';

// A whole install runs here, over SSH, on a machine that may be busy.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });

describeWithPeers(
  ['etcd', 'kube-apiserver', 'sshd', 'ssh'],
  'a site whose bastion is elsewhere',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'atoll-up-there-'));
    const there = join(folder, 'there');
    const program = join(folder, 'atoll.mjs');
    let api: KubeApi;
    let sshd: Sshd;
    let site: NoneSite;

    beforeAll(async () => {
      await bundle({ outfile: program, format: 'esm' });
      api = await startKubeApi();
      sshd = await startSshd();
      site = await makeNoneSite(join(folder, 'site'), api);
      const { port, user, identity: privateKey, hostKeys } = sshd;
      const login = { address: '127.0.0.1', port, user, privateKey, hostKeys };
      await site.write({ bastion: { ...login, directory: there } });
    });
    afterAll(async () => {
      await atoll('down', '--yes').ended;
      await site?.stop();
      await sshd?.remove();
      await api?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const atoll = (...argv: string[]) => startAtoll(program, [...argv, '--site', site.file]);

    test('comes up from there, is verified with the kubeconfig that is brought here, and goes', async () => {
      const { status, stdout, stderr } = await atoll('up', '--output', 'json').ended;

      expect(status, stderr.slice(-4000)).toBe(0);
      const { end, outputs } = JSON.parse(stdout);
      const install = join(site.folder, '.atoll/install/cluster');
      expect(end).toMatchObject({
        kubeconfig: join(install, 'auth/kubeconfig'),
        passwordFile: join(install, 'auth/kubeadmin-password'),
      });
      for (const file of [end.kubeconfig, end.passwordFile]) expect(existsSync(file)).toBe(true);
      expect(existsSync(join(there, '.atoll/registry'))).toBe(true);
      expect(Object.keys(outputs.verify.checks)).toContain('provenance');
      expect(stderr).toContain('Approved csr-join for worker-0');
      const verified = await atoll('verify').ended;
      expect(verified.status, verified.stdout).toBe(0);
      const { mirror } = JSON.parse((await atoll('status', '--output', 'json').ended).stdout);
      expect(mirror).toMatchObject({ freeBytes: expect.any(Number), clients: expect.any(Array) });
      expect(mirror.certificateDays).toBeGreaterThan(1);

      expect((await atoll('down', '--yes').ended).status).toBe(0);
      expect(existsSync(there)).toBe(false);
      expect(processesWith(there)).toEqual([]);
    });
  },
);

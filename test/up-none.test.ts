import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { STAGE_IDS } from '../src/site/stages/stage.ts';
import { processesWith, startAtoll } from './support/atoll-process.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { LAB_OPERATORS, makeNoneSite, type NoneSite } from './support/none-site.ts';
import { describeWithPeers } from './support/peers.ts';

// Whole installs run here, with a real Kubernetes API and a real mirror, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describeWithPeers(['etcd', 'kube-apiserver'], 'a site on hosts that are there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-up-'));
  const program = join(folder, 'atoll.mjs');
  let api: KubeApi;
  let site: NoneSite;

  beforeAll(async () => {
    await bundle({ outfile: program, format: 'esm' });
    api = await startKubeApi();
    site = await makeNoneSite(join(folder, 'site'), api);
  });
  afterAll(async () => {
    await atoll('down', '--yes').ended;
    await site?.stop();
    await api?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const atoll = (...argv: string[]) => startAtoll(program, [...argv, '--site', site.file]);
  const json = (...argv: string[]) => atoll(...argv, '--output', 'json');

  test('looks before it leaps: doctor and plan tell bytes, names and a misspelled operator', async () => {
    const doctor = await json('doctor').ended;
    expect(doctor.status, doctor.stderr).toBe(0);
    const { content, checks } = JSON.parse(doctor.stdout);
    expect(content).toMatchObject({ images: 42, missingImages: 42 });
    const subjects = checks.map(({ subject }: { subject: string }) => subject);
    expect(subjects).toEqual(
      expect.arrayContaining(['DNS api.north.example.com', 'disk of the mirror']),
    );
    expect((await atoll('plan').ended).stdout).toMatch(/42 images, .* the mirror lacks 42 of them/);

    const [operator] = LAB_OPERATORS;
    await site.write({
      mirror: { operators: [{ ...operator, packages: [{ name: 'lab-storge' }] }] },
    });
    for (const argv of [['up', '--dry-run'], ['up']]) {
      const { status, stderr } = await atoll(...argv).ended;
      expect(status).not.toBe(0);
      expect(stderr).toMatch(/Nothing was mirrored: .*\n.*lab-storge/);
      expect(stderr).toContain('lab-storage');
    }
    await site.write();
    expect((await json('down', '--yes').ended).status).toBe(0);
  });

  test('comes up from nothing, says how to get in, and goes with down', async () => {
    const { status, stdout, stderr } = await json('up').ended;

    expect(status, stderr.slice(-4000)).toBe(0);
    const { end, outputs } = JSON.parse(stdout);
    const install = join(site.folder, '.atoll/install/cluster');
    expect(end).toMatchObject({
      console: 'https://console-openshift-console.apps.north.example.com',
      api: 'https://api.north.example.com:6443',
      kubeconfig: join(install, 'auth/kubeconfig'),
      passwordFile: join(install, 'auth/kubeadmin-password'),
      mirror: `127.0.0.1:${site.mirrorPort}`,
    });
    expect(existsSync(end.passwordFile)).toBe(true);
    expect(Object.keys(outputs.verify.checks)).toContain('provenance');
    // What the site says went into the cluster with the installer's own manifests.
    expect(site.installer.manifests).toEqual(
      expect.arrayContaining([expect.stringContaining('operatorhub'), 'cvo-overrides.yaml']),
    );
    expect(stderr).toContain('Approved csr-join for worker-0');
    expect(stderr).toContain('Approved csr-serve for worker-0');
    const verified = await atoll('verify').ended;
    expect(verified.status, verified.stdout).toBe(0);

    const down = await json('down', '--yes').ended;

    expect(down.status).toBe(0);
    expect(existsSync(join(site.folder, '.atoll/registry'))).toBe(false);
    expect(processesWith(site.folder).filter((line) => line.includes('serve'))).toEqual([]);
  });

  test('boots nothing when nodes could not pull, and says why', async () => {
    expect((await json('up', '--to', 'config').ended).status).toBe(0);
    const secret = join(site.folder, '.atoll/install/nodes/pull-secret.json');
    writeFileSync(secret, readFileSync(secret, 'utf8').replace(/"auth":"[^"]*"/, '"auth":"YTpi"'));
    const before = site.installer.calls.length;

    const { status, stderr } = await atoll('up').ended;

    expect(status).toBe(3);
    expect(stderr).toMatch(/Nothing was booted: nodes could not pull what they need\n.*password/);
    expect(site.installer.calls).toHaveLength(before);
    expect((await json('down', '--yes').ended).status).toBe(0);
  });

  test('comes up when it was killed in every stage, and makes the cluster once', async () => {
    rmSync(join(site.folder, '.atoll'), { recursive: true });
    site.installer.calls.length = 0;

    for (const stage of STAGE_IDS) {
      const run = json('up');
      await run.told(`"type":"step.started","step":"${stage}"`);
      run.signalGroup('SIGKILL');
      await run.ended;
    }

    const { status, stderr } = await json('up').ended;

    expect(status, stderr.slice(-4000)).toBe(0);
    const creations = site.installer.calls.filter((call) => call.startsWith('create ign'));
    expect(creations).toHaveLength(1);
    const journal = readFileSync(join(site.folder, '.atoll/journal.ndjson'), 'utf8');
    for (const stage of STAGE_IDS) expect(journal).toContain(`"kind":"finished","step":"${stage}"`);
  });
});

import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { silentContext } from '../src/core/context.ts';
import { watchedSite } from '../src/dashboard/watched-site.ts';
import { writeRunReport } from '../src/dashboard/write-report.ts';
import { readSite, type Site } from '../src/site/read-site.ts';
import { watchRunning } from '../src/site/watch/watch-running.ts';
import { eventLogPath, openEventLog, recordedContext } from '../src/workflow/event-log.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';
import { askForCertificate, CLIENT } from './support/cluster/certificate-requests.ts';
import { FakeOperators } from './support/cluster/fake-operators.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { dashboardSite, RUN, serveSite } from './support/dashboard.ts';
import { openTestSite } from './support/site.ts';
import { type Sshd, startSshd } from './support/sshd.ts';
import { tempDir } from './support/temp.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const ctx = silentContext();
const PENDING = 'csr-of-a-worker';
const NODE = { subject: 'O=system:nodes, CN=system:node:worker-0' };

describeInBrowser(['etcd', 'kube-apiserver'], 'a cluster that comes up, in Chromium,', () => {
  let api: KubeApi;
  beforeAll(async () => {
    api = await startKubeApi();
  });
  afterAll(() => api?.stop());

  test('shows operators over time, members and requests as the wait saw them, live and in the report', async () => {
    const open = await openTestSite();
    const { site } = open.work;
    const kubeconfig = open.work.platform.installs?.kubeconfig ?? '';
    await mkdir(dirname(kubeconfig), { recursive: true });
    await copyFile(await api.kubeconfig(), kubeconfig);
    const play = new FakeOperators(await api.resources());
    onTestFinished(() => play.stop());
    await play.begin();
    await play.progressing('Working towards 4.20.3: 300 of 900 done');
    const log = await openEventLog(ctx, join(site.state, 'runs', RUN));
    log.record({ type: 'run.started', run: RUN, site: site.name });
    log.record({ type: 'step.started', step: 'cluster', title: 'cluster' });
    const { url } = await serveSite(site, { bare: false });
    const { page } = await openBrowser();
    await page.goto(url);
    await page.getByRole('link', { name: 'Cluster' }).click();

    const waiting = watchRunning(recordedContext(ctx, log), open.work, { everyMs: 50 });
    const events = eventLogPath(join(site.state, 'runs', RUN));
    const shown = async (name: string, state: string) => {
      const told = `"name":"${name}","state":"${state}"`;
      // The page asks the API, too: what counts is that the wait has seen it.
      await vi.waitFor(async () => expect(await readFile(events, 'utf8')).toContain(told), 30_000);
      await page.locator(`[data-operator="${name}"][data-state="${state}"]`).waitFor();
    };
    await shown('monitoring', 'unavailable');
    await play.degrade('monitoring', 'no storage class');
    await shown('monitoring', 'degraded');
    await page.getByText('no storage class').waitFor();
    for (const name of ['etcd', 'monitoring', 'marketplace']) await play.settle(name);
    await play.join('master-0');
    await askForCertificate(api, 'admin', { name: PENDING, what: CLIENT, names: NODE });
    await page.locator('[data-request="pending"]', { hasText: PENDING }).waitFor();
    await shown('monitoring', 'available');
    await page.locator('.rows li', { hasText: 'etcd-master-0' }).waitFor();
    await play.version([]);
    expect((await waiting).cluster?.isInstalled).toBe(true);
    await log.close();

    const report = await writeRunReport(ctx, watchedSite(await withoutCluster(site)));
    await page.goto(`file://${report}#/cluster`);
    const stretches = page.locator('[data-operator="monitoring"] rect:not(.track)');
    expect(
      await stretches.evaluateAll((all) => all.map((one) => one.getAttribute('class'))),
    ).toEqual(['unavailable', 'degraded', 'available']);
    await page.locator('.rows li', { hasText: 'etcd-master-0' }).waitFor();
  });
});

describeInBrowser(['sshd', 'ssh'], 'a bastion elsewhere, in Chromium,', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.remove());

  test('shows what machines pull, from the access log there, as it grows', async () => {
    const there = join(await tempDir(), 'there');
    const log = join(there, '.atoll', 'registry', 'access.log');
    await mkdir(dirname(log), { recursive: true });
    await writeFile(log, pulled('192.0.2.11', 'etcd'));
    const { port, user, identity: privateKey, hostKeys } = sshd;
    const site = await dashboardSite(
      {},
      {
        bastion: { address: '127.0.0.1', port, user, privateKey, hostKeys, directory: there },
        platform: { machines: MACHINES },
      },
    );
    const { url } = await serveSite(site, { bare: false });
    const { page } = await openBrowser();
    await page.goto(url);

    await page.getByRole('link', { name: 'Nodes' }).click();
    await page.locator('[data-node="master-0"]', { hasText: '5.00 MiB' }).waitFor();
    await appendFile(log, pulled('192.0.2.12', 'console'));

    await page.locator('[data-node="master-1"]', { hasText: '5.00 MiB' }).waitFor();
    await page.getByRole('button', { name: 'master-1' }).click();
    await page.locator('.pulls li', { hasText: 'console' }).waitFor();
    await page.getByRole('link', { name: 'Mirror' }).click();
    await page.locator('.figures', { hasText: '10.0 MiB' }).waitFor();
  });
});

const MACHINES = ['master-0', 'master-1'].map((name, index) => ({
  ...{ name, role: 'control-plane', addresses: [`192.0.2.${11 + index}`] },
}));

/** What the registry writes when a machine pulls an image. */
function pulled(client: string, image: string): string {
  const common = {
    ...{ at: new Date().toISOString(), listener: 'store', method: 'GET', path: '/', status: 200 },
    ...{ client, agent: 'cri-o', repository: `openshift/${image}`, complete: true },
    ...{ bytesReceived: 0, durationMs: 3 },
  };
  const manifest = { ...common, route: 'manifest', reference: 'v1', bytesSent: 0 };
  const blob = { ...common, route: 'blob', bytesSent: 5 * 1024 ** 2 };
  return [manifest, blob].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The site when its cluster cannot be asked any more: what was seen is in the log of the run. */
async function withoutCluster(site: Site): Promise<Site> {
  const folder = join(site.state, 'install', 'cluster', 'auth');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kubeconfig'), 'apiVersion: v1\nkind: Config\n');
  return await readSite(site.path, {}, PLATFORMS);
}

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { prettyReporter } from '../src/cli/reporters/pretty.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { createStyle } from '../src/cli/style.ts';
import { type Context, recordingContext, silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { takeDown } from '../src/site/down.ts';
import { type OpenSite, openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { installRun } from '../src/site/stages/verify.ts';
import { bringUp } from '../src/site/up.ts';
import { PATIENCE } from '../src/site/watch/causes.ts';
import { watchInstall } from '../src/site/watch/watch-install.ts';
import type { FakeTrouble } from './support/cluster/fake-openshift-install.ts';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { fakeProcess } from './support/fake-process.ts';
import { makeNoneSite, type NoneSite } from './support/none-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { FakeScreen } from './support/screen.ts';
import { stepRun } from './support/site.ts';

// A whole API starts here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

/** What takes minutes in life is believed at once. */
const PACE = {
  everyMs: 30,
  patience: { ...PATIENCE, refusedMs: 100, degradedMs: 0, joinMs: 0, awayMs: 0 },
};

describeWithPeers(['etcd', 'kube-apiserver'], 'the wait for an install', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-watch-'));
  let api: KubeApi;
  let site: NoneSite;
  let open: OpenSite;

  beforeAll(async () => {
    api = await startKubeApi();
    site = await makeNoneSite(join(folder, 'site'), api);
    const file = await readSite(site.file, {}, PLATFORMS);
    open = await openSite(silentContext(), file, { PATH: process.env.PATH });
    const { error } = await bringUp(silentContext(), open, { to: 'config' });
    if (error) throw error;
    await open.work.platform.boot(
      silentContext(),
      installRun(silentContext(), open.work, stepRun()),
    );
  });
  afterAll(async () => {
    if (open) await takeDown(silentContext(), open, { temporary: false });
    await open?.close();
    await site?.stop();
    await api?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const watched = async (ctx: Context, trouble: FakeTrouble = {}, pace = PACE) => {
    // Machines of the test before may still be on their way out.
    await vi.waitFor(() => expect(site.installer.running).toBe(0));
    site.installer.trouble = trouble;
    return await watchInstall(ctx, open.work, installRun(ctx, open.work, stepRun()), pace);
  };

  /** Watches until this was told, then gives up. */
  async function until(words: RegExp, trouble: FakeTrouble): Promise<string> {
    const over = new AbortController();
    let found = '';
    const ctx: Context = {
      ...silentContext({ signal: over.signal }),
      emit(event) {
        const text = JSON.stringify(event);
        if (!words.test(text)) return;
        found = text;
        over.abort(new AtollError('INTERRUPTED', 'seen'));
      },
    };
    await expect(watched(ctx, trouble)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    return found;
  }

  test('ends within minutes when the mirror lacks an image, with its name', async () => {
    const missingImage = `sha256:${'d'.repeat(64)}`;

    await expect(watched(silentContext(), { missingImage })).rejects.toMatchObject({
      code: 'CLUSTER_FAILED',
      message: expect.stringMatching(/bootstrap asks the mirror .*@sha256:d{64} again and again/),
      hint: expect.stringContaining('atoll up --only images --fresh'),
    });
  });

  test('ends within minutes when machines cannot log in to the mirror', async () => {
    await expect(watched(silentContext(), { wrongPassword: true })).rejects.toMatchObject({
      code: 'CLUSTER_FAILED',
      message: expect.stringMatching(/bootstrap cannot log in to the mirror/),
    });
  });

  test('ends at once when the kubeconfig has expired, and says when', async () => {
    const { kubeconfig = '' } = open.work.platform.installs ?? {};
    const good = readFileSync(kubeconfig);
    onTestFinished(() => writeFileSync(kubeconfig, good));
    copyFileSync(await api.certificateKubeconfig(new Date('2026-01-01')), kubeconfig);

    await expect(watched(silentContext(), { noWorker: true })).rejects.toMatchObject({
      code: 'CLUSTER_DENIED',
      message: expect.stringContaining('expired on 2026-01-01'),
    });
  });

  test('tells of a stranger who wants in, and does not let it in', async () => {
    const told = await until(/csr-stranger is left pending/, { stranger: true, noWorker: true });

    expect(told).toMatch(/asks for it|is expected/);
  });

  test('tells why an operator is degraded', async () => {
    const degraded = { operator: 'monitoring', message: 'no route to thanos' };

    const told = await until(/operator monitoring/, { degraded });

    expect(told).toContain('The operator monitoring is degraded: no route to thanos');
  });

  test('tells of a machine that never joins', async () => {
    expect(await until(/has not joined/, { noWorker: true })).toContain('worker-0 has not joined');
  });

  test('lives through an API that goes away, is alive on the screen, and ends when the cluster is up', async () => {
    const screen = new FakeScreen(160, 40);
    const recording = recordingContext();
    const reporter = prettyReporter({
      screen,
      style: createStyle(false),
      verbosity: 'normal',
      nowMs: () => Date.now(),
    });
    onTestFinished(() => reporter.close());
    site.installer.paceMs = 300;
    const ctx: Context = {
      ...recording,
      emit(event) {
        recording.emit(event);
        reporter.report(event);
      },
    };

    await watched(ctx, { apiAwayMs: 500 });

    const drawn = screen.writes.join('');
    expect(drawn).toMatch(/The log of the installer: .*\.openshift_install\.log/);
    expect(drawn).toMatch(/of usually \d+m/);
    expect(drawn).toMatch(/Installer: Waiting up to/);
    expect(drawn).toMatch(/master-\d: pulls [\w-]+/);
    expect(drawn).toMatch(/Operators: waiting for /);
    expect(drawn).toContain('The bootstrap machine is not needed any more');
    expect(drawn).toContain('Approved csr-join for worker-0');
    expect(drawn).toContain('The Kubernetes API has not answered for');
  });

  test('can be watched and diagnosed by others while it goes on, and after', async () => {
    const atoll = async (...argv: string[]) => {
      const own = fakeProcess({ PATH: process.env.PATH ?? '' });
      const all = [...argv, '--site', site.file];
      const status = await runCommandLine(all, { commands: COMMANDS, groups: GROUPS }, own);
      return { status, stdout: own.stdout.text, stderr: own.stderr.text };
    };

    const watching = await atoll('bootstrap', 'watch');
    const live = await atoll('diagnose', '--live', '--bootstrap', 'nobody@no-such-host.invalid');

    expect(watching).toMatchObject({ status: 0 });
    expect(watching.stdout).toMatch(/The cluster is up\nAPI answers: 4 of 4 nodes ready, 3 of 3/);
    expect(live.stdout).toMatch(/master-0 +[\w-]+ +4 images/);
    expect(live.stdout).toContain('not looked at: the journals of nobody@no-such-host.invalid');
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runNames } from '../src/dashboard/sections/runs.ts';
import type { DryRun } from '../src/mirror/flow/dry-run.ts';
import { type AtollProcess, startAtoll } from './support/atoll-process.ts';
import { dashboardUrl, describeInBrowser, openBrowser, problemsOf } from './support/browser.ts';
import { type HeldLine, startHeldLine } from './support/held-line.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { siteFolder } from './support/site.ts';
import { tempDir } from './support/temp.ts';
import { UPSTREAM } from './support/upstream.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const GRAPH = join(UPSTREAM, 'graph-stable-4.18-amd64.json');
const HELM = 'openshifttest/helm:3.17.0';
const start = (...argv: string[]) => startAtoll(PROGRAM, [...argv, '--output', 'json']);

async function eventsIn(runs: string): Promise<string> {
  const [newest = ''] = await runNames(runs);
  return await readFile(join(runs, newest, 'events.ndjson'), 'utf8').catch(() => '');
}

describeInBrowser(['docker-registry'], 'the page beside a command, in Chromium,', () => {
  let lab: MirrorLab;
  beforeAll(async () => {
    lab = await startMirrorLab(() => true);
  });
  afterAll(() => lab.stop());

  /** Opens the page while nothing moves, then lets the command end, and gives its report. */
  async function watchImages(
    page: Page,
    { child, ended }: AtollProcess,
    line: HeldLine,
    dir: string,
  ): Promise<string> {
    await page.goto(await dashboardUrl(child.stderr));
    await page.locator('[data-stage="images"][data-state="running"]').waitFor();
    line.open();
    await page.locator('[data-stage="images"][data-state="done"]').waitFor();
    await page.getByRole('link', { name: 'Images' }).click();
    await page.getByRole('button', { name: 'helm:3.17.0' }).waitFor();
    expect((await ended).status).toBe(0);
    const runs = join(dir, 'working-dir', 'runs');
    const [newest = ''] = await runNames(runs);
    return join(runs, newest, 'report.html');
  }

  test('shows mirror sync, save and load from start to end, and is left as a report', async () => {
    const { page, complaints } = await openBrowser();
    const source = await startHeldLine(lab.upstream.host);
    const set = await lab.imageSet(
      `mirror:\n  additionalImages:\n  - name: ${source.host}/${HELM}\n`,
    );
    const dir = await lab.folder('sync');
    const common = ['--ui', '--insecure'];
    const to = `docker://${lab.upstream.host}/beside`;

    const sync = start('mirror', 'sync', '-c', set, '--to', to, '--dir', dir, ...common);
    const report = await watchImages(page, sync, source, dir);

    const second = await startHeldLine(lab.upstream.host);
    const saved = await lab.imageSet(
      `mirror:\n  additionalImages:\n  - name: ${second.host}/${HELM}\n`,
    );
    const bundle = await lab.folder('bundle');
    const saving = await lab.folder('save');
    const save = ['mirror', 'save', '-c', saved, '--to', bundle, '--dir', saving, ...common];
    await watchImages(page, start(...save), second, saving);
    const mirror = await startHeldLine(lab.upstream.host);
    const into = `docker://${mirror.host}/loaded`;
    const loading = await lab.folder('load');
    const load = ['mirror', 'load', '--from', bundle, '--to', into, '--dir', loading, ...common];
    await watchImages(page, start(...load), mirror, loading);

    await page.goto(`file://${report}`);
    expect(await page.locator('.nav a').allTextContents()).toEqual([
      'Overview',
      'Images1',
      'Configuration',
      'Runs1',
    ]);
    expect(await page.locator('.sentence').textContent()).toMatch(/^All done in /);
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.locator('summary', { hasText: /imageset-\d+\.yaml/ }).waitFor();
    expect(complaints.filter((text) => !text.includes('ERR_'))).toEqual([]);
  });

  test('shows a rehearsal as a matrix, holes first', async () => {
    const { page } = await openBrowser();
    const mirror = await startHeldLine(lab.upstream.host);
    const images = [HELM, 'openshifttest/absent:1.0'].flatMap((name) => [
      '--image',
      `${mirror.host}/${name}`,
    ]);
    const conf = join(await tempDir(), 'registries.conf');
    await writeFile(conf, `[[registry]]\nlocation = "${mirror.host}"\ninsecure = true\n`);
    const mine = ['--registries-conf', conf, '--mirror', mirror.host];

    const { child, ended } = start('rehearse', ...mine, ...images, '--ui');
    await page.goto(await dashboardUrl(child.stderr));
    await page.locator('[data-stage="rehearsal"][data-state="running"]').waitFor();
    mirror.open();
    await page.locator('[data-stage="rehearsal"][data-state="failed"]').waitFor();
    await page.getByRole('link', { name: 'Rehearsal' }).click();

    await page.locator('.matrix tbody th', { hasText: 'absent' }).waitFor();
    expect(await page.locator('.matrix .pill.bad').count()).toBe(1);
    expect((await ended).status).toBe(7);
  });

  test('the composer offers releases and operators, weighs them, and saves a file that mirror sync accepts', async () => {
    const folder = await lab.folder('compose');
    const file = join(folder, 'imageset.yaml');
    const { page, complaints } = await openBrowser();
    const words = ['init', '--ui', '--image-set', file, '--graph', GRAPH, '--output', 'json'];
    const atoll = startAtoll(PROGRAM, [...words, ...lab.registryFlags], { cwd: folder });
    await page.goto(await dashboardUrl(atoll.child.stderr));

    await page.getByRole('button', { name: 'Show' }).first().click();
    const from = page.getByRole('combobox', { name: 'from' });
    await from.locator('option').first().waitFor({ state: 'attached' });
    const versions = await from.locator('option').allTextContents();
    await from.selectOption(versions[0] ?? '');
    await page.locator(`.path[data-path^="${versions[0]} "]`).waitFor();
    await page.getByRole('button', { name: 'Show' }).last().click();
    await page.locator('[data-package="odf-operator"] input').check();
    const weight = page.locator('.weight');
    await weight.waitFor();
    expect(await weight.textContent()).toMatch(/\d KiB in \d+ images/);
    const each = (name: string) => weight.locator(`[data-weight="${name}"]`).textContent();
    expect(await each('odf-operator')).toMatch(/^odf-operator \d+(?:\.\d+)? KiB\s*$/);
    expect(await each('ocs-operator')).toMatch(/^ocs-operator \d.* KiB brought along: .*odf/);
    await page.getByText('minVersion').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: '中文' }).click();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved: ${file}`).waitFor();

    expect(await readFile(file, 'utf8')).toContain('name: odf-operator');
    const to = [
      '--to',
      `docker://${lab.upstream.host}/mirrored`,
      '--dir',
      await lab.folder('work'),
    ];
    const dry = await lab.atoll('sync', '-c', file, ...to, '--dry-run', ...lab.collectFlags);
    expect([dry.status, (dry.result as { dryRun: DryRun }).dryRun.failures]).toEqual([0, []]);
    expect((dry.result as { dryRun: DryRun }).dryRun.images).toBeGreaterThan(10);
    expect(complaints).toEqual([]);
    atoll.child.kill('SIGTERM');
    expect((await atoll.ended).status).toBe(0);
  });

  test.each([
    ['Ctrl-C', 'SIGINT', ''],
    ['kill, by status afterwards', 'SIGKILL', 'status'],
    ['kill, by ui afterwards', 'SIGKILL', 'ui'],
  ] as const)('is left as a report of an up that ended by %s', async (_how, signal, later) => {
    const steps = { registry: 'steps', insert: [{ step: 'own-wait', before: 'infrastructure' }] };
    const { folder, site } = await siteFolder(
      { steps },
      { 'steps/own-wait-ref.yaml': "ref:\n  as: own-wait\n  commands: 'sleep 600'\n" },
    );
    const runs = join(folder, '.atoll', 'runs');
    const up = start('up', '--site', site);
    await up.told('"step":"own-wait"');
    // What is told is on disk a moment later.
    await vi.waitFor(async () => expect(await eventsIn(runs)).toContain('own-wait'), 30_000);

    up.signalGroup(signal);
    const { status } = await up.ended;
    const looking = later === '' ? undefined : start(later, '--site', site);
    if (later === 'ui') await dashboardUrl(looking?.child.stderr ?? null);
    looking?.child.kill(later === 'ui' ? 'SIGTERM' : 0);
    await looking?.ended;

    expect(status).toBe(signal === 'SIGINT' ? 130 : null);
    const [newest = ''] = await runNames(runs);
    const { page } = await openBrowser();
    await page.goto(`file://${join(runs, newest, 'report.html')}`);
    expect(await page.locator('.sentence').textContent()).toMatch(/^Stopped in own-wait\./);
    await page.locator('[data-stage="own-wait"][data-state="interrupted"]').waitFor();
    await page.locator('.head .pill', { hasText: 'interrupted' }).waitFor();
  });
});

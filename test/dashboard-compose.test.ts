import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { DryRun } from '../src/mirror/flow/dry-run.ts';
import { startAtoll } from './support/atoll-process.ts';
import { accessProblems, dashboardUrl, openBrowser } from './support/browser.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';
import { UPSTREAM } from './support/upstream.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const GRAPH = join(UPSTREAM, 'graph-stable-4.18-amd64.json');

describeWithPeers(['chromium', 'docker-registry'], 'the composer in Chromium', () => {
  let lab: MirrorLab;
  beforeAll(async () => {
    lab = await startMirrorLab(() => true);
  });
  afterAll(() => lab.stop());

  test('offers releases and operators, weighs them, and saves a file that mirror sync accepts', async () => {
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
    expect(await weight.textContent()).toMatch(
      /\d KiB in \d+ images.*Brings along .*ocs-operator/s,
    );
    await page.getByText('minVersion').waitFor();
    expect(await accessProblems(page)).toEqual([]);
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
});

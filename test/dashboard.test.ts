import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { silentContext } from '../src/core/context.ts';
import { watchedSite } from '../src/dashboard/watched-site.ts';
import { writeRunReport } from '../src/dashboard/write-report.ts';
import { readSite } from '../src/site/read-site.ts';
import { startAtoll } from './support/atoll-process.ts';
import { dashboardUrl, describeInBrowser, openBrowser, problemsOf } from './support/browser.ts';
import { addEvents, dashboardSite, RUN, serveSite, writeImages } from './support/dashboard.ts';
import { fullSite } from './support/dashboard-full.ts';
import { tempDir } from './support/temp.ts';

// A browser starts in each of these, and some watch whole programs.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'cli', 'main.js');
const KIB = 1024;

test('the page is one file of less than 150 kB compressed, that names no address', () => {
  const page = readFileSync(join(ROOT, 'dist', 'dashboard.html'), 'utf8');

  expect(gzipSync(page).length).toBeLessThan(150 * KIB);
  expect(page).not.toMatch(/<(?:link|script|img)[^>]*(?:href|src)="(?!data:)/);
  expect(page).not.toContain('fonts.g');
});

const FINISHED = [
  { type: 'run.started', run: RUN, site: 'north' },
  { type: 'step.started', step: 'images', title: 'Images', reason: 'not run before' },
  { type: 'blob.copied', digest: 'sha256:1', sizeBytes: 5_000_000 },
  { type: 'step.finished', step: 'images', durationMs: 61_000 },
  { type: 'warning.raised', message: 'The certificate ends in 12 days', hint: 'Renew it' },
  { type: 'step.failed', step: 'cluster', message: 'No route to host', hint: 'Look at the cable' },
  { type: 'run.finished', run: RUN, outcome: 'failed', durationMs: 90_000 },
] as const;

describeInBrowser([], 'the dashboard in Chromium', () => {
  test('filters 5,000 images, draws only those in sight, and says why each is here', async () => {
    const site = await dashboardSite();
    await addEvents(site, FINISHED);
    await writeImages(site, 5000);
    const { url } = await serveSite(site, { bare: false });
    const { page, complaints } = await openBrowser();
    await page.goto(url);
    await page.locator('[data-connection="live"]').waitFor();

    await page.keyboard.press('/');
    await page.getByText('5000 images', { exact: true }).waitFor();
    expect(await page.locator('.table tbody tr').count()).toBeLessThan(80);
    const search = page.locator('#image-search');
    await search.fill('operator-6 bundle');
    await page.getByText(/^\d+ of 5000 images$/).waitFor();
    expect(await page.locator('td.why').first().textContent()).toMatch(
      /^bundle number \d+ of operator-6\d?$/,
    );
    await search.fill('number 4998 ');
    await page.getByText('1 of 5000 images').waitFor();
    await search.fill('');
    await page.getByRole('button', { name: 'component-0', exact: true }).focus();
    await page.keyboard.press('End');
    await page.locator('button:focus', { hasText: 'additional-4999' }).waitFor();
    await page.keyboard.press('Enter');

    const details = page.locator('.details');
    expect(await details.textContent()).toContain('localhost:8443/made-up/additional-4999:4999');
    expect(await details.textContent()).toContain('additional number 4999 of operator-49');
    expect(complaints).toEqual([]);
  });

  test('finds back by itself when the server was restarted, and misses nothing', async () => {
    const site = await dashboardSite();
    await addEvents(site, [FINISHED[0], FINISHED[1]]);
    const first = await serveSite(site, { bare: false });
    const { page } = await openBrowser();
    await page.goto(first.url);
    await page.locator('[data-connection="live"]').waitFor();

    await first.close();
    await page.locator('[data-connection="lost"]').waitFor();
    await addEvents(site, [FINISHED[3], { type: 'note.added', message: 'said meanwhile' }]);
    await serveSite(site, { bare: false, port: first.port });

    await page.locator('[data-connection="live"]').waitFor();
    await page.locator('[data-stage="images"][data-state="done"]').waitFor();
    await page.getByText('said meanwhile').waitFor();
  });

  test('shows a broken lab from start to end; its finding opens and its command is copied', async () => {
    const directory = await tempDir();
    const words = ['lab', '--dir', directory, '--break', 'ca', '--ui', '--output', 'json'];
    const { page, complaints } = await openBrowser();
    const lab = startAtoll(PROGRAM, words);
    await page.goto(await dashboardUrl(lab.child.stderr));

    await page.locator('.stage[data-state="running"]').first().waitFor();
    await page.locator('[data-stage="images"][data-state="done"]').waitFor();
    await page.locator('[data-stage="cluster"][data-state="failed"]').waitFor();
    expect(await page.locator('.sentence').textContent()).toContain('Cluster failed.');
    await page.locator('[data-finding="boot-pull-x509"] summary').waitFor();
    await page.getByRole('link', { name: 'Findings' }).click();
    await page.locator('[data-finding="boot-pull-x509"] .copy').first().click();

    await page.getByText('Copied', { exact: true }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toMatch(/^openssl s_client -connect mirror\.lab\.example:\d+/);
    expect((await lab.ended).status).toBe(6);
    // The mirror went with the lab: a rehearsal of the site says so, and its dashboard shows it.
    const file = join(directory, 'site', 'atoll.yaml');
    const rehearsal = startAtoll(PROGRAM, ['rehearse', '--site', file, '--output', 'json']);
    expect((await rehearsal.ended).status).toBe(3);
    const { url } = await serveSite(await readSite(file, {}, PLATFORMS), { bare: false });
    await page.goto(url);
    await page.getByRole('link', { name: 'Rehearsal' }).click();
    await page.locator('.matrix thead', { hasText: 'mirror-unreachable' }).waitFor();
    expect(complaints.filter((text) => !text.includes('ERR_'))).toEqual([]);
  });

  test('shows a report from disk without one request, with hostile words as words', async () => {
    const folder = await tempDir();
    const evil =
      '</script><script>alert(1)</script><img src=https://evil.example/x onerror=alert(2)>';
    const site = await dashboardSite();
    await addEvents(site, [...FINISHED, { type: 'note.added', message: evil }]);
    await writeImages(site, 30);
    const report = join(folder, 'report.html');
    expect(await writeRunReport(silentContext(), watchedSite(site), report)).toBe(report);
    const { page, requests, complaints } = await openBrowser();

    await page.goto(`file://${report}`);

    expect(await page.locator('.sentence').textContent()).toContain('Cluster failed.');
    await page.getByText(evil).waitFor();
    for (const view of await page.locator('.nav a').all()) await view.click();
    await page.keyboard.press('/');
    await page.locator('#image-search').fill('related-29');
    await page.getByText('1 of 30 images').waitFor();
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([`file://${report}`]);
    expect(complaints).toEqual([]);
    const copy = await readFile(join(site.state, 'runs', RUN, 'report.html'), 'utf8');
    expect(copy).toBe(await readFile(report, 'utf8'));
  });

  test.each(['en-US', 'zh-CN'] as const)(
    'fits every width and suits screen readers in %s, in both themes',
    async (language) => {
      const { url } = await serveSite(await fullSite(), { bare: false });
      const { page, complaints } = await openBrowser({ language });
      await page.goto(url);
      const views = page.locator('.nav a');

      const problems: string[] = [];
      for (let view = 0; view < (await views.count()); view += 1) {
        await views.nth(view).click();
        problems.push(...(await problemsOf(page)));
      }

      expect(problems).toEqual([]);
      expect(await views.count()).toBe(10);
      expect(await page.locator('html').getAttribute('lang')).toBe(language.replace('-US', ''));
      expect(complaints).toEqual([]);
    },
  );

  test('opens the lines behind a step of the bootstrap, and an earlier run', async () => {
    const { url } = await serveSite(await fullSite(), { bare: false });
    const { page, complaints } = await openBrowser();
    await page.goto(url);

    await page.getByRole('link', { name: 'Bootstrap' }).click();
    const step = page.locator('[data-step="cvo-bootstrap"]');
    expect(await step.getAttribute('aria-expanded')).toBe('false');
    await step.click();
    const lines = page.locator('.lines .evidence code', { hasText: 'Rendering Cluster Version' });
    await lines.waitFor();
    expect(await step.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.locator('table.runs tbody tr').nth(1).waitFor();
    expect(await page.locator('table.runs tbody tr').count()).toBe(2);
    await page.locator('table.runs .link').last().click();
    await page.getByRole('button', { name: 'back' }).waitFor();
    await page.locator('[data-stage="cluster"][data-state="done"]').waitFor();
    await page.getByRole('button', { name: 'back' }).click();
    await page.locator('[data-stage="cluster"]:not([data-state="done"])').waitFor();
    expect(complaints).toEqual([]);
  });

  /** Pictures for the README; elsewhere they are only drawn, to see that they can be. */
  test.each([
    ['nodes', 'light', 'en-US'],
    ['overview', 'dark', 'en-US'],
    ['cluster', 'light', 'en-US'],
    ['nodes', 'dark', 'zh-CN'],
  ] as const)('draws %s in %s and %s for the README', async (view, theme, language) => {
    const site = await fullSite({ live: view === 'nodes' });
    const { url } = await serveSite(site, { bare: false });
    const { page } = await openBrowser({ theme, language, width: 1200, height: 640 });
    await page.goto(url);
    await page.locator(`.nav a[href="#/${view}"]`).click();
    await page.locator('main table, main .stages, main .heat-map').first().waitFor();

    const name = `dashboard-${view}-${theme}-${language.slice(0, 2)}.png`;
    const folder = process.env.ATOLL_SCREENSHOTS ? join(ROOT, 'docs', 'images') : await tempDir();
    const png = await page.screenshot({ path: join(folder, name) });

    expect(png.length).toBeGreaterThan(20_000);
  });
});

import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';
import { describeWithPeers, type Peer, peerPath } from './peers.ts';

/** A browser that asks nobody for anything by itself. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
];

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en-US' | 'zh-CN';
}

export interface TestBrowser {
  readonly page: Page;
  /** Addresses that were asked for besides the page itself. */
  readonly requests: string[];
  /** What the page complained about: a policy that was broken, a script that failed. */
  readonly complaints: string[];
}

let launched: Promise<Browser> | undefined;

/** Tests in Chromium: one is started for all of a file, and ended after them. */
export function describeInBrowser(peers: readonly Peer[], name: string, body: () => void): void {
  describeWithPeers(['chromium', ...peers], name, () => {
    afterAll(async () => {
      const browser = await launched;
      launched = undefined;
      await browser?.close();
    });
    body();
  });
}

/** Opens a window that knows nothing of others and goes away with the test. */
export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const { width = 1360, height = 900, theme = 'light', language = 'en-US' } = options;
  launched ??= chromium.launch({
    executablePath: peerPath('chromium') ?? '',
    args: FLAGS,
    headless: true,
  });
  const context = await (await launched).newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // A busy machine takes its time; what never comes ends with the test.
  page.setDefaultTimeout(45_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, requests, complaints };
}

/** What axe has against the page as it is now, in a line each. */
async function accessProblems(page: Page): Promise<string[]> {
  // Evaluated, not added: the policy of the page lets no script in, and so it should.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const WIDTHS = [1600, 1200, 800, 400];

/**
 * What is wrong with a view: what axe says in the light and in the dark, wide and narrow, and what does
 * not fit at some width. With ATOLL_LOOK a picture of each is left in that folder.
 */
export async function problemsOf(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const view = new URL(page.url()).hash.slice(2) || 'page';
  for (const width of WIDTHS) {
    const theme = width < 1000 ? 'dark' : 'light';
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 900 });
    // Charts are drawn anew in the picture after the one that is told.
    await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50))');
    const found = await page.evaluate<string[]>(`(${unfitting})()`);
    problems.push(...found.map((what) => `${view}, ${width} px: ${what}`));
    await look(page, `${view}-${width}`);
    if (width === 1200 || width === 400) {
      const said = await accessProblems(page);
      problems.push(...said.map((what) => `${view}, ${theme}: ${what}`));
    }
  }
  return problems;
}

async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.ATOLL_LOOK;
  const language = await page.locator('html').getAttribute('lang');
  if (folder) await page.screenshot({ path: `${folder}/${name}-${language}.png`, fullPage: true });
}

/** Runs in the page: what is cut off or makes it scroll sideways. Words that end in an ellipsis are meant to. */
const unfitting = `() => {
  const wide = document.documentElement.clientWidth;
  const found = document.documentElement.scrollWidth > wide ? ['it scrolls sideways'] : [];
  for (const element of document.querySelectorAll('#app *')) {
    if (element.closest('.only-heard, .skip, svg *, canvas') || element.closest('thead')) continue;
    const { left, right, width } = element.getBoundingClientRect();
    const { overflowX, textOverflow } = getComputedStyle(element);
    const name = element.tagName + '.' + element.getAttribute('class');
    if (width > 0 && (right > wide + 1 || left < -1)) found.push(name + ' sticks out');
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    // What is around may stick out on purpose, as lines between things do; words may not.
    const isMeant = overflowX === 'visible' && element.childElementCount > 0;
    if (isCut && !isMeant && textOverflow !== 'ellipsis') found.push(name + ' is cut');
  }
  return found;
}`;

/** The link that a command with `--ui` told, as an event. */
export function dashboardUrl(stderr: NodeJS.ReadableStream | null): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stderr?.on('data', (chunk) => {
      text += chunk;
      const [, url] = /"url":"(http:[^"]+\/open\/[^"]+)"/.exec(text) ?? [];
      if (url) resolve(url);
    });
  });
}

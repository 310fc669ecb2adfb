import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { peerPath } from './peers.ts';
import { tempDir } from './temp.ts';

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
  readonly context: BrowserContext;
  readonly page: Page;
  /** Addresses that were asked for besides the page itself. */
  readonly requests: string[];
  /** What the page complained about: a policy that was broken, a script that failed. */
  readonly complaints: string[];
}

/** Opens Chromium with a profile of its own, which goes away with the test. */
export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const { width = 1360, height = 900, theme = 'light', language = 'en-US' } = options;
  const profile = join(await tempDir(), 'profile');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: peerPath('chromium') ?? '',
    args: FLAGS,
    headless: true,
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  onTestFinished(async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  });
  const page = context.pages()[0] ?? (await context.newPage());
  // A busy machine takes its time; what never comes ends with the test.
  page.setDefaultTimeout(45_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { context, page, requests, complaints };
}

/** What axe has against the page as it is now, in a line each. */
export async function accessProblems(page: Page): Promise<string[]> {
  // Evaluated, not added: the policy of the page lets no script in, and so it should.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

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

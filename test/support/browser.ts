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

/** What axe has against the page as it is now, in a line each; with `rule` by that one alone. */
export async function accessProblems(page: Page, rule?: string): Promise<string[]> {
  // Evaluated, not added: the policy of the page lets no script in, and so it should.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rule ? { runOnly: [rule] } : {}) };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
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

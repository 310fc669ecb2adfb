import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLATFORMS } from '../../src/cli/platforms.ts';
import { silentContext } from '../../src/core/context.ts';
import type { AtollEvent } from '../../src/core/events.ts';
import { writeFileAtomic } from '../../src/core/files.ts';
import { PageWatch } from '../../src/dashboard/page-watch.ts';
import { builtPage } from '../../src/dashboard/server/page.ts';
import { type Dashboard, serveDashboard } from '../../src/dashboard/server/server.ts';
import { watchedSite } from '../../src/dashboard/watched-site.ts';
import { readSite, type Site } from '../../src/site/read-site.ts';
import { openEventLog } from '../../src/workflow/event-log.ts';
import { siteFolder } from './site.ts';

export const RUN = '20260101T000000Z';
export const KEY = Buffer.alloc(32, 7);
/** For tests of the server, which do not look at the page. */
export const BARE_PAGE = builtPage(
  '<html><head><!--atoll:head--><style>b{}</style></head><body><!--atoll:data--><script type="module">1</script></body></html>',
);

export async function dashboardSite(
  files: Readonly<Record<string, string>> = {},
  change: Readonly<Record<string, object>> = {},
): Promise<Site> {
  const { site } = await siteFolder(change, files);
  return await readSite(site, {}, PLATFORMS);
}

/** Adds events to the log of a run, as the engine would; by default all at once. */
export async function addEvents(
  site: Site,
  events: readonly AtollEvent[],
  run = RUN,
  now: () => Date = () => new Date(),
): Promise<void> {
  const log = await openEventLog({ now }, join(site.state, 'runs', run));
  for (const event of events) log.record(event);
  await log.close();
}

export interface ServeOptions {
  readonly port?: number;
  readonly key?: Buffer;
  readonly bare?: boolean;
}

export async function serveSite(
  site: Site,
  { port = 0, key = KEY, bare = true }: ServeOptions = {},
): Promise<Dashboard & { readonly watch: PageWatch }> {
  const ctx = silentContext();
  const watch = new PageWatch(ctx, watchedSite(site));
  await watch.start();
  const page = bare ? BARE_PAGE : builtPage();
  const served = await serveDashboard(ctx, { watch, port, key, page });
  const close = async () => {
    await watch.close();
    await served.close();
  };
  onTestFinished(close);
  return { ...served, close, watch };
}

const KINDS = ['component', 'related', 'bundle', 'additional'] as const;

/** A report of the images stage with so many images. */
export async function writeImages(site: Site, count: number): Promise<void> {
  const images = Array.from({ length: count }, (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? 'component';
    const digest = `sha256:${index.toString(16).padStart(64, '0')}`;
    return {
      kind,
      source: `quay.io/made-up/${kind}-${index}@${digest}`,
      target: `localhost:8443/made-up/${kind}-${index}:${index}`,
      digest,
      reason: `${kind} number ${index} of operator-${index % 50}`,
      ...(kind === 'bundle' ? { bundles: [`operator-${index % 50}.v1.${index}`] } : {}),
      outcome: index % 97 === 96 ? 'failed' : 'copied',
      sizeBytes: 1_000_000 + index,
      copiedBytes: index % 3 === 0 ? 1_000_000 : 0,
      attempts: 1,
    };
  });
  const report = { flow: 'sync', images, notCollected: [] };
  const path = join(site.state, 'mirror', 'working-dir', 'report.json');
  await writeFileAtomic(path, JSON.stringify(report));
}

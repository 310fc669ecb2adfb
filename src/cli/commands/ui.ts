import { untilAborted } from '../../core/on-abort.ts';
import { openDashboard } from '../../dashboard/open-dashboard.ts';
import { watchedSite } from '../../dashboard/watched-site.ts';
import { writeReportOfKilled } from '../../dashboard/write-report.ts';
import { readSite } from '../../site/read-site.ts';
import { defineCommand } from '../command.ts';
import { openBrowser, UI_OPTIONS } from '../dashboard-options.ts';
import { PLATFORMS } from '../platforms.ts';
import { SITE_OPTION } from '../site-options.ts';

export const uiCommand = defineCommand({
  name: 'ui',
  summary: 'Look at a site in the browser: where it is, what it waits for, what went wrong',
  description:
    'Serves one page to this machine alone, until it is stopped. The link works once; the browser that opened it may come back. It only looks: whatever runs goes on without it. On a machine that you reach by SSH it says which "ssh -L" makes the link work at yours.',
  options: { ...SITE_OPTION, ...UI_OPTIONS },
  examples: {
    'atoll ui': 'the site in atoll.yaml',
    'atoll ui --site lab/site/atoll.yaml --port 7777': 'of a lab, at a port of your choice',
  },
  async run(ctx, { options, terminal }) {
    const site = await readSite(options.site, terminal.env, PLATFORMS);
    const watched = watchedSite(site);
    await writeReportOfKilled(ctx, watched);
    const dashboard = await openDashboard(ctx, watched, { ...options, env: terminal.env });
    if (options.open) await openBrowser(ctx, dashboard.url, terminal);
    await untilAborted(ctx);
    await dashboard.close();
    ctx.emit({ type: 'server.stopped', server: 'dashboard' });
    return { port: dashboard.port };
  },
});

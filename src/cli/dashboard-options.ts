import type { Context } from '../core/context.ts';
import { runProgram } from '../core/process.ts';
import type { Dashboard } from '../dashboard/server/server.ts';
import type { Site } from '../site/read-site.ts';
import type { OptionSpec, Terminal } from './command.ts';
import { number, onOff } from './flags.ts';

export const UI_OPTIONS = {
  port: number('PORT', 'Port of the page (default: 7410, or any that is free)'),
  open: onOff('Do not start the browser', { default: true }),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** For commands that take long: the page beside them. */
export const UI_SWITCH = {
  ui: onOff('Show it in the browser, too, while it runs'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Runs the work with the page of the site beside it, where one is wanted. */
export async function besideDashboard<T>(
  ctx: Context,
  site: Site,
  { wanted, terminal }: { readonly wanted: boolean; readonly terminal: Terminal },
  work: () => Promise<T>,
): Promise<T> {
  if (!wanted) return await work();
  // Commands without a page need not load what serves one.
  const { openDashboard } = await import('../dashboard/open-dashboard.ts');
  const dashboard: Dashboard = await openDashboard(ctx, site, {
    port: undefined,
    env: terminal.env,
  });
  try {
    await openBrowser(ctx, dashboard.url, terminal);
    return await work();
  } finally {
    await dashboard.close();
  }
}

/** Only where somebody sits in front of this machine; elsewhere the link is for copying. */
export async function openBrowser(ctx: Context, url: string, terminal: Terminal): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = terminal.env;
  const isMac = process.platform === 'darwin';
  const isDesktop = isMac || (DISPLAY ?? WAYLAND_DISPLAY) !== undefined;
  if (!terminal.interactive || !isDesktop || SSH_CONNECTION) return;
  await runProgram(ctx, isMac ? 'open' : 'xdg-open', [url]).catch(() => undefined);
}

export const untilStopped = ({ signal }: Context): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

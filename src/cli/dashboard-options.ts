import type { Context } from '../core/context.ts';
import type { Watched } from '../dashboard/watched.ts';
import type { WatchedCommand } from '../dashboard/watched-command.ts';
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

interface Beside {
  readonly wanted: boolean;
  readonly terminal: Terminal;
}

/** Runs the work with the page of the site beside it, where one is wanted. */
export async function besideDashboard<T>(
  ctx: Context,
  site: Site,
  { wanted, terminal }: Beside,
  work: () => Promise<T>,
): Promise<T> {
  if (!wanted) return await work();
  // Commands without a page need not load what serves one.
  const { watchedSite } = await import('../dashboard/watched-site.ts');
  return await besidePage(ctx, watchedSite(site), terminal, work);
}

/** Does the work of a run and leaves its report, however it ends; gives its result, and where the report is. */
export async function withRunReport<T>(
  ctx: Context,
  site: Site,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly report: string | undefined }> {
  const report = async () => {
    const { watchedSite } = await import('../dashboard/watched-site.ts');
    const { writeMissingReport } = await import('../dashboard/write-report.ts');
    return await writeMissingReport(ctx, watchedSite(site));
  };
  const result = await work().catch(async (error: unknown) => {
    await report();
    throw error;
  });
  return { result, report: await report() };
}

export interface CommandBeside<T> extends Beside {
  /** Whether what it leaves stays, and so may a report. */
  readonly keeps: boolean;
  /** What is wrong with a result that is no success. */
  readonly troubleIn: (result: T) => string | undefined;
}

/** Runs a command without a site with a page of its own beside it, where one is wanted; and leaves its report. */
export async function besideCommandPage<T>(
  ctx: Context,
  command: WatchedCommand,
  { wanted, terminal, keeps, troubleIn }: CommandBeside<T>,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  if (!wanted) return await work(ctx);
  const [{ recordCommand }, { watchedCommand }, { writeRunReport }] = await Promise.all([
    import('../dashboard/record-command.ts'),
    import('../dashboard/watched-command.ts'),
    import('../dashboard/write-report.ts'),
  ]);
  const watched = watchedCommand(command);
  return await besidePage(ctx, watched, terminal, async () => {
    try {
      return await recordCommand(ctx, command, work, troubleIn);
    } finally {
      if (keeps) await writeRunReport(ctx, watched);
    }
  });
}

async function besidePage<T>(
  ctx: Context,
  watched: Watched,
  terminal: Terminal,
  work: () => Promise<T>,
): Promise<T> {
  const { openDashboard } = await import('../dashboard/open-dashboard.ts');
  const dashboard = await openDashboard(ctx, watched, { port: undefined, env: terminal.env });
  try {
    await openBrowser(ctx, dashboard.url, terminal);
    return await work();
  } finally {
    await dashboard.close();
  }
}

/** Opens the page on a desktop. Over SSH and without a display the link is printed to be copied. */
export async function openBrowser(ctx: Context, url: string, terminal: Terminal): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = terminal.env;
  const isMac = process.platform === 'darwin';
  const isDesktop = isMac || (DISPLAY ?? WAYLAND_DISPLAY) !== undefined;
  if (!terminal.interactive || !isDesktop || SSH_CONNECTION) return;
  const { runProgram } = await import('../core/process.ts');
  await runProgram(ctx, isMac ? 'open' : 'xdg-open', [url]).catch(() => undefined);
}

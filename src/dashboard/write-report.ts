import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { messageOf } from '../core/errors.ts';
import { writeFileAtomic } from '../core/files.ts';
import { eventLogPath } from '../workflow/event-log.ts';
import { PageWatch } from './page-watch.ts';
import { runNames } from './sections/runs.ts';
import { builtPage, pageAsFile } from './server/page.ts';
import type { Watched } from './watched.ts';

/**
 * Writes the page of the last run as a file, beside its events and where somebody wants it; says where. A run does
 * not fail because it could not be reported, and one that was interrupted is reported, too.
 */
export async function writeRunReport(
  ctx: Context,
  watched: Watched,
  wanted?: string,
): Promise<string | undefined> {
  const watch = new PageWatch(ctx, watched);
  try {
    const data = await watch.readAll();
    const html = pageAsFile(builtPage(), data);
    const own = data.run && join(watched.runs, data.run.run, 'report.html');
    if (own) await writeFileAtomic(own, html);
    const path = wanted ?? own;
    if (path === undefined) return undefined;
    if (path !== own) await writeFileAtomic(path, html);
    ctx.emit({ type: 'file.written', path });
    return path;
  } catch (error) {
    ctx.emit({ type: 'warning.raised', message: `Cannot write the report: ${messageOf(error)}` });
    return undefined;
  } finally {
    await watch.close();
  }
}

/** Writes the report of the last run where it has none of how it ended; says where. */
export async function writeMissingReport(
  ctx: Context,
  watched: Watched,
): Promise<string | undefined> {
  return (await isReportMissing(watched)) ? await writeRunReport(ctx, watched) : undefined;
}

/** For who looks later: the report of a run whose process was killed and could not write it. */
export async function writeReportOfKilled(ctx: Context, watched: Watched): Promise<void> {
  if (!(await watched.isWorkedOn())) await writeMissingReport(ctx, watched);
}

/** Whether the last run has events that its report does not know. */
async function isReportMissing({ runs }: Pick<Watched, 'runs'>): Promise<boolean> {
  const [newest] = await runNames(runs);
  if (newest === undefined) return false;
  const changed = (path: string) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const events = await changed(eventLogPath(join(runs, newest)));
  return events > (await changed(join(runs, newest, 'report.html')));
}

import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { messageOf } from '../core/errors.ts';
import { writeFileAtomic } from '../core/files.ts';
import type { Site } from '../site/read-site.ts';
import { sitePaths } from '../site/site-paths.ts';
import { builtPage, pageAsFile } from './server/page.ts';
import { SiteWatch } from './watch-site.ts';

/**
 * Writes the page of the last run as a file, beside its events and where somebody wants it; says where. A run does
 * not fail because it could not be reported.
 */
export async function writeRunReport(
  ctx: Context,
  site: Site,
  wanted?: string,
): Promise<string | undefined> {
  try {
    const data = await new SiteWatch(ctx, site).readAll();
    const html = pageAsFile(builtPage(), data);
    const own = data.run && join(sitePaths(site).runs, data.run.run, 'report.html');
    if (own) await writeFileAtomic(own, html);
    const path = wanted ?? own;
    if (path === undefined) return undefined;
    if (path !== own) await writeFileAtomic(path, html);
    ctx.emit({ type: 'file.written', path });
    return path;
  } catch (error) {
    ctx.signal.throwIfAborted();
    ctx.emit({ type: 'warning.raised', message: `Cannot write the report: ${messageOf(error)}` });
    return undefined;
  }
}

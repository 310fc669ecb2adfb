import type { Context } from '../core/context.ts';
import { type Access, type OpenSite, openSite } from '../site/open-site.ts';
import { readSite } from '../site/read-site.ts';
import type { OptionSpec, Terminal } from './command.ts';
import { text } from './flags.ts';
import { PLATFORMS } from './platforms.ts';

export const SITE_OPTION = {
  site: text('FILE', 'The site file', { default: 'atoll.yaml' }),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Opens the site a command works on, and closes it whatever happens. */
export async function withSite<T>(
  ctx: Context,
  file: string,
  terminal: Pick<Terminal, 'env'>,
  work: (open: OpenSite) => Promise<T>,
  access: Access = 'change',
): Promise<T> {
  const site = await readSite(file, terminal.env, PLATFORMS);
  for (const { variable, field } of site.overrides) {
    ctx.emit({ type: 'note.added', message: `${field} comes from ${variable}` });
  }
  const open = await openSite(ctx, site, terminal.env, access);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

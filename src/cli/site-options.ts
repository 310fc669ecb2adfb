import type { Context } from '../core/context.ts';
import { type Access, type OpenSite, openSite } from '../site/open-site.ts';
import { readSite } from '../site/read-site.ts';
import type { OptionSpec, Terminal } from './command.ts';
import { text } from './flags.ts';
import { PLATFORMS } from './platforms.ts';

export const SITE_OPTION = {
  site: text('FILE', 'The site file', { default: 'atoll.yaml' }),
} as const satisfies Readonly<Record<string, OptionSpec>>;

interface SiteInput {
  readonly options: { readonly site: string };
  readonly terminal: Pick<Terminal, 'env'>;
}

/** Opens the site a command works on, and closes it whatever happens. */
export async function withSite<T>(
  ctx: Context,
  { options, terminal }: SiteInput,
  access: Access,
  work: (open: OpenSite) => Promise<T>,
): Promise<T> {
  const site = await readSite(options.site, terminal.env, PLATFORMS);
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

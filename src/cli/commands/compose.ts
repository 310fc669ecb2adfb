import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createGraphSource } from '../../content/release/graph/graph-source.ts';
import type { Context } from '../../core/context.ts';
import { untilAborted } from '../../core/on-abort.ts';
import { Composer } from '../../dashboard/compose/composer.ts';
import { serveDashboard } from '../../dashboard/server/server.ts';
import { createWeb } from '../../http/web.ts';
import type { Terminal } from '../command.ts';
import { openBrowser } from '../dashboard-options.ts';
import { type RegistryFlags, registriesFrom, registryOptionsFrom } from '../registry-options.ts';

interface ComposeFlags extends RegistryFlags {
  readonly imageSet: string;
  readonly graph: string | undefined;
}

/** Serves the page on which an image set is composed, until it is stopped. */
export async function composeImageSet(
  ctx: Context,
  flags: ComposeFlags,
  terminal: Terminal,
): Promise<{ readonly file: string }> {
  const registries = registriesFrom(flags, terminal);
  const web = createWeb(registryOptionsFrom(flags, terminal));
  const file = resolve(flags.imageSet);
  const composer = new Composer({ registries, graph: createGraphSource(web, flags.graph), file });
  const served = await serveDashboard(ctx, { composer, port: 0, key: randomBytes(32) });
  try {
    ctx.emit({ type: 'server.started', server: 'composer', url: served.url });
    await openBrowser(ctx, served.url, terminal);
    await untilAborted(ctx);
  } finally {
    await served.close();
    await registries.close();
    web.close();
  }
  return { file };
}

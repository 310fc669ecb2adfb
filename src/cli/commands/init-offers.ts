import { createGraphSource } from '../../content/release/graph/graph-source.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { NO_RETRY } from '../../core/retry.ts';
import { Composer } from '../../dashboard/compose/composer.ts';
import { createWeb } from '../../http/web.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Terminal } from '../command.ts';
import { type RegistryFlags, registryOptionsFrom } from '../registry-options.ts';

/** What upstream has, where it can be asked; undefined where it cannot: then any answer will do. */
export interface InitOffers {
  /** Versions of a channel, the newest last. */
  versions(channel: string): Promise<readonly string[] | undefined>;
  /** Names of the operators in a catalog. */
  operators(catalog: string, authfile: string): Promise<readonly string[] | undefined>;
}

interface OfferFlags extends RegistryFlags {
  readonly graph: string | undefined;
}

export function initOffers(ctx: Context, flags: OfferFlags, terminal: Terminal): InitOffers {
  const quiet: Context = { ...ctx, emit: () => undefined };
  const ask = async <T>(authfile: string | undefined, work: (from: Composer) => Promise<T>) => {
    const options = registryOptionsFrom({ ...flags, authfile }, terminal);
    const registries = createRegistries({ ...options, tuning: { retry: NO_RETRY } });
    const web = createWeb(options, NO_RETRY);
    try {
      const graph = createGraphSource(web, flags.graph);
      return await work(new Composer({ registries, graph, file: '' }));
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (error instanceof AtollError) return undefined;
      throw error;
    } finally {
      await registries.close();
      web.close();
    }
  };
  return {
    versions: (channel) =>
      ask(flags.authfile, async (from) => (await from.channel(quiet, channel)).versions),
    operators: (catalog, authfile) =>
      ask(flags.authfile ?? authfile, async (from) =>
        (await from.packages(quiet, catalog)).map(({ name }) => name),
      ),
  };
}

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Context } from '../core/context.ts';
import {
  readTextIfPresent,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  writeFileAtomic,
} from '../core/files.ts';
import { shellLine } from '../core/format.ts';
import { PageWatch } from './page-watch.ts';
import { type Dashboard, serveDashboard } from './server/server.ts';
import type { Watched } from './watched.ts';

/** Where people look for it first, so that a bookmark and an `ssh -L` line stay true. */
const USUAL_PORT = 7410;

export interface OpenOptions {
  /** Undefined: the usual one, or any that is free. */
  readonly port: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Watches a site or a command, serves its page and says where. */
export async function openDashboard(
  ctx: Context,
  watched: Watched,
  { port, env }: OpenOptions,
): Promise<Dashboard> {
  const watch = new PageWatch(ctx, watched);
  await watch.start();
  const key = await sessionKey(watched.keyFile);
  const serve = (wanted: number) => serveDashboard(ctx, { watch, key, port: wanted });
  const served = await (port === undefined
    ? serve(USUAL_PORT).catch(() => serve(0))
    : serve(port)
  ).catch(async (error: unknown) => {
    await watch.close();
    throw error;
  });
  ctx.emit({ type: 'server.started', server: 'dashboard', url: served.url });
  const line = tunnelLine(served.port, env);
  if (line) ctx.emit({ type: 'note.added', message: `From your own machine first: ${line}` });
  return {
    ...served,
    async close() {
      watch.pause();
      // Pages that are open get the end of the run: its last failure matters most.
      await watch.readAll().catch(() => undefined);
      await served.close();
      await watch.close();
    },
  };
}

/** On disk, so that a page finds back to a server that was restarted. */
async function sessionKey(path: string): Promise<Buffer> {
  const known = await readTextIfPresent(path).catch(() => undefined);
  if (known && known.trim().length === 64) return Buffer.from(known.trim(), 'hex');
  const key = randomBytes(32);
  const modes = { mode: SECRET_MODE, directoryMode: SECRET_DIRECTORY_MODE };
  // A user without write access to the site gets a key that ends with this server.
  await writeFileAtomic(path, `${key.toString('hex')}\n`, modes).catch(() => undefined);
  return key;
}

/** On a machine that people reach by SSH: the line that makes the link work at theirs. */
function tunnelLine(port: number, env: OpenOptions['env']): string | undefined {
  if (!env.SSH_CONNECTION) return undefined;
  const address = env.SSH_CONNECTION.split(' ')[2] ?? hostname();
  const forward = `${port}:127.0.0.1:${port}`;
  return shellLine(['ssh', '-L', forward, `${userInfo().username}@${address}`]);
}

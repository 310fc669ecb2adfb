import type { Context } from '../core/context.ts';
import type { RetryPolicy } from '../core/retry.ts';
import { rootPrefix } from './as-root.ts';
import type { Host } from './host.ts';
import { putByScript } from './put-by-script.ts';
import { SshConnection } from './ssh/connection.ts';
import { followRemote, getRemote } from './ssh/read-remote.ts';
import { runRemote } from './ssh/run-remote.ts';
import type { SshTarget } from './ssh/ssh-target.ts';

export type { HostKeyPin, SshTarget } from './ssh/ssh-target.ts';

/** How long to go on trying to connect: a machine that boots needs minutes. */
export type ConnectPatience = Partial<RetryPolicy>;

/** Connects to a machine by the system's OpenSSH. Close it when done. */
export async function openSshHost(
  ctx: Context,
  target: SshTarget,
  patience: ConnectPatience = {},
): Promise<Host> {
  const host = sshHost(target, patience);
  try {
    await host.run(ctx, 'true', []);
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** The same, connected when it is needed first. */
export function sshHost(target: SshTarget, patience: ConnectPatience = {}): Host {
  const connection = new SshConnection(target, patience);
  const { name } = connection;
  const run: Host['run'] = async (ctx, program, args, { sudo, ...options } = {}) => {
    const prefix = sudo ? await root(ctx) : [];
    return await runRemote(ctx, connection, { ...options, program, args, root: prefix });
  };
  const root = rootPrefix(run, name);
  return {
    name,
    isHere: false,
    run,
    put: (ctx, path, content, options) => putByScript(ctx, { run, name }, path, content, options),
    get: (ctx, path) => getRemote(ctx, { connection, path }),
    follow: (ctx, path) => followRemote(ctx, { connection, path }),
    close: () => connection.close(),
  };
}

import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Host } from './host.ts';

/** What stands before a program that root is to run: nothing for root, sudo without questions else. */
export function rootPrefix(run: Host['run'], name: string): (ctx: Context) => Promise<string[]> {
  let found: Promise<string[]> | undefined;
  return async (ctx) => {
    found ??= look(ctx, run, name);
    try {
      return await found;
    } catch (error) {
      found = undefined;
      throw error;
    }
  };
}

async function look(ctx: Context, run: Host['run'], name: string): Promise<string[]> {
  const { stdout } = await run(ctx, 'id', ['-u']);
  if (stdout.trim() === '0') return [];
  const script = 'sudo -n true 2>&1 || { echo; exit 1; }';
  const asked = await run(ctx, 'sh', ['-c', script]);
  if (asked.status === 0) return ['sudo', '-n', '--'];
  throw new AtollError(
    'HOST_DENIED',
    `Cannot become root on ${name}: ${asked.stdout.trim() || 'sudo refuses'}`,
    { hint: 'Let this user run sudo without a password there (NOPASSWD), or log in as root' },
  );
}

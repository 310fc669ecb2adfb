import { existsSync } from 'node:fs';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { NCSA_HELPER } from '../../generate/units/squid-conf.ts';
import { SQUID_ID } from '../../generate/units/squid-unit.ts';
import { localHost } from '../../host/local-host.ts';
import { installHint } from '../bastion/inspect-bastion.ts';

const HELPERS = [
  NCSA_HELPER,
  '/usr/lib/squid/basic_ncsa_auth',
  '/usr/libexec/squid/basic_ncsa_auth',
];

/** The squid that the bastion has. */
export interface Squid {
  /** Undefined: it comes as an image. */
  readonly program: string | undefined;
  /** Who it runs as when root starts it. */
  readonly owner: string;
  readonly helper: string;
}

const SYSTEM_FOLDER = '/var/lib/atoll/proxy-';

/** Where a squid has its configuration and its logs. */
export interface SquidPlace {
  readonly folder: string;
  /** Handled as root. */
  readonly sudo: boolean;
}

/** As root in a folder of the system: who runs squid cannot look into one that is for us alone. */
export const squidPlace = (site: string, state: string, sudo: boolean): SquidPlace => ({
  folder: sudo ? `${SYSTEM_FOLDER}${site}` : `${state}/proxy`,
  sudo,
});

const FIND = 'PATH=$PATH:/usr/sbin:/sbin; command -v "$1"';

/** The squid of this machine: installed, or as an image where systemd runs it. */
export async function findSquid(ctx: Context, trouble: string | undefined): Promise<Squid> {
  const host = localHost();
  const where = async (program: string) => {
    const { status, stdout } = await host.run(ctx, 'sh', ['-c', FIND, 'find', program]);
    return status === 0 ? stdout.trim() : undefined;
  };
  const program = await where('squid');
  if (program) {
    const { stdout } = await host.run(ctx, program, ['-v']);
    const owner = /--with-default-user=([\w-]+)/.exec(stdout)?.[1] ?? 'squid';
    return { program, owner, helper: HELPERS.find(existsSync) ?? NCSA_HELPER };
  }
  const container = { program, owner: `${SQUID_ID}`, helper: NCSA_HELPER };
  if (trouble === undefined && (await where('podman'))) return container;
  throw new AtollError('PREFLIGHT_FAILED', 'Cannot run a proxy here: there is no squid', {
    hint: `Install it: ${await installHint(ctx, host, 'squid')}; where systemd runs, podman will do`,
  });
}

/** Everybody may pass through the folders above, whatever is usual for whoever makes them; SELinux wants squid's own label. */
const MAKE = `umask 022; mkdir -p -- "$1/log" && chmod 755 "$1" && chmod 750 "$1/log"
if command -v chcon >/dev/null && selinuxenabled 2>/dev/null; then chcon -R -t squid_cache_t "$1" || :; fi
[ -z "$2" ] || chown -R "$2" "$1"`;

/** Whether the process that the file names is this squid. */
const ALIVE = `pid=$(cat "$1/log/squid.pid" 2>/dev/null)
alive() { [ -n "$pid" ] && tr '\\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -qF "$1/squid.conf"; }`;

const STOP = `${ALIVE}
left=200; alive "$1" && kill -TERM "$pid"
while alive "$1" && [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
alive "$1" && kill -KILL "$pid"; rm -f "$1/log/squid.pid"`;

const START = `${ALIVE}
alive "$1" || { setsid "$2" -N -f "$1/squid.conf" < /dev/null > "$1/log/out" 2>&1 & }`;

/** Makes the folder, for whom squid runs as. */
export const makeSquidFolder = (ctx: Context, place: SquidPlace, owner: string): Promise<void> =>
  script(ctx, MAKE, place, place.sudo ? owner : '');

/** Starts squid as a process, again where its configuration is new. */
export async function startSquid(
  ctx: Context,
  program: string,
  place: SquidPlace,
  isNew: boolean,
): Promise<void> {
  if (isNew) await script(ctx, STOP, place);
  await script(ctx, START, place, program);
}

/** Ends the squid of a folder, and removes the folder. One that is gone is none. */
export async function removeSquid(ctx: Context, folder: string): Promise<void> {
  // Whoever could not become root kept it below the site.
  const sudo = folder.startsWith(SYSTEM_FOLDER);
  await script(ctx, `${STOP}\nrm -rf -- "$1"`, { folder, sudo });
}

async function script(
  ctx: Context,
  text: string,
  { folder, sudo }: SquidPlace,
  ...args: readonly string[]
): Promise<void> {
  const words = ['-c', text, 'squid', folder, ...args];
  const { status, stderr } = await localHost().run(ctx, 'sh', words, { sudo });
  if (status === 0) return;
  throw new AtollError('PROGRAM_FAILED', `Cannot handle the proxy in ${folder}: ${stderr.trim()}`);
}

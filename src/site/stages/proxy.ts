import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { sleep } from '../../core/retry.ts';
import { NCSA_HELPER, squidConf } from '../../generate/units/squid-conf.ts';
import { SQUID_ID, squidUnit } from '../../generate/units/squid-unit.ts';
import type { Host } from '../../host/host.ts';
import { localHost } from '../../host/local-host.ts';
import { hashPassword } from '../../registry/auth/passwords.ts';
import { installHint } from '../bastion/inspect-bastion.ts';
import { type ProxyLogin, proxyHost, readProxyLogin } from '../proxy-place.ts';
import type { Site } from '../read-site.ts';
import { startUnit, systemdTrouble } from '../system-service.ts';
import { type ProxyAnswer, probeProxy } from './probe-proxy.ts';
import type { StageWork } from './stage.ts';

/** What nodes of CI use, too; it has squid as its program. */
const IMAGE = 'quay.io/openshifttest/squid-proxy:multiarch';
const HELPERS = [
  NCSA_HELPER,
  '/usr/lib/squid/basic_ncsa_auth',
  '/usr/libexec/squid/basic_ncsa_auth',
];
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 200;

export const proxyPlan = (site: Site): readonly string[] => {
  const { port, image = IMAGE } = site.proxy;
  return [
    `run squid as ${proxyHost(site)}:${port} for ${clientsOf(site).join(', ')}, with a login; from ${image} where none is installed`,
  ];
};

/** The squid that the bastion has. */
interface Squid {
  /** Undefined: it comes as an image. */
  readonly program: string | undefined;
  /** Who it runs as when root starts it. */
  readonly owner: string;
  readonly helper: string;
}

interface ProxyPlace {
  readonly folder: string;
  readonly conf: string;
  /** As root: it cannot look into a folder that is for us alone. */
  readonly sudo: boolean;
}

/** Starts squid for the nodes, on this machine, and makes sure that it lets in whom it should. Safe to repeat. */
export async function runProxy(ctx: Context, work: StageWork): Promise<void> {
  const { site, paths, inventory } = work;
  const trouble = await systemdTrouble(ctx);
  const squid = await findSquid(ctx, trouble);
  const login = await requireLogin(work);
  const sudo = trouble === undefined || process.getuid?.() === 0;
  const folder = sudo ? `/var/lib/atoll/proxy-${site.name}` : join(paths.state, 'proxy');
  const place = { folder, conf: join(folder, 'squid.conf'), sudo };
  const temporary = site.mode === 'private';
  await inventory.claim({ kind: 'proxy', id: folder, temporary });
  const isNew = await writeFiles(ctx, site, squid, place, login);
  if (trouble === undefined) {
    const name = `atoll-proxy-${site.name}.service`;
    await inventory.claim({ kind: 'unit', id: name, temporary });
    const image = site.proxy.image ?? IMAGE;
    await startUnit(
      ctx,
      { name, contents: squidUnit({ folder, program: squid.program, image }) },
      isNew,
    );
  } else await startProcess(ctx, squid.program ?? '', place, isNew);
  await requireAnswers(ctx, site, login);
}

async function requireLogin({ paths }: StageWork): Promise<ProxyLogin> {
  const login = await readProxyLogin(paths);
  if (login) return login;
  throw new AtollError('INPUT_INVALID', 'Cannot start the proxy: it has no login yet', {
    hint: 'Run the stage before: atoll up --only credentials',
  });
}

const FIND = 'PATH=$PATH:/usr/sbin:/sbin; command -v "$1"';

async function findSquid(ctx: Context, trouble: string | undefined): Promise<Squid> {
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

/** Nodes, this machine itself, and those who may reach it from outside. */
const clientsOf = ({ cluster, bastion }: Site) => [
  ...new Set([cluster.machineNetwork, '127.0.0.0/8', ...bastion.allowFrom]),
];

/** True when something is not as it was, so that it has to start again. */
async function writeFiles(
  ctx: Context,
  site: Site,
  { program, owner, helper }: Squid,
  { folder, sudo }: ProxyPlace,
  { user, password }: ProxyLogin,
): Promise<boolean> {
  const host = localHost();
  const inside = program ? folder : '/etc/squid';
  const text = squidConf({
    port: site.proxy.port,
    clients: clientsOf(site),
    auth: { htpasswd: join(inside, 'htpasswd'), helper },
    logs: program ? join(folder, 'log') : '/var/log/squid',
  });
  const own = sudo ? owner : '';
  await sudoScript(ctx, host, MAKE, [folder, own], sudo);
  const before = await host.run(ctx, 'cat', [join(folder, 'squid.conf')], { sudo });
  const options = sudo ? { sudo, owner } : {};
  const hashed = `${user}:${await hashPassword(password)}\n`;
  await host.put(ctx, join(folder, 'htpasswd'), hashed, { ...options, mode: 0o600 });
  await host.put(ctx, join(folder, 'squid.conf'), text, { ...options, mode: 0o640 });
  return before.stdout !== text;
}

/** Everybody may pass through the folders above, whatever is usual for whoever makes them. */
const MAKE = `umask 022; mkdir -p -- "$1/log" && chmod 755 "$1" && chmod 750 "$1/log"
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

async function startProcess(
  ctx: Context,
  program: string,
  { folder, sudo }: ProxyPlace,
  isNew: boolean,
): Promise<void> {
  if (isNew) await sudoScript(ctx, localHost(), STOP, [folder], sudo);
  await sudoScript(ctx, localHost(), START, [folder, program], sudo);
}

/** Ends the squid of a folder, and removes the folder. One that is gone is none. */
export async function removeProxy(ctx: Context, folder: string): Promise<void> {
  // Whoever could not become root kept it below the site.
  const sudo = folder.startsWith('/var/lib/atoll/proxy-');
  await sudoScript(ctx, localHost(), `${STOP}\nrm -rf -- "$1"`, [folder], sudo);
}

async function sudoScript(
  ctx: Context,
  host: Host,
  script: string,
  args: readonly string[],
  sudo: boolean,
): Promise<void> {
  const { status, stderr } = await host.run(ctx, 'sh', ['-c', script, 'proxy', ...args], { sudo });
  if (status === 0) return;
  throw new AtollError('PROGRAM_FAILED', `Cannot handle the proxy in ${args[0]}: ${stderr.trim()}`);
}

/** Asked without a login it has to refuse, and with it to let pass; that it gets out is another matter. */
async function requireAnswers(ctx: Context, site: Site, login: ProxyLogin): Promise<void> {
  const { port } = site.proxy;
  const target = upstreamOf(site);
  const refused = await firstAnswer(ctx, () => probeProxy(ctx, port, target), port);
  if (refused.status !== 407)
    throw new AtollError(
      'PROGRAM_FAILED',
      `Cannot trust the proxy at port ${port}: without a login it answers ${refused.status}, not 407`,
      { hint: `See what listens there: ss -ltnp 'sport = :${port}'` },
    );
  const { status } = await probeProxy(ctx, port, target, login);
  if (status === 407)
    throw new AtollError('PROGRAM_FAILED', 'The proxy does not take the login it was given', {
      hint: 'Look at its cache.log: the helper that reads its users may be missing',
    });
  if (status === 200) return;
  ctx.emit({
    type: 'warning.raised',
    subject: 'proxy',
    message: `The proxy answers ${status} when it is asked for ${target}: nodes that need it will not get there`,
    hint: 'Look whether this machine itself reaches it',
  });
}

async function firstAnswer(
  ctx: Context,
  ask: () => Promise<ProxyAnswer>,
  port: number,
): Promise<ProxyAnswer> {
  const deadline = ctx.now().getTime() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (ctx.now().getTime() > deadline)
        throw new AtollError('PROGRAM_FAILED', `The proxy does not answer at port ${port}`, {
          hint: 'Look at its cache.log, or the journal of its unit',
          cause,
        });
      await sleep(ctx, LOOK_AGAIN_MS);
    }
  }
}

/** Where nodes would go through it first. */
function upstreamOf({ release }: Site): string {
  const [host = ''] = (release.image ?? '').split('/');
  const isWeb = /^[^:]*\.[^:]*$/.test(host);
  return `${isWeb ? host : 'quay.io'}:443`;
}

import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { sleep } from '../../core/retry.ts';
import { squidConf } from '../../generate/units/squid-conf.ts';
import { squidUnit } from '../../generate/units/squid-unit.ts';
import { localHost } from '../../host/local-host.ts';
import { hashPassword } from '../../registry/auth/passwords.ts';
import { type ProxyLogin, proxyHost, readProxyLogin } from '../proxy-place.ts';
import type { Site } from '../read-site.ts';
import { startUnit, systemdTrouble } from '../system-service.ts';
import { type ProxyAnswer, probeProxy } from './probe-proxy.ts';
import {
  findSquid,
  makeSquidFolder,
  type Squid,
  type SquidPlace,
  squidPlace,
  startSquid,
} from './squid-process.ts';
import type { StageWork } from './stage.ts';

/** What nodes of CI use, too; it has squid as its program. */
const IMAGE = 'quay.io/openshifttest/squid-proxy:multiarch';
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 200;

export const proxyPlan = (site: Site): readonly string[] => {
  const { port, image = IMAGE } = site.proxy;
  return [
    `run squid as ${proxyHost(site)}:${port} for ${clientsOf(site).join(', ')}, with a login; from ${image} where none is installed`,
  ];
};

/** Starts squid for the nodes, on this machine, and makes sure that it lets in whom it should. Safe to repeat. */
export async function runProxy(ctx: Context, work: StageWork): Promise<void> {
  const { site, paths, inventory } = work;
  const trouble = await systemdTrouble(ctx);
  const squid = await findSquid(ctx, trouble);
  const login = await requireLogin(work);
  const sudo = trouble === undefined || process.getuid?.() === 0;
  const place = squidPlace(site.name, paths.state, sudo);
  const { folder } = place;
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
  } else await startSquid(ctx, squid.program ?? '', place, isNew);
  await requireAnswers(ctx, site, login);
}

async function requireLogin({ paths }: StageWork): Promise<ProxyLogin> {
  const login = await readProxyLogin(paths);
  if (login) return login;
  throw new AtollError('INPUT_INVALID', 'Cannot start the proxy: it has no login yet', {
    hint: 'Run the stage before: atoll up --only credentials',
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
  place: SquidPlace,
  { user, password }: ProxyLogin,
): Promise<boolean> {
  const { folder, sudo } = place;
  const host = localHost();
  const inside = program ? folder : '/etc/squid';
  const text = squidConf({
    port: site.proxy.port,
    clients: clientsOf(site),
    auth: { htpasswd: join(inside, 'htpasswd'), helper },
    logs: program ? join(folder, 'log') : '/var/log/squid',
  });
  await makeSquidFolder(ctx, place, owner);
  const before = await host.run(ctx, 'cat', [join(folder, 'squid.conf')], { sudo });
  const options = sudo ? { sudo, owner } : {};
  const hashed = `${user}:${await hashPassword(password)}\n`;
  await host.put(ctx, join(folder, 'htpasswd'), hashed, { ...options, mode: 0o600 });
  await host.put(ctx, join(folder, 'squid.conf'), text, { ...options, mode: 0o640 });
  return before.stdout !== text;
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

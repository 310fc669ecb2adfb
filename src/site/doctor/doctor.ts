import { connect } from 'node:net';
import type { Context } from '../../core/context.ts';
import { ERROR_CODES } from '../../core/error-codes.ts';
import { AtollError, isTransient, messageOf } from '../../core/errors.ts';
import { exists, readText } from '../../core/files.ts';
import { formatBytes } from '../../core/format.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { parsePullSecret } from '../../generate/pull-secret.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries } from '../../remote/registries.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import { mirrorHost } from '../mirror-place.ts';
import { sitePath } from '../read-site.ts';
import { isServiceRunning } from '../service.ts';
import { registryOptions } from '../stages/places.ts';
import { registryPidFile } from '../stages/registry.ts';
import type { StageWork } from '../stages/stage.ts';
import { type ContentPlan, planContent } from './plan-content.ts';
import { clockOffsetMs } from './time-server.ts';

/** Everything that can be looked at before anything is made. */
export async function examineSite(
  ctx: Context,
  work: StageWork,
  content?: ContentPlan,
): Promise<readonly PreflightCheck[]> {
  const parts = await Promise.all([
    work.platform.preflight(ctx),
    loginChecks(ctx, work),
    mirrorChecks(ctx, work),
    diskChecks(work, content),
    timeChecks(ctx, work),
  ]);
  return parts.flat();
}

/** Of no registry: what the installer's pull secret holds for the console of Red Hat. */
const NO_REGISTRIES: readonly string[] = ['cloud.openshift.com'];
/** Registries answer with a refusal for what is not there; this is, and everybody with a login may read it. */
const READABLE: Readonly<Record<string, string>> = {
  'quay.io': 'openshift-release-dev/ocp-release',
  'registry.redhat.io': 'redhat/redhat-operator-index',
};

/** Each login of the pull secret, really tried. */
async function loginChecks(ctx: Context, work: StageWork): Promise<PreflightCheck[]> {
  const path = sitePath(work.site, work.site.cluster.pullSecret);
  const text = await readText(path).catch(() => undefined);
  if (text === undefined)
    return [problem('pull secret', `There is no file "${path}"`, 'Put the pull secret there')];
  registerPullSecret(text);
  const entries = Object.keys(parsePullSecret(text, `"${path}"`).auths);
  const registries = openRegistries(work, path);
  try {
    const tried = entries
      .filter((entry) => !NO_REGISTRIES.includes(entry))
      .map((entry) => loginCheck(ctx, registries, entry));
    return await Promise.all(tried);
  } finally {
    await registries.close();
  }
}

/** Once and without patience: whoever looks wants to know now. */
const openRegistries = (work: StageWork, authfile: string): Registries =>
  createRegistries({ ...registryOptions(work), authfile, tuning: { retry: { attempts: 1 } } });

async function loginCheck(
  ctx: Context,
  registries: Registries,
  entry: string,
): Promise<PreflightCheck> {
  const [host = '', ...path] = entry.split('/');
  const subject = `login ${entry}`;
  const repository = path.join('/') || READABLE[host] || 'atoll/probe';
  const failure = await failureOf(() =>
    registries.repository(host, repository).resolve(quiet(ctx), 'atoll-doctor'),
  );
  if (failure === undefined) return { subject, severity: 'ok', message: 'it is accepted' };
  const message = `Cannot log in to ${entry}: ${failure.message}`;
  // A registry that nothing is mirrored from may be away; one that says no is told anyway.
  const isSure = failure.code === 'REGISTRY_DENIED' && READABLE[host] !== undefined;
  const hint = failure.hint ?? 'Get a new pull secret, or remove the entry';
  if (!isSure) return { subject, severity: 'warning', message, hint };
  return { ...problem(subject, message, hint), code: failure.code };
}

/** Undefined when the registry understood the question. */
async function failureOf(ask: () => Promise<unknown>): Promise<AtollError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    return error.code === 'IMAGE_UNKNOWN' ? undefined : error;
  }
}

const quiet = (ctx: Context): Context => ({ ...ctx, emit: () => undefined });

const problem = (subject: string, message: string, hint: string): PreflightCheck => ({
  ...{ subject, severity: 'error', message, hint },
});

/** A mirror that is there must be trusted and let us in; one that is to be made needs its port. */
async function mirrorChecks(ctx: Context, work: StageWork): Promise<PreflightCheck[]> {
  const { site, paths } = work;
  const host = mirrorHost(site);
  const subject = `mirror ${host}`;
  if (site.registry.type === 'embedded' && !(await isServiceRunning(registryPidFile(paths)))) {
    // On another machine, or once it was made here, whoever listens may well be the mirror.
    const isOurs = work.inventory
      .resources()
      .some(({ kind }) => ['service', 'unit'].includes(kind));
    return isOurs || site.bastion.address ? [] : [await portCheck(site.registry.port)];
  }
  const authfile = (await exists(paths.mirrorSecret))
    ? paths.mirrorSecret
    : sitePath(site, site.registry.authfile ?? site.cluster.pullSecret);
  const registries = openRegistries(work, authfile);
  try {
    const failure = await failureOf(() =>
      registries.repository(host, 'atoll/probe').resolve(quiet(ctx), 'none'),
    );
    if (failure === undefined) return [{ subject, severity: 'ok', message: 'trusted, and open' }];
    const hint = failure.hint ?? 'See registry in the site file';
    // It may be switched on later; that it is not trusted, or does not let us in, stays so.
    if (isTransient(failure))
      return [{ subject, severity: 'warning', message: failure.message, hint }];
    return [{ ...problem(subject, failure.message, hint), code: failure.code }];
  } finally {
    await registries.close();
  }
}

async function portCheck(port: number): Promise<PreflightCheck> {
  const subject = `port ${port}`;
  const isTaken = await new Promise<boolean>((answer) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => answer(false));
  });
  if (!isTaken) return { subject, severity: 'ok', message: 'it is free for the mirror' };
  const hint = 'End what listens there (see: ss -ltnp), or choose another registry.port';
  return problem(subject, `Something else listens at port ${port}, which the mirror needs`, hint);
}

/** A mirror keeps what is mirrored once, and needs room to write and to tidy up. */
const RESERVE_BYTES = 2 * 1024 ** 3;

async function diskChecks(
  { site, paths }: StageWork,
  content: ContentPlan | undefined,
): Promise<PreflightCheck[]> {
  if (!content) return [];
  const places = [
    ...(site.registry.type === 'embedded' ? [['mirror', paths.registry] as const] : []),
    ...(site.mirror.flow === 'bundle' ? [['bundle', paths.bundle] as const] : []),
  ];
  return await Promise.all(
    places.map(async ([what, path]): Promise<PreflightCheck> => {
      const subject = `disk of the ${what}`;
      const free = await freeSpace(path);
      const needed = content.missingBytes + RESERVE_BYTES;
      const message = `${formatBytes(free)} free at ${path}, ${formatBytes(needed)} needed`;
      if (free >= needed) return { subject, severity: 'ok', message };
      return problem(
        subject,
        message,
        `Free ${formatBytes(needed - free)}, or choose another disk`,
      );
    }),
  );
}

const MOST_OFFSET_MS = 30_000;

/** A clock that is wrong makes every certificate wrong. */
async function timeChecks(ctx: Context, { site }: StageWork): Promise<PreflightCheck[]> {
  return await Promise.all(
    site.postInstall.ntpServers.map(async (server): Promise<PreflightCheck> => {
      const subject = `time server ${server}`;
      const offset = await clockOffsetMs(ctx, server).catch((error: unknown) => messageOf(error));
      if (typeof offset === 'string') {
        const hint = 'Nodes need it: is the name right, and UDP port 123 open?';
        return { subject, severity: 'warning', message: `${server}: ${offset}`, hint };
      }
      const message = `this clock is ${Math.round(Math.abs(offset))} ms ${offset > 0 ? 'behind' : 'ahead of'} ${server}`;
      if (Math.abs(offset) <= MOST_OFFSET_MS) return { subject, severity: 'ok', message };
      return problem(subject, message, 'Set the clock of this machine: chronyc makestep');
    }),
  );
}

export interface Examination {
  /** Undefined where upstream could not be asked. */
  readonly content: ContentPlan | undefined;
  readonly checks: readonly PreflightCheck[];
}

/** All there is to know beforehand: what is to be mirrored, and what stands in the way. */
export async function examineAll(ctx: Context, work: StageWork): Promise<Examination> {
  let content: ContentPlan | undefined;
  const checks: PreflightCheck[] = [];
  try {
    content = await planContent(ctx, work);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (!(error instanceof AtollError)) throw error;
    const { code, message, hint = 'See what the site mirrors: release, mirror' } = error;
    const severity = ERROR_CODES[code].exit === OUTSIDE ? 'warning' : 'error';
    checks.push({ subject: 'content', severity, code, message, hint });
  }
  return { content, checks: [...checks, ...(await examineSite(ctx, work, content))] };
}

/** Exit status of what is wrong with the network or with others: it may be right later. */
const OUTSIDE = ERROR_CODES.REGISTRY_UNAVAILABLE.exit;

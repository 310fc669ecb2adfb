import { connect } from 'node:net';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { type AtollError, isTransient } from '../../core/errors.ts';
import { exists } from '../../core/files.ts';
import { NO_RETRY } from '../../core/retry.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { isElsewhere } from '../bastion/bastion-place.ts';
import { hasMirror, mirrorHost } from '../mirror-place.ts';
import { sitePath } from '../read-site.ts';
import { isServiceRunning } from '../service.ts';
import { mirrorCaNow, registryOptions } from '../stages/places.ts';
import { registryPidFile } from '../stages/registry.ts';
import type { StageWork } from '../stages/stage.ts';
import { failureOf, hintFor, problem, quiet } from './probe.ts';

/** A mirror that is there must be trusted and let us in; one that is to be made needs its port. */
export async function mirrorChecks(ctx: Context, work: StageWork): Promise<PreflightCheck[]> {
  const { site, paths } = work;
  if (!hasMirror(site)) return [];
  if (site.registry.type === 'embedded' && !(await isServiceRunning(registryPidFile(paths)))) {
    // On another machine, or once it was made here, whoever listens may well be the mirror.
    const isOurs = work.inventory
      .resources()
      .some(({ kind }) => ['service', 'unit'].includes(kind));
    return isOurs || site.bastion.address ? [] : [await portCheck(site.registry.port)];
  }
  const host = mirrorHost(site);
  const failure = await askAsNode(ctx, work, host);
  const subject = `mirror ${host}`;
  if (failure === undefined) return [{ subject, severity: 'ok', message: 'trusted, and open' }];
  const { code, message } = failure;
  const fields = { ca: 'registry.ca', login: site.registry.authfile ? 'registry.authfile' : PULL };
  const hint = hintFor(failure, fields) ?? 'See registry in the site file';
  const isNameless = code === 'NAME_UNRESOLVED' && !isElsewhere(site);
  // It may be switched on later; that it is not trusted, or does not let us in, stays so.
  if (isTransient(failure) && !isNameless) return [{ subject, severity: 'warning', message, hint }];
  return [{ ...problem(subject, message, hint), code }];
}

const PULL = 'cluster.pullSecret';

/** With the CA that nodes get, and with nothing else that this machine happens to trust for it. */
async function askAsNode(
  ctx: Context,
  work: StageWork,
  host: string,
): Promise<AtollError | undefined> {
  const { site, paths } = work;
  const authfile = (await exists(paths.mirrorSecret))
    ? paths.mirrorSecret
    : sitePath(site, site.registry.authfile ?? site.cluster.pullSecret);
  const registries = createRegistries({
    ...registryOptions(work),
    ...{ authfile, ca: mirrorCaNow(work), certsDir: join(paths.state, 'no-certs.d') },
    tuning: { retry: NO_RETRY },
  });
  try {
    return await failureOf(() =>
      registries.repository(host, 'atoll/probe').resolve(quiet(ctx), 'none'),
    );
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

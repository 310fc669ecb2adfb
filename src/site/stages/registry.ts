import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { readText, readTextIfPresent, unreadable } from '../../core/files.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { NO_RETRY } from '../../core/retry.ts';
import { selfCommand } from '../../core/self.ts';
import { registryUnit } from '../../generate/units/registry-unit.ts';
import { localHost } from '../../host/local-host.ts';
import { generatePassword } from '../../registry/auth/passwords.ts';
import { setPassword } from '../../registry/auth/users.ts';
import { CONFIG_NAME, readConfigFile } from '../../registry/config-file.ts';
import { initRegistry } from '../../registry/init.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { hashOf } from '../../workflow/hash.ts';
import type { JsonObject } from '../../workflow/step.ts';
import { siteInputs } from '../inputs.ts';
import { hasMirror, mirrorCa, mirrorHost, mirrorName } from '../mirror-place.ts';
import type { Site } from '../read-site.ts';
import { isServiceRunning, startService, stopService } from '../service.ts';
import type { SitePaths } from '../site-paths.ts';
import { startUnit, systemdTrouble } from '../system-service.ts';
import { waitForImageRegistry } from '../wait-for-image-registry.ts';
import { registryOptions } from './places.ts';
import { proxyPlan, runProxy } from './proxy.ts';
import {
  readMirrorPassword,
  writeMergedSecret,
  writeMirrorSecret,
  writeSecret,
} from './secrets.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

const USER = 'atoll';
/** Our own was started just now; systemd says so before it listens, and a slow machine takes a while. */
const OWN_PATIENCE_MS = 180_000;

export const registryStage: Stage = {
  id: 'registry',
  // Of a proxy the login comes first.
  needs: ['bastion', 'credentials'],
  inputs: ({ registry, proxy, name }) => asJson({ registry, proxy, name }),
  plan: ({ site, paths }) => [
    ...PLANS[site.registry.type](site, paths),
    ...(site.proxy.enabled ? proxyPlan(site) : []),
    ...givenProxyPlan(site.proxy),
  ],
  // A reboot or a crash may have stopped it.
  always: true,
  run: async (ctx, work) => {
    const { type } = work.site.registry;
    if (type === 'embedded') await runEmbedded(ctx, work);
    if (type === 'existing') await adoptExisting(work);
    if (work.site.proxy.enabled) await runProxy(ctx, work);
    await writeMergedSecret(work.paths);
    if (!hasMirror(work.site))
      return { fingerprint: hashOf(await readText(work.paths.mergedSecret)) };
    await waitUntilItAnswers(ctx, work);
    const ca = mirrorCa(work);
    const trust = ca === undefined ? '' : await readText(ca);
    const shown = [trust, await readText(work.paths.mirrorSecret)];
    return { host: mirrorHost(work.site), ca, fingerprint: hashOf(shown) } satisfies JsonObject;
  },
};

const PLANS: Readonly<
  Record<Site['registry']['type'], (site: Site, paths: SitePaths) => readonly string[]>
> = {
  embedded: (site, paths) => [
    `make a registry in ${paths.registry} with its own CA and a first user`,
    `serve it as ${mirrorHost(site)}, as a service where systemd runs`,
  ],
  existing: (site) => [`use the registry ${mirrorHost(site)}`],
  none: () => ['make no registry: nodes pull from upstream'],
};

/** Without the login that a URL may hold. */
function givenProxyPlan({ url, publicUrl }: Site['proxy']): string[] {
  const shown = [url, publicUrl].flatMap((text) =>
    URL.canParse(text ?? '') ? new URL(text ?? '').host : [],
  );
  return shown.length === 0
    ? []
    : [`leave the proxy ${shown.join(', from outside ')} to nodes and steps`];
}

export const registryPidFile = (paths: Pick<StageWork['paths'], 'state'>): string =>
  join(paths.state, 'registry.pid');

const serviceLog = ({ state }: Pick<StageWork['paths'], 'state'>): string =>
  join(state, 'logs', 'registry-service.log');

async function runEmbedded(ctx: Context, work: StageWork): Promise<void> {
  const { site, paths, inventory } = work;
  const temporary = site.mode === 'private';
  if (await isEmptyPlace(paths.registry))
    await inventory.claim({ kind: 'directory', id: paths.registry, temporary });
  await ensureEmbedded(ctx, work);
  const pidFile = registryPidFile(paths);
  const { workers, asProcess } = site.platformKind.mirror;
  const trouble = asProcess ? '' : await systemdTrouble(ctx);
  if (trouble === undefined) {
    await stopService(ctx, pidFile);
    const name = `atoll-registry-${site.name}.service`;
    await inventory.claim({ kind: 'unit', id: name, temporary });
    return await startUnit(ctx, { name, contents: await unitOf(ctx, work) });
  }
  if (trouble !== '') tellProcess(ctx, trouble);
  const own = workers === undefined ? [] : ['--workers', String(workers)];
  await inventory.claim({ kind: 'service', id: pidFile, temporary });
  await startService(ctx, {
    pidFile,
    logFile: serviceLog(paths),
    args: ['registry', 'serve', '--dir', paths.registry, ...own, '--output', 'json'],
  });
}

function tellProcess(ctx: Context, trouble: string): void {
  const message = `The registry runs as a process, not as a service (${trouble}): after a reboot run "atoll up" again`;
  ctx.emit({ type: 'note.added', message });
}

/** The service runs as whoever runs this: the folder of the site is theirs. */
async function unitOf(ctx: Context, { paths }: StageWork): Promise<string> {
  const { stdout } = await localHost().run(ctx, 'id', ['-un']);
  const group = await localHost().run(ctx, 'id', ['-gn']);
  const { file, args } = selfCommand();
  return registryUnit({
    program: [file, ...args],
    config: join(paths.registry, CONFIG_NAME),
    data: paths.registry,
    user: stdout.trim(),
    group: group.stdout.trim(),
  });
}

/** Whether what will be there is ours alone. A folder with content was somebody's before. */
async function isEmptyPlace(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return true;
    throw unreadable(path, error);
  }
}

/** The password is on disk before the registry knows it: a crash in between must not lose it. */
async function ensureEmbedded(ctx: Context, { site, paths }: StageWork): Promise<void> {
  const host = mirrorHost(site);
  const config = join(paths.registry, CONFIG_NAME);
  const made = (await readTextIfPresent(config)) !== undefined;
  if (made) await requirePort(config, site.registry.port, registryPidFile(paths));
  const known = await readMirrorPassword(paths, host, USER);
  if (made && known !== undefined) return;
  const password = known ?? generatePassword();
  await writeMirrorSecret(paths, host, USER, password);
  if (made) {
    const users = { htpasswd: join(paths.registry, 'htpasswd'), grants: undefined };
    await setPassword(ctx, users, USER, password);
    return;
  }
  await initRegistry(ctx, {
    directory: paths.registry,
    hosts: [mirrorName(site), 'localhost', '127.0.0.1'],
    port: site.registry.port,
    listen: site.platformKind.mirror.address,
    user: USER,
    password,
  });
}

/** A registry keeps the port it was made with: its file is the user's to edit, not ours. */
async function requirePort(config: string, port: number, pidFile: string): Promise<void> {
  const ports = (await readConfigFile(config)).listeners.map(({ address }) => address.port);
  if (ports.includes(port)) return;
  const made = ports.join(', ');
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot serve the mirror at port ${port}: "${config}" says ${made}`,
    {
      hint: `Set registry.port back to ${made}; or write ${port} there, end the process that "${pidFile}" names, and run this again`,
    },
  );
}

async function adoptExisting({ site, paths }: StageWork): Promise<void> {
  const text = JSON.stringify({ auths: await siteInputs(site, 'so-far').mirrorLogins() });
  registerPullSecret(text);
  await writeSecret(paths.mirrorSecret, `${text}\n`);
}

/** A process that was killed does not come back; a unit does, by systemd. */
async function endOf({ paths, inventory }: StageWork): Promise<AtollError | undefined> {
  const pidFile = registryPidFile(paths);
  const isProcess = inventory
    .resources()
    .some(({ kind, id }) => kind === 'service' && id === pidFile);
  if (!isProcess || (await isServiceRunning(pidFile))) return undefined;
  return new AtollError(
    'PROGRAM_FAILED',
    'Cannot reach the mirror: the process that serves it ended',
    {
      hint: `Look at ${serviceLog(paths)}; "atoll up" starts it again`,
    },
  );
}

/** Asks with the CA and credentials the images stage will use: better now than after an hour. */
async function waitUntilItAnswers(ctx: Context, work: StageWork): Promise<void> {
  const registries = createRegistries({
    ...registryOptions(work),
    tuning: { retry: NO_RETRY },
  });
  try {
    const isOwn = work.site.registry.type === 'embedded';
    await waitForImageRegistry(ctx, registries, mirrorHost(work.site), {
      patienceMs: isOwn ? OWN_PATIENCE_MS : undefined,
      ended: isOwn ? () => endOf(work) : undefined,
    });
  } finally {
    await registries.close();
  }
}

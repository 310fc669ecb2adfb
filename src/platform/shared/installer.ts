import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import {
  exists,
  makeFolder,
  readText,
  readTextIfPresent,
  writeFileAtomic,
} from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import type { Host } from '../../host/host.ts';
import type { InstallRun, OpenPlatform, PlatformSite } from '../platform.ts';

/** Below the install folder: what the installer's own manifests are joined by, in its folders. */
export const EXTRA_MANIFESTS = 'extra';

/** Beside the installer's files: the install-config they were made from. */
const MADE_FROM = '.atoll-install-config.yaml';

const HOUR_MS = 3_600_000;

interface InstallerOptions {
  /** Where the installer runs. */
  readonly host: (ctx: Context) => Promise<Host>;
  /** `there`: the operator boots them. `made`: the installer makes them. */
  readonly machines: 'there' | 'made';
}

/** Where the installer works, and leaves what it knows of the cluster. */
/** Where the installer works: its state, its log and what logs in to the cluster. */
export const clusterFolder = ({ install }: Pick<PlatformSite['paths'], 'install'>): string =>
  join(install, 'cluster');

export const installedKubeconfig = (paths: Pick<PlatformSite['paths'], 'install'>): string =>
  join(clusterFolder(paths), 'auth', 'kubeconfig');

const installerLog = (paths: Pick<PlatformSite['paths'], 'install'>): string =>
  join(clusterFolder(paths), '.openshift_install.log');

/** The install as `openshift-install` does it: the way of every platform that is not played. */
export function installer(
  { paths, disconnected }: Pick<PlatformSite, 'paths' | 'disconnected'>,
  { host, machines }: InstallerOptions,
): Pick<OpenPlatform, 'boot' | 'watch' | 'installs'> & { readonly plan: readonly string[] } {
  const folder = clusterFolder(paths);
  const install = (ctx: Context, { log }: InstallRun, ...command: readonly string[]) =>
    runInstaller(ctx, paths, { host, log, args: [...command, '--dir', folder] });
  const then =
    machines === 'made'
      ? 'it makes the machines and waits for the cluster'
      : 'Ignition files first, then wait while you boot your hosts with them';
  return {
    installs: { kubeconfig: installedKubeconfig(paths), log: installerLog(paths) },
    plan: [`run openshift-install in ${paths.install}: ${then}`],
    async boot(ctx, run) {
      if (await isMade(paths.install, folder)) return { folder };
      // Of machines that it makes, the platform knows what has to go before.
      if (machines === 'there')
        await run.claim({ kind: 'directory', id: folder, temporary: false });
      await makeFolder(folder);
      // The installer eats its input; ours stays where it is.
      const config = join(paths.install, 'install-config.yaml');
      await copyFile(config, join(folder, 'install-config.yaml'));
      await copyFile(config, join(folder, MADE_FROM));
      await install(ctx, run, 'create', 'manifests');
      if (disconnected) await leaveChannel(join(folder, 'manifests', 'cvo-overrides.yaml'));
      await cp(join(paths.install, EXTRA_MANIFESTS), folder, { recursive: true });
      await install(ctx, run, 'create', machines === 'made' ? 'cluster' : 'ignition-configs');
      if (machines === 'there') tellWhatToBoot(ctx, folder);
      return { folder };
    },
    async watch(ctx, run) {
      await install(ctx, run, 'wait-for', 'bootstrap-complete');
      await install(ctx, run, 'wait-for', 'install-complete');
      return { kubeconfig: installedKubeconfig(paths), log: installerLog(paths) };
    },
  };
}

/** With a channel the cluster would ask the internet for updates, for ever and in vain. */
async function leaveChannel(path: string): Promise<void> {
  const text = await readTextIfPresent(path);
  if (text !== undefined) await writeFileAtomic(path, text.replace(/^ {2}channel: .*\n/m, ''));
}

/**
 * Whether an earlier run made the cluster's files. Made again they would have other keys, and hosts that
 * booted with the first ones would never join; of another install-config they are another cluster.
 */
async function isMade(install: string, folder: string): Promise<boolean> {
  if (!(await exists(join(folder, 'metadata.json')))) return false;
  const made = await readTextIfPresent(join(folder, MADE_FROM));
  if (made === (await readText(join(install, 'install-config.yaml')))) return true;
  throw new AtollError(
    'CLUSTER_FAILED',
    `Cannot go on with the install in ${folder}: the install-config has changed since it was begun`,
    {
      hint: `If nothing booted from it yet, remove it and run again: ${shellLine(['rm', '-r', folder])}`,
      details: { folder },
    },
  );
}

function tellWhatToBoot(ctx: Context, folder: string): void {
  ctx.emit({
    type: 'note.added',
    message: `Boot your hosts with bootstrap.ign, master.ign and worker.ign from ${folder}; atoll waits`,
  });
}

interface InstallerCall {
  readonly host: InstallerOptions['host'];
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

async function runInstaller(
  ctx: Context,
  paths: PlatformSite['paths'],
  { host, args, log }: InstallerCall,
): Promise<void> {
  const words: string[] = [];
  const { status } = await (await host(ctx)).run(
    ctx,
    join(paths.tools, 'openshift-install'),
    args,
    {
      timeoutMs: 2 * HOUR_MS,
      onLine(line) {
        log(line);
        words.push(...complaintIn(line));
      },
    },
  );
  if (status === 0) return;
  const own = [...new Set(words)].slice(-LAST_WORDS).map((text) => `\n  ${text}`);
  throw new AtollError(
    'CLUSTER_FAILED',
    `openshift-install ${args.slice(0, 2).join(' ')} ended with status ${status}${own.join('')}`,
    {
      hint: `Run: ${shellLine(['atoll', 'diagnose', paths.install])}`,
      details: { status, log: installerLog(paths) },
    },
  );
}

const LAST_WORDS = 3;
const COMPLAINT = /^(?:(?:time="[^"]*" )?level=(?:error|fatal) msg="?|(?:ERROR|FATAL) +)(.*?)"?$/;

/** What a line of the installer says, where it is about a failure. */
function complaintIn(line: string): string[] {
  const text = COMPLAINT.exec(line)?.[1];
  return text === undefined ? [] : [text.replaceAll('\\"', '"')];
}

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import type { Host } from '../../host/host.ts';
import type { InstallRun, OpenPlatform, PlatformSite } from '../platform.ts';

const HOUR_MS = 3_600_000;

interface InstallerOptions {
  /** Where the installer runs. */
  readonly host: (ctx: Context) => Promise<Host>;
  /** `there`: the operator boots them. `made`: the installer makes them. */
  readonly machines: 'there' | 'made';
}

/** The install as `openshift-install` does it: the way of every platform that is not played. */
export function installer(
  { paths }: Pick<PlatformSite, 'paths'>,
  { host, machines }: InstallerOptions,
): Pick<OpenPlatform, 'boot' | 'watch'> & { readonly plan: readonly string[] } {
  const folder = join(paths.install, 'cluster');
  const install = (ctx: Context, { log }: InstallRun, ...command: readonly string[]) =>
    runInstaller(ctx, paths, { host, log, args: [...command, '--dir', folder] });
  const then =
    machines === 'made'
      ? 'it makes the machines and waits for the cluster'
      : 'Ignition files first, then wait while you boot your hosts with them';
  return {
    plan: [`run openshift-install in ${paths.install}: ${then}`],
    async boot(ctx, run) {
      await makeFolder(folder);
      // The installer eats its input; ours stays where it is.
      await copyFile(
        join(paths.install, 'install-config.yaml'),
        join(folder, 'install-config.yaml'),
      );
      await install(ctx, run, 'create', machines === 'made' ? 'cluster' : 'ignition-configs');
      if (machines === 'there') tellWhatToBoot(ctx, folder);
      return { folder };
    },
    async watch(ctx, run) {
      await install(ctx, run, 'wait-for', 'bootstrap-complete');
      await install(ctx, run, 'wait-for', 'install-complete');
      return { kubeconfig: join(folder, 'auth', 'kubeconfig'), log: run.directory };
    },
  };
}

/** Machines that nobody made for the cluster are let in by nobody: their requests are the operator's. */
function tellWhatToBoot(ctx: Context, folder: string): void {
  ctx.emit({
    type: 'note.added',
    message: `Boot your hosts with bootstrap.ign, master.ign and worker.ign from ${folder}; atoll waits. Workers join when you approve their certificates: oc get csr`,
  });
}

interface InstallerCall {
  readonly host: InstallerOptions['host'];
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

async function runInstaller(
  ctx: Context,
  { install, tools }: PlatformSite['paths'],
  { host, args, log }: InstallerCall,
): Promise<void> {
  const { status } = await (await host(ctx)).run(ctx, join(tools, 'openshift-install'), args, {
    timeoutMs: 2 * HOUR_MS,
    onLine: log,
  });
  if (status === 0) return;
  throw new AtollError(
    'CLUSTER_FAILED',
    `openshift-install ${args.slice(0, 2).join(' ')} ended with status ${status}`,
    { hint: `Run: ${shellLine(['atoll', 'diagnose', install])}`, details: { status } },
  );
}

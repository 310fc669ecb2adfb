import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { shellLine } from '../../core/format.ts';
import type { JsonObject, StepRun } from '../../workflow/step.ts';
import { INSTALL_FILES } from './config.ts';
import { bastionHost } from './places.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

const HOUR_MS = 3_600_000;

export const clusterStage: Stage = {
  id: 'cluster',
  title: 'Cluster',
  needs: ['tools', 'config'],
  inputs: ({ cluster }) =>
    asJson({ name: cluster.name, controlPlane: cluster.controlPlane, workers: cluster.workers }),
  plan: ({ site, paths }) =>
    site.platform.type === 'lab'
      ? [
          'rehearse the install: a bootstrap, masters and workers that pull every image through the generated configuration',
        ]
      : [
          `run openshift-install in ${paths.install}: Ignition files first, then wait while you boot your hosts with them`,
        ],
  run: (ctx, work, run) =>
    work.runCluster ? work.runCluster(ctx, run) : runInstaller(ctx, work, run),
};

/** Hosts are somebody else's: the installer makes their Ignition files, and waits for the cluster. */
async function runInstaller(
  ctx: Context,
  work: StageWork,
  { log, directory }: StepRun,
): Promise<JsonObject> {
  const folder = join(work.paths.install, 'cluster');
  await mkdir(folder, { recursive: true });
  // The installer eats its input; ours stays where it is.
  await copyFile(
    join(work.paths.install, INSTALL_FILES.installConfig),
    join(folder, 'install-config.yaml'),
  );
  await install(ctx, work, ['create', 'ignition-configs', '--dir', folder], log);
  ctx.emit({
    type: 'note.added',
    message: `Boot your hosts with bootstrap.ign, master.ign and worker.ign from ${folder}; atoll waits`,
  });
  await install(ctx, work, ['wait-for', 'bootstrap-complete', '--dir', folder], log);
  await install(ctx, work, ['wait-for', 'install-complete', '--dir', folder], log);
  return { folder, kubeconfig: join(folder, 'auth', 'kubeconfig'), log: directory };
}

async function install(
  ctx: Context,
  { site, paths }: StageWork,
  args: readonly string[],
  log: (line: string) => void,
): Promise<void> {
  const program = join(paths.tools, 'openshift-install');
  const { status } = await bastionHost(site).run(ctx, program, args, {
    timeoutMs: 2 * HOUR_MS,
    onLine: log,
  });
  if (status === 0) return;
  throw new AtollError(
    'CLUSTER_FAILED',
    `openshift-install ${args.slice(0, 2).join(' ')} ended with status ${status}`,
    {
      hint: `Run: ${shellLine(['atoll', 'diagnose', paths.install])}`,
      details: { status },
    },
  );
}

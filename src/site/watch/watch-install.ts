import { withCluster } from '../../cluster/connect.ts';
import { approveRequests } from '../../cluster/csr/approve.ts';
import type { ExpectedNode } from '../../cluster/csr/judge.ts';
import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import type { JsonObject } from '../../core/json.ts';
import { sleep } from '../../core/retry.ts';
import type { InstallRun } from '../../platform/platform.ts';
import { installedKubeconfig } from '../../platform/shared/installer.ts';
import type { StageWork } from '../stages/stage.ts';

const LOOK_AGAIN_MS = 1000;

/** Waits for the cluster as the platform does, and does beside it what the platform does not. */
export async function watchInstall(
  ctx: Context,
  work: StageWork,
  run: InstallRun,
): Promise<JsonObject> {
  const over = new AbortController();
  const beside: Context = { ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) };
  const companions = [admit(beside, work)];
  try {
    return await work.platform.watch(ctx, run);
  } finally {
    over.abort(new Error('the wait is over'));
    await Promise.allSettled(companions);
  }
}

/** Lets expected machines in, where nobody else does. */
async function admit(ctx: Context, { platform, paths }: StageWork): Promise<void> {
  const expected: readonly ExpectedNode[] =
    platform.machines?.filter(({ role }) => role !== 'bootstrap') ?? [];
  if (expected.length === 0) return;
  const kubeconfig = installedKubeconfig(paths);
  while (!(await exists(kubeconfig))) await sleep(ctx, LOOK_AGAIN_MS);
  await withCluster(ctx, { kubeconfig }, (resources) =>
    approveRequests(patient(ctx), resources, { expected }),
  );
}

/** An API that is not there yet is what is waited for: it is no news. */
const patient = (ctx: Context): Context => ({
  ...ctx,
  emit: (event) => event.type !== 'attempt.failed' && ctx.emit(event),
});

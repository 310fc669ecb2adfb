import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import type { StepRun } from '../../workflow/step.ts';
import { rehearsedWith, rehearseSite } from '../rehearse-site.ts';
import { watchInstall } from '../watch/watch-install.ts';
import { heed } from './infrastructure.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';
import { installRun } from './verify.ts';

export const clusterStage: Stage = {
  id: 'cluster',
  needs: ['tools', 'config'],
  inputs: ({ cluster }) =>
    asJson({ name: cluster.name, controlPlane: cluster.controlPlane, workers: cluster.workers }),
  plan: ({ site, platform }) => [
    site.cluster.rehearse
      ? 'rehearse: pull all that nodes will pull, as they would; nothing boots before that has passed'
      : 'boot without a rehearsal, as cluster.rehearse says',
    ...platform.plan().cluster,
  ],
  run: async (ctx, work, run) => {
    await rehearseOnce(ctx, work, run);
    const install = installRun(ctx, work, run);
    return {
      ...(await work.platform.boot(ctx, install)),
      ...(await watchInstall(ctx, work, install)),
    };
  },
};

/** Once for a configuration: an install that goes on after a break must not wait for it again. */
async function rehearseOnce(ctx: Context, work: StageWork, { directory, log }: StepRun) {
  const { site, skipRehearsal } = work;
  if (!site.cluster.rehearse || skipRehearsal) {
    const message = 'Machines boot without a rehearsal: what they cannot pull is found by them';
    ctx.emit({ type: 'warning.raised', message, hint: 'To look now: atoll rehearse --help' });
    return;
  }
  const note = join(directory, 'rehearsed');
  const rehearsed = await rehearsedWith(work);
  if ((await readTextIfPresent(note)) === rehearsed) return;
  heed(ctx, await work.platform.preflight(ctx), 'boot');
  const { images, pullable, registries } = await rehearseSite(ctx, work);
  log(`rehearsed: ${pullable} of ${images} images can be pulled from ${registries.join(', ')}`);
  await writeFileAtomic(note, rehearsed);
}

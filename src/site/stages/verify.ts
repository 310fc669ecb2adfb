import type { Expectation } from '../../cluster/verify/snapshot.ts';
import type { Context } from '../../core/context.ts';
import type { InstallRun, WantedCluster } from '../../platform/platform.ts';
import type { StepRun } from '../../workflow/step.ts';
import { clusterExpectation, clusterObjects } from '../cluster-objects.ts';
import { siteInputs } from '../inputs.ts';
import { servedDigests } from '../mirror-log.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

export const verifyStage: Stage = {
  id: 'verify',
  needs: ['cluster'],
  inputs: ({ cluster, postInstall }) => asJson({ name: cluster.name, postInstall }),
  plan: ({ platform }) => platform.plan().verify,
  run: (ctx, work, run) => work.platform.verify(ctx, installRun(ctx, work, run)),
};

/** What platforms get in the stages in which they do the work. */
export const installRun = (ctx: Context, work: StageWork, run: StepRun): InstallRun => ({
  ...run,
  claim: (resource) => work.inventory.claim(resource),
  wanted: () => wantedOf(ctx, work),
});

/** What the cluster of a site shall have, and what it is held to. */
async function wantedOf(ctx: Context, work: StageWork): Promise<WantedCluster> {
  const objects = await clusterObjects(siteInputs(work.site, 'complete'));
  return { objects, expected: await siteExpectation(ctx, work) };
}

/** What the cluster of a site is held to, with what machines and the log of the mirror tell. */
export async function siteExpectation(ctx: Context, work: StageWork): Promise<Expectation> {
  const { site, platform } = work;
  const joining = platform.machines?.filter(({ role }) => role !== 'bootstrap') ?? [];
  const nodes = joining.length > 0 ? { nodes: joining.map(({ name }) => name) } : {};
  const known = await clusterExpectation(siteInputs(site, 'so-far'));
  return { ...known, ...nodes, served: await servedDigests(ctx, work) };
}

import { asJson, type Stage } from './stage.ts';

export const clusterStage: Stage = {
  id: 'cluster',
  title: 'Cluster',
  needs: ['tools', 'config'],
  inputs: ({ cluster }) =>
    asJson({ name: cluster.name, controlPlane: cluster.controlPlane, workers: cluster.workers }),
  plan: ({ platform }) => platform.plan().cluster,
  run: async (ctx, { platform }, run) => ({
    ...(await platform.boot(ctx, run)),
    ...(await platform.watch(ctx, run)),
  }),
};

import { AtollError } from '../../core/errors.ts';
import { asJson, type Stage } from './stage.ts';

export const verifyStage: Stage = {
  id: 'verify',
  title: 'Verify',
  needs: ['cluster'],
  inputs: ({ cluster }) => asJson({ name: cluster.name }),
  plan: ({ site }) => [
    site.platform.type === 'lab'
      ? 'prove from the access log of the mirror that every image came from there'
      : 'not built yet: looking at a real cluster needs its Kubernetes API',
  ],
  run: (ctx, work, run) => {
    if (work.verifyCluster) return work.verifyCluster(ctx, run);
    throw new AtollError(
      'NOT_BUILT',
      'Cannot verify a running cluster: the verify stage knows only labs yet',
      {
        hint: 'Look at it with "oc get clusterversion,clusteroperators,nodes", or skip the stage: steps.skip: [verify]',
      },
    );
  },
};

import { asJson, type Stage } from './stage.ts';

export const verifyStage: Stage = {
  id: 'verify',
  title: 'Verify',
  needs: ['cluster'],
  inputs: ({ cluster }) => asJson({ name: cluster.name }),
  plan: ({ platform }) => platform.plan().verify,
  run: (ctx, { platform }, run) => platform.verify(ctx, run),
};

import { removeResources } from '../remove-resources.ts';
import { asJson, type Stage } from './stage.ts';

export const cleanupStage: Stage = {
  id: 'cleanup',
  needs: ['verify'],
  inputs: ({ mode }) => asJson({ mode }),
  plan: ({ site }) => [
    site.mode === 'private'
      ? 'remove nothing by itself: "atoll down --temporary" removes bastion, mirror and proxy when you no longer need them'
      : 'remove what was only needed during the install; the mirror stays',
  ],
  run: async (ctx, work) => {
    const removed = await removeResources(ctx, work, ({ lifetime }) => lifetime === 'install');
    return { removed: removed.map(({ id }) => id) };
  },
};

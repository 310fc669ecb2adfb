import { asJson, type Stage } from './stage.ts';

export const infrastructureStage: Stage = {
  id: 'infrastructure',
  title: 'Network and machines',
  needs: [],
  inputs: ({ name, platform }) => asJson({ name, platform }),
  plan: ({ platform }) => platform.plan(),
  run: async (ctx, { platform, inventory }) => {
    await platform.provision(ctx, (resource) => inventory.claim(resource));
    return { platform: platform.name };
  },
};

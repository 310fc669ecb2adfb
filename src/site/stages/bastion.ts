import { makeBastionFolder } from '../bastion/bastion-folder.ts';
import { inspectBastion } from '../bastion/inspect-bastion.ts';
import { bastionOf } from './places.ts';
import { asJson, type Stage } from './stage.ts';

export const bastionStage: Stage = {
  id: 'bastion',
  needs: ['infrastructure'],
  inputs: ({ bastion }) => asJson({ bastion }),
  plan: ({ platform }) => platform.plan().bastion,
  run: async (ctx, work) => {
    const host = await bastionOf(ctx, work);
    const facts = await inspectBastion(ctx, host);
    if (!host.isHere) await makeBastionFolder(ctx, host, work.site, work.inventory);
    return { host: host.name, ...facts };
  },
};

import { AtollError } from '../../core/errors.ts';
import { asJson, type Stage } from './stage.ts';

export const bastionStage: Stage = {
  id: 'bastion',
  title: 'Bastion',
  needs: ['infrastructure'],
  inputs: ({ bastion }) => asJson({ bastion }),
  plan: ({ site }) => [site.bastion.address ? `use ${site.bastion.address}` : 'use this machine'],
  run: async (ctx, { platform, inventory }) => {
    const host = await platform.bastion(ctx, (resource) => inventory.claim(resource));
    const { status, stdout, stderr } = await host.run(ctx, 'uname', ['-sm'], { timeoutMs: 30_000 });
    if (status !== 0)
      throw new AtollError('PROGRAM_FAILED', `${host.name} does not answer: ${stderr.trim()}`);
    return { host: host.name, system: stdout.trim() };
  },
};

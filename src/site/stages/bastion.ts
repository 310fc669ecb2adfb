import { AtollError } from '../../core/errors.ts';
import { bastionOf } from './places.ts';
import { asJson, type Stage } from './stage.ts';

export const bastionStage: Stage = {
  id: 'bastion',
  needs: ['infrastructure'],
  inputs: ({ bastion }) => asJson({ bastion }),
  plan: ({ platform }) => platform.plan().bastion,
  run: async (ctx, work) => {
    const host = await bastionOf(ctx, work);
    const { status, stdout, stderr } = await host.run(ctx, 'uname', ['-sm'], { timeoutMs: 30_000 });
    if (status !== 0)
      throw new AtollError('PROGRAM_FAILED', `${host.name} does not answer: ${stderr.trim()}`);
    return { host: host.name, system: stdout.trim() };
  },
};

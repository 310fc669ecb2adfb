import { resolve } from 'node:path';
import { retryFailed } from '../../../mirror/flow/retry.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { MIRROR_OPTIONS, reportExitCode } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS, registriesFrom } from '../../registry-options.ts';
import { resultText } from './sync.ts';

export const mirrorRetryCommand = defineCommand({
  name: 'mirror retry',
  summary: 'Try only the images that failed in the last run',
  options: {
    dir: MIRROR_OPTIONS.dir,
    icsp: MIRROR_OPTIONS.icsp,
    concurrency: MIRROR_OPTIONS.concurrency,
    ...REGISTRY_OPTIONS,
  },
  examples: [['atoll mirror retry', 'after a sync that ended with status 7']],
  async run(ctx, { options, terminal }) {
    const registries = registriesFrom(options, terminal);
    try {
      const { icsp, concurrency } = options;
      return await retryFailed(ctx, {
        workingDir: new WorkingDir(resolve(options.dir)),
        registries,
        icsp,
        concurrency,
      });
    } finally {
      await registries.close();
    }
  },
  text: resultText,
  exitCode: ({ report }) => reportExitCode(report),
});

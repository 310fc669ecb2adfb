import { resolve } from 'node:path';
import { selfCommand } from '../../../core/self.ts';
import { rebuildInProcesses } from '../../../mirror/delta/rebuild-processes.ts';
import { retryFailed } from '../../../mirror/flow/retry.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { MIRROR_OPTIONS, PACE_OPTIONS, paced, reportExitCode } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS, withRegistries } from '../../registry-options.ts';
import { resultText, saveText } from './result-text.ts';
import { bundleKeysFrom, SIGNING_OPTIONS, signerFrom, VERIFY_KEY } from './signing-options.ts';

export const mirrorRetryCommand = defineCommand({
  name: 'mirror retry',
  summary: 'Try only the images that failed in the last sync, save or load',
  description:
    'Reads working-dir/report.json. After a save the images are added to the same bundle, which is then whole again; a signed one has to be signed again.',
  options: {
    dir: MIRROR_OPTIONS.dir,
    icsp: MIRROR_OPTIONS.icsp,
    concurrency: MIRROR_OPTIONS.concurrency,
    verifyTarget: MIRROR_OPTIONS.verifyTarget,
    ...PACE_OPTIONS,
    ...SIGNING_OPTIONS,
    verifyKey: VERIFY_KEY,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll mirror retry': 'after a run that ended with status 7',
  },
  async run(ctx, { options, terminal }) {
    const signer = await signerFrom(options, terminal);
    return withRegistries(options, terminal, async (registries) => {
      const { icsp, concurrency } = options;
      const workingDir = new WorkingDir(resolve(options.dir));
      const keys = await bundleKeysFrom(options.verifyKey, terminal.env);
      const rebuild = rebuildInProcesses(selfCommand());
      const retry = { workingDir, registries, icsp, concurrency, signer, keys, rebuild };
      return await paced(ctx, options, (within, pace) =>
        retryFailed(within, { ...retry, ...pace }),
      );
    });
  },
  text: ({ mirror, save }, style) => (save ? saveText(save, style) : resultText(mirror, style)),
  exitCode: ({ mirror, save }) => reportExitCode((save ?? mirror).report),
});

import { resolve } from 'node:path';
import { selfCommand } from '../../../core/self.ts';
import { rebuildInProcesses } from '../../../mirror/delta/rebuild-processes.ts';
import { parseClusterMirror } from '../../../mirror/destination.ts';
import { loadBundle, planLoad } from '../../../mirror/flow/load.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { UI_SWITCH } from '../../dashboard-options.ts';
import { onOff, text } from '../../flags.ts';
import { MIRROR_OPTIONS, otherMirrors } from '../../mirror-options.ts';
import { withRegistries } from '../../registry-options.ts';
import { orDryRun } from './dry-run-text.ts';
import { pacedBesidePage } from './paced-beside-page.ts';
import { resultText } from './result-text.ts';
import { bundleKeysFrom, VERIFY_KEY } from './signing-options.ts';

export const mirrorLoadCommand = defineCommand({
  name: 'mirror load',
  summary: 'Load a bundle, or archives of oc-mirror v2, into a mirror',
  description:
    'Needs nothing but the bundle and the mirror. A chunk is hashed before anything in it is used; a damaged one is named and only that one has to be copied again. An interrupted load continues. A folder of mirror_NNNNNN.tar files of oc-mirror v2 is read as it is, without unpacking.',
  options: {
    from: text('DIR', 'Folder of the bundle or of the archives', { required: true }),
    to: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    ...UI_SWITCH,
    dryRun: onOff(
      'Look at both sides, write mapping.txt, missing.txt and what clusters would get, load nothing',
    ),
    verifyKey: VERIFY_KEY,
    ...MIRROR_OPTIONS,
  },
  examples: {
    'atoll mirror load --from /media/disk/bundle --to docker://mirror.example.com:5000/ocp':
      'bundle to mirror',
    'atoll mirror load --from /media/disk/bundle --to docker://mirror.example.com:5000/ocp --verify-key team.asc':
      'only if it is signed by the team',
  },
  async run(ctx, input) {
    const { options, terminal } = input;
    return withRegistries(options, terminal, async (registries) => {
      const load = {
        folder: resolve(options.from),
        destination: parseClusterMirror(options.to, options.maxNestedPaths),
        registries,
        workingDir: new WorkingDir(resolve(options.dir)),
        keys: await bundleKeysFrom(options.verifyKey, terminal.env),
        rebuild: rebuildInProcesses(selfCommand()),
        copySignatures: options.signatures,
        concurrency: options.concurrency,
        icsp: options.icsp,
        alsoAt: otherMirrors(options),
      };
      return options.dryRun
        ? { dryRun: await planLoad(ctx, load) }
        : {
            result: await pacedBesidePage(ctx, 'mirror load', input, (within, pace) =>
              loadBundle(within, { ...load, ...pace }),
            ),
          };
    });
  },
  ...orDryRun(resultText),
});

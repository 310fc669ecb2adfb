import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { planSync, syncMirror } from '../../../mirror/flow/sync.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { UI_SWITCH } from '../../dashboard-options.ts';
import { onOff, text } from '../../flags.ts';
import {
  COLLECT_OPTIONS,
  MIRROR_OPTIONS,
  otherMirrors,
  withMirrorTools,
} from '../../mirror-options.ts';
import { orDryRun } from './dry-run-text.ts';
import { imageSetWith } from './image-set-option.ts';
import { pacedBesidePage } from './paced-beside-page.ts';
import { resultText } from './result-text.ts';

export const mirrorSyncCommand = defineCommand({
  name: 'mirror sync',
  summary: 'Copy everything an ImageSetConfiguration asks for into a mirror',
  description:
    'Collects releases, operators, extra images and charts, checks signatures and names, copies what the mirror lacks, and writes the resources a cluster needs to working-dir/cluster-resources. One failed image costs only itself: the exit status is 7, and "atoll mirror retry" does only those.',
  options: {
    config: text('FILE', 'ImageSetConfiguration, v1alpha2 or v2alpha1', {
      short: 'c',
      required: true,
    }),
    to: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    ...UI_SWITCH,
    dryRun: onOff('Look at both sides, write mapping.txt and missing.txt, copy nothing'),
    ...MIRROR_OPTIONS,
    ...COLLECT_OPTIONS,
  },
  examples: {
    'atoll mirror sync -c imageset.yaml --to docker://mirror.example.com:5000/ocp':
      'upstream to mirror',
    'atoll mirror sync -c imageset.yaml --to docker://mirror.example.com:5000 --dry-run':
      'names and bytes only',
  },
  async run(ctx, input) {
    const { options, terminal } = input;
    const imageSet = imageSetWith(await readImageSet(resolve(options.config)), options);
    const destination = parseDestination(options.to, options.maxNestedPaths);
    const workingDir = new WorkingDir(resolve(options.dir));
    return withMirrorTools(options, terminal, async (tools) => {
      const sync = {
        imageSet,
        destination,
        workingDir,
        ...tools,
        icsp: options.icsp,
        alsoAt: otherMirrors(options),
        copySignatures: options.signatures,
        concurrency: options.concurrency,
      };
      return options.dryRun
        ? { dryRun: await planSync(ctx, sync) }
        : {
            result: await pacedBesidePage(ctx, 'mirror sync', input, (within, pace) =>
              syncMirror(within, { ...sync, ...pace }),
            ),
          };
    });
  },
  ...orDryRun(resultText),
});

import { resolve } from 'node:path';
import { parseClusterMirror } from '../../../mirror/destination.ts';
import { askRemembered } from '../../../mirror/flow/ask-remembered.ts';
import { defineCommand } from '../../command.ts';
import { UI_SWITCH } from '../../dashboard-options.ts';
import { onOff, text } from '../../flags.ts';
import { COLLECT_OPTIONS, MIRROR_OPTIONS, withMirrorTools } from '../../mirror-options.ts';
import { orDryRun } from './dry-run-text.ts';
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
    dryRun: onOff(
      'Look at both sides, write mapping.txt, missing.txt and what clusters would get, copy nothing',
    ),
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
    const destination = parseClusterMirror(options.to, options.maxNestedPaths);
    return withMirrorTools(options, terminal, async (tools) => {
      // A window may open hours later, when answers are old.
      const isNow = !options.dryRun && options.window === undefined;
      const place = { dir: resolve(options.dir), destination, registries: tools.registries };
      const asked = isNow ? await askRemembered(ctx, place) : undefined;
      try {
        // The larger part is loaded while the mirror answers.
        const { runSync } = await import('./sync-run.ts');
        return await runSync(ctx, input, { ...tools, destination, asked });
      } finally {
        asked?.end();
      }
    });
  },
  ...orDryRun(resultText),
});

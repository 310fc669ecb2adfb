import { resolve } from 'node:path';
import { parseDestination } from '../../../mirror/destination.ts';
import { loadBundle } from '../../../mirror/flow/load.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { MIRROR_OPTIONS, reportExitCode } from '../../mirror-options.ts';
import { registriesFrom } from '../../registry-options.ts';
import { resultText } from './sync.ts';

export const mirrorLoadCommand = defineCommand({
  name: 'mirror load',
  summary: 'Load a bundle into a mirror',
  description:
    'Needs nothing but the bundle and the mirror. A chunk is hashed before anything in it is used; a damaged one is named and only that one has to be copied again. An interrupted load continues.',
  options: {
    from: { type: 'string', value: 'DIR', required: true, summary: 'Folder of the bundle' },
    to: { type: 'string', value: 'docker://HOST[/PATH]', required: true, summary: 'The mirror' },
    ...MIRROR_OPTIONS,
  },
  examples: [
    [
      'atoll mirror load --from /media/disk/bundle --to docker://mirror.example.com:5000/ocp',
      'bundle to mirror',
    ],
  ],
  async run(ctx, { options, terminal }) {
    const registries = registriesFrom(options, terminal);
    try {
      return await loadBundle(ctx, {
        folder: resolve(options.from),
        destination: parseDestination(options.to, options.maxNestedPaths),
        registries,
        workingDir: new WorkingDir(resolve(options.dir)),
        concurrency: options.concurrency,
        icsp: options.icsp,
      });
    } finally {
      await registries.close();
    }
  },
  text: resultText,
  exitCode: ({ report }) => reportExitCode(report),
});

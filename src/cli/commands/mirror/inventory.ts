import { resolve } from 'node:path';
import { writeFileAtomic } from '../../../core/files.ts';
import { counted } from '../../../core/format.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { takeInventory } from '../../../mirror/flow/inventory.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { MIRROR_OPTIONS } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS, withRegistries } from '../../registry-options.ts';

export const mirrorInventoryCommand = defineCommand({
  name: 'mirror inventory',
  summary: 'List what a mirror holds, for a delta bundle',
  options: {
    at: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    to: text('FILE', 'File to write', { default: 'inventory.json' }),
    dir: MIRROR_OPTIONS.dir,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll mirror inventory --at docker://mirror.example.com:5000/ocp --to inventory.json':
      'carry it out, then: atoll mirror save --have inventory.json',
  },
  async run(ctx, { options, terminal }) {
    return withRegistries(options, terminal, async (registries) => {
      const workingDir = new WorkingDir(resolve(options.dir));
      const inventory = await takeInventory(
        ctx,
        registries,
        parseDestination(options.at),
        workingDir,
      );
      const file = resolve(options.to);
      await writeFileAtomic(file, `${JSON.stringify(inventory, null, 1)}\n`);
      return { file, digests: Object.keys(inventory.content).length };
    });
  },
  text: ({ file, digests }) => `${counted(digests, 'digest')} in ${file}`,
});

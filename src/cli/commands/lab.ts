import { AtollError } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';

export const labCommand = defineCommand({
  name: 'lab',
  summary: 'Run the whole job on this machine (not built yet)',
  examples: [['atoll lab', 'says that it does not exist yet, and fails']],
  async run() {
    throw new AtollError('NOT_BUILT', 'Cannot run the lab: this part of atoll does not exist yet', {
      hint: 'Run "atoll --help" for what does',
    });
  },
});

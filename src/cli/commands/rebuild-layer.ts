import { readText } from '../../core/files.ts';
import { rebuildHere, rebuildJobSchema } from '../../mirror/delta/rebuild-job.ts';
import { defineCommand } from '../command.ts';
import { leaveAtEof } from '../leave-at-eof.ts';

export const rebuildLayerCommand = defineCommand({
  name: 'rebuild-layer',
  internal: true,
  summary: 'Put one layer together; "atoll mirror load" starts these',
  arguments: [{ name: 'job', summary: 'File that says what is made of what' }],
  examples: {
    'atoll rebuild-layer layer.job': 'what "atoll mirror load" runs for each large layer',
  },
  async run(ctx, { args }) {
    leaveAtEof(process.stdin);
    await rebuildHere(ctx, rebuildJobSchema.parse(JSON.parse(await readText(args.job ?? ''))));
    return {};
  },
});

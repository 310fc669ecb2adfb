import { createInterface } from 'node:readline';
import { answerJobs } from '../../mirror/delta/rebuild-processes.ts';
import { defineCommand } from '../command.ts';
import { leaveAtEof } from '../leave-at-eof.ts';

export const rebuildLayersCommand = defineCommand({
  name: 'rebuild-layers',
  internal: true,
  summary: 'Put layers together for "atoll mirror load", one on each line',
  examples: { 'atoll rebuild-layers': 'reads what is made of what, writes how it went' },
  async run(ctx) {
    const input = createInterface({ input: process.stdin });
    leaveAtEof(process.stdin);
    await answerJobs(ctx, input, (line) => process.stdout.write(`${line}\n`));
    return {};
  },
});

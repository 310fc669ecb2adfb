import { runNode } from '../../lab/node/run-node.ts';
import { defineCommand } from '../command.ts';
import { onOff } from '../flags.ts';
import { leaveAtEof } from '../leave-at-eof.ts';

export const labNodeCommand = defineCommand({
  name: 'lab-node',
  internal: true,
  summary: 'Play one machine of a lab; "atoll lab" starts these',
  arguments: [{ name: 'root', summary: 'File system of the machine' }],
  options: {
    stopAtEof: onOff('Stop when standard input ends: when the lab is gone'),
  },
  examples: {
    'atoll lab-node .atoll/machines/master-0': 'what "atoll lab" runs for each machine',
  },
  run(ctx, { args, options }) {
    if (options.stopAtEof) leaveAtEof(process.stdin);
    return runNode(ctx, args.root ?? '');
  },
});

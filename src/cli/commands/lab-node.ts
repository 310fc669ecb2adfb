import { AtollError } from '../../core/errors.ts';
import { runNode } from '../../site/lab/node/run-node.ts';
import { defineCommand } from '../command.ts';

const LOOK_MS = 500;

export const labNodeCommand = defineCommand({
  name: 'lab-node',
  summary: 'Play one machine of a lab; "atoll lab" starts these',
  arguments: [{ name: 'root', summary: 'File system of the machine' }],
  examples: [['atoll lab-node .atoll/machines/master-0', 'what "atoll lab" runs for each machine']],
  async run(ctx, { args }) {
    // A lab that is gone takes its machines along, even after a kill -9.
    const parent = process.ppid;
    const orphaned = new AbortController();
    const watch = setInterval(() => {
      if (process.ppid !== parent) orphaned.abort(new AtollError('INTERRUPTED', 'The lab is gone'));
    }, LOOK_MS);
    watch.unref();
    try {
      return await runNode(
        { ...ctx, signal: AbortSignal.any([ctx.signal, orphaned.signal]) },
        args.root ?? '',
      );
    } finally {
      clearInterval(watch);
    }
  },
});

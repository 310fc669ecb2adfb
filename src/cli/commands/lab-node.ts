import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { runNode } from '../../site/lab/node/run-node.ts';
import { defineCommand } from '../command.ts';

export const labNodeCommand = defineCommand({
  name: 'lab-node',
  summary: 'Play one machine of a lab; "atoll lab" starts these',
  arguments: [{ name: 'root', summary: 'File system of the machine' }],
  options: {
    stopAtEof: { type: 'boolean', summary: 'Stop when standard input ends: when the lab is gone' },
  },
  examples: [['atoll lab-node .atoll/machines/master-0', 'what "atoll lab" runs for each machine']],
  run: (ctx, { args, options }) =>
    runNode(options.stopAtEof ? untilEof(ctx, process.stdin) : ctx, args.root ?? ''),
});

/** A lab that is gone takes its machines along, even after a kill -9. */
function untilEof(ctx: Context, input: NodeJS.ReadableStream): Context {
  const orphaned = new AbortController();
  input.once('close', () => orphaned.abort(new AtollError('INTERRUPTED', 'The lab is gone')));
  input.resume();
  return { ...ctx, signal: AbortSignal.any([ctx.signal, orphaned.signal]) };
}

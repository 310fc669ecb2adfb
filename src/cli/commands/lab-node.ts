import { ERROR_CODES } from '../../core/error-codes.ts';
import { runNode } from '../../lab/node/run-node.ts';
import { defineCommand } from '../command.ts';
import { onOff } from '../flags.ts';

const INTERRUPTED = ERROR_CODES.INTERRUPTED.exit;

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

/**
 * A lab that is gone takes its machines along, even after a kill -9. At once and without a last
 * word: the next lab may be using the same folders by then.
 */
function leaveAtEof(input: NodeJS.ReadableStream): void {
  input.once('close', () => process.exit(INTERRUPTED));
  input.resume();
}

import { readText } from '../../../core/files.ts';
import { inspectIgnition } from '../../../observe/ignition/inspect.ts';
import { defineCommand } from '../../command.ts';
import { inspectionText } from './inspect-text.ts';

export const bootstrapInspectCommand = defineCommand({
  name: 'bootstrap inspect',
  summary: 'Tell what a machine will do with an Ignition config',
  description:
    'Works on bootstrap, master, worker and pointer configs of any specification 3.x. Secrets are named and ' +
    'never shown. Warns where something points outside the mirror.',
  arguments: [{ name: 'file', summary: 'The Ignition config' }],
  examples: [
    ['atoll bootstrap inspect bootstrap.ign', 'units, scripts, mirrors, certificates, warnings'],
    ['atoll bootstrap inspect master.ign --output json', 'for programs'],
  ],
  async run(ctx, { args }) {
    const file = args.file ?? '';
    return inspectIgnition(file, await readText(file), ctx.now());
  },
  text: inspectionText,
});

import { resolve } from 'node:path';
import { checkBundle } from '../../../mirror/bundle/look.ts';
import { defineCommand } from '../../command.ts';
import { bundleKeysFrom, VERIFY_KEY } from '../mirror/signing-options.ts';
import { summaryText } from './list.ts';

export const bundleCheckCommand = defineCommand({
  name: 'bundle check',
  summary: 'Hash every chunk of a bundle, and verify its signature',
  description:
    'Names every file that is missing or altered, so that one trip brings all of them. A bundle whose save could not get everything is partial: it is told, and the status is 7. Works for bundles in parts as well. Without atoll, "sha256sum -c SHA256SUMS" in the folder does the same.',
  arguments: [{ name: 'folder', summary: 'Folder of the bundle' }],
  options: { verifyKey: VERIFY_KEY },
  examples: {
    'atoll bundle check /media/disk/bundle': 'is everything here, and as it was',
    'atoll bundle check /media/disk/bundle --verify-key team.asc': 'and from the team',
  },
  async run(ctx, { args, options, terminal }) {
    const keys = await bundleKeysFrom(options.verifyKey, terminal.env);
    return await checkBundle(ctx, resolve(args.folder ?? ''), keys);
  },
  // A partial bundle has the exit status of a partial run.
  exitCode: ({ missing }) => (missing.length > 0 ? 7 : 0),
  text: (checked, style) =>
    [
      summaryText(checked, style),
      `${checked.missing.length > 0 ? 'what is here is as it was saved' : style.green('whole')}${checked.isVerified ? ', and the signature is valid' : ''}${checked.inParts ? '; in parts: run "atoll bundle join" before it is loaded' : ''}`,
    ].join('\n'),
});

import { resolve } from 'node:path';
import { formatBytes } from '../../../core/format.ts';
import { diffBundles } from '../../../mirror/bundle/look.ts';
import { defineCommand } from '../../command.ts';

export const bundleDiffCommand = defineCommand({
  name: 'bundle diff',
  summary: 'What one bundle holds that another does not',
  description: 'Compares the indexes: the chunks of either may be gone.',
  arguments: [
    { name: 'from', summary: 'Folder of a bundle, or its bundle.json' },
    { name: 'to', summary: 'Folder of another, or its bundle.json' },
  ],
  examples: { 'atoll bundle diff bundles/2026-08/bundle.json /media/disk/bundle': 'what is new' },
  run: (_ctx, { args }) => diffBundles(resolve(args.from ?? ''), resolve(args.to ?? '')),
  text: ({ added, removed, changed, same, addedBytes, removedBytes }, style) =>
    [
      ...removed.map(({ source }) => style.red(`- ${source}`)),
      ...added.map(({ source }) => style.green(`+ ${source}`)),
      ...changed.map(({ source, before, digest }) => `~ ${source} ${before} -> ${digest}`),
      `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${same} the same; ${formatBytes(addedBytes)} only in the second, ${formatBytes(removedBytes)} only in the first`,
    ].join('\n'),
});

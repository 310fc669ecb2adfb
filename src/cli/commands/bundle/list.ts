import { resolve } from 'node:path';
import { counted, formatBytes } from '../../../core/format.ts';
import { type BundleSummary, listBundle } from '../../../mirror/bundle/look.ts';
import { defineCommand, type Style } from '../../command.ts';
import { columns } from '../../table.ts';
import { partialText } from '../mirror/result-text.ts';

export const bundleListCommand = defineCommand({
  name: 'bundle list',
  summary: 'What is in a bundle: images, files, where they come from and why',
  arguments: [{ name: 'folder', summary: 'Folder of the bundle' }],
  examples: {
    'atoll bundle list /media/disk/bundle': 'one line for each image and file',
    'atoll bundle list /media/disk/bundle --output json': 'for programs',
  },
  run: (_ctx, { args }) => listBundle(resolve(args.folder ?? '')),
  text: (summary, style) =>
    [
      ...columns(
        summary.images.map(({ kind, source, reason, component }) => [
          component ?? kind,
          source,
          style.dim(reason),
        ]),
      ),
      summaryText(summary, style),
    ].join('\n'),
});

export function summaryText(summary: BundleSummary, style: Style): string {
  const { id, chunks, bytes, images, deltas, expected, since, isSigned, missing } = summary;
  const line = [
    `${style.bold('bundle')} ${id}: ${counted(images.length, 'image')} in ${counted(chunks, 'chunk')}, ${formatBytes(bytes)}`,
    ...(deltas > 0 ? [`${counted(deltas, 'layer')} as deltas`] : []),
    ...(expected > 0 ? [`counts on ${counted(expected, 'blob')} in the mirror`] : []),
    ...(since.length > 0 ? [`builds on ${since.join(', ')}`] : []),
    isSigned ? 'signed' : 'not signed',
  ].join(', ');
  return missing.length > 0 ? `${line}\n${partialText(missing, style)}` : line;
}

import { resolve } from 'node:path';
import { AtollError } from '../../../core/errors.ts';
import { counted, parseBytes } from '../../../core/format.ts';
import { joinBundle, type PartsResult, splitBundle } from '../../../mirror/bundle/parts.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';

const ARGUMENTS = [{ name: 'folder', summary: 'Folder of the bundle' }] as const;

const resultText = ({ files, folder }: PartsResult): string =>
  `${counted(files.length, 'file')} in ${folder}`;

export const bundleSplitCommand = defineCommand({
  name: 'bundle split',
  summary: 'Cut the chunks of a finished bundle for smaller media',
  description:
    'Cuts every chunk into parts where it lies; one part of free space is enough. The index stays, and with it the signature. An interrupted run continues. The other side runs "atoll bundle join", or puts parts together with cat.',
  arguments: ARGUMENTS,
  options: { size: text('SIZE', 'Size of a part, such as 700M or 4G', { required: true }) },
  examples: { 'atoll bundle split /media/disk/bundle --size 4G': 'for a disk with FAT32' },
  async run(ctx, { args, options }) {
    const bytes = parseBytes(options.size);
    if (bytes === undefined || bytes <= 0)
      throw new AtollError('USAGE', `Cannot read --size "${options.size}"`, {
        hint: 'Write a size such as 700M or 4G',
      });
    return await splitBundle(ctx, resolve(args.folder ?? ''), bytes);
  },
  text: resultText,
});

export const bundleJoinCommand = defineCommand({
  name: 'bundle join',
  summary: 'Put the parts of a bundle together again',
  description:
    'Checks every part first and names all that have to be copied again. Works in place; one part of free space is enough. An interrupted run continues.',
  arguments: ARGUMENTS,
  examples: { 'atoll bundle join /media/disk/bundle': 'before "atoll mirror load"' },
  run: (ctx, { args }) => joinBundle(ctx, resolve(args.folder ?? '')),
  text: resultText,
});

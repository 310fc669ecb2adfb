import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { AtollError } from '../../../core/errors.ts';
import { formatBytes, parseBytes } from '../../../core/format.ts';
import { readHave } from '../../../mirror/flow/inventory.ts';
import { saveBundle } from '../../../mirror/flow/save.ts';
import { defineCommand } from '../../command.ts';
import {
  COLLECT_OPTIONS,
  MIRROR_OPTIONS,
  reportExitCode,
  reportText,
  withMirrorTools,
} from '../../mirror-options.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { imageSetWith } from './image-set-option.ts';

const DEFAULT_CHUNK_BYTES = 4 * 1024 ** 3;

export const mirrorSaveCommand = defineCommand({
  name: 'mirror save',
  summary: 'Save everything an ImageSetConfiguration asks for as a bundle to carry',
  description:
    'Writes a folder of chunk files with an index that has the sha256 of every chunk and blob. With --have or --since only what the other side lacks is saved. An interrupted run continues where it was.',
  options: {
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      required: true,
      summary: 'ImageSetConfiguration, v1alpha2 or v2alpha1',
    },
    to: { type: 'string', value: 'DIR', required: true, summary: 'Folder of the bundle' },
    chunkSize: {
      type: 'string',
      value: 'SIZE',
      summary: 'Size of a chunk, such as 4G (default: archiveSize of the file, else 4G)',
    },
    have: {
      type: 'string',
      value: 'FILE',
      summary: 'Inventory of the mirror, from "atoll mirror inventory": its content is left out',
    },
    since: {
      type: 'strings',
      value: 'DIR',
      summary: 'Earlier bundle whose content the mirror has; may be repeated',
    },
    signatures: MIRROR_OPTIONS.signatures,
    concurrency: MIRROR_OPTIONS.concurrency,
    ...REGISTRY_OPTIONS,
    ...COLLECT_OPTIONS,
  },
  examples: [
    ['atoll mirror save -c imageset.yaml --to /media/disk/bundle', 'everything'],
    [
      'atoll mirror save -c imageset.yaml --to /media/disk/delta --have inventory.json',
      'only what the mirror lacks',
    ],
  ],
  async run(ctx, { options, terminal }) {
    const imageSet = imageSetWith(await readImageSet(resolve(options.config)), options);
    const have = await readHave(options.have, options.since);
    return withMirrorTools(options, terminal, (tools) =>
      saveBundle(ctx, {
        imageSet,
        folder: resolve(options.to),
        chunkBytes:
          chunkBytes(options.chunkSize) ?? imageSet.archiveSizeBytes ?? DEFAULT_CHUNK_BYTES,
        have,
        ...tools,
        copySignatures: options.signatures,
        concurrency: options.concurrency,
      }),
    );
  },
  text: ({ report, bundle, folder }, style) =>
    [
      reportText(report, style),
      '',
      `${style.bold('bundle')} ${folder}: ${bundle.chunks.length} chunks, ${formatBytes(bundle.chunks.reduce((sum, chunk) => sum + chunk.size, 0))}`,
      `next: carry it, then atoll mirror load --from DIR --to docker://HOST`,
    ].join('\n'),
  exitCode: ({ report }) => reportExitCode(report),
});

function chunkBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = parseBytes(text);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new AtollError('USAGE', `Cannot read --chunk-size "${text}"`, {
    hint: 'Write a size such as 700M or 4G',
  });
}

import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { parseBytes } from '../../../core/format.ts';
import { readBase } from '../../../mirror/flow/inventory.ts';
import { planSave, saveBundle } from '../../../mirror/flow/save.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand } from '../../command.ts';
import { UI_SWITCH } from '../../dashboard-options.ts';
import { onOff, text, texts } from '../../flags.ts';
import {
  COLLECT_OPTIONS,
  MIRROR_OPTIONS,
  PACE_OPTIONS,
  withMirrorTools,
} from '../../mirror-options.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { orDryRun } from './dry-run-text.ts';
import { imageSetWith } from './image-set-option.ts';
import { pacedBesidePage } from './paced-beside-page.ts';
import { saveText } from './result-text.ts';
import { SIGNING_OPTIONS, signerFrom } from './signing-options.ts';

const DEFAULT_CHUNK_BYTES = 4 * 1024 ** 3;

export const mirrorSaveCommand = defineCommand({
  name: 'mirror save',
  summary: 'Save everything an ImageSetConfiguration asks for as a bundle to carry',
  description:
    'Writes a folder of chunk files with an index that has the sha256 of every chunk and blob. With --have or --since only what the other side lacks is saved. An interrupted run continues where it was.',
  options: {
    config: text('FILE', 'ImageSetConfiguration, v1alpha2 or v2alpha1', {
      short: 'c',
      required: true,
    }),
    to: text('DIR', 'Folder of the bundle', { required: true }),
    ...UI_SWITCH,
    dryRun: onOff('Look at every image, say how many bytes and how much space, save nothing'),
    chunkSize: text(
      'BYTES',
      'Size of a chunk, such as 4G (default: archiveSize of the file, else 4G)',
    ),
    have: text(
      'FILE',
      'Inventory of the mirror, from "atoll mirror inventory": its content is left out',
    ),
    since: texts(
      'DIR',
      'Earlier bundle whose content the mirror has, or its bundle.json; may be repeated',
    ),
    delta: onOff('Carry changed layers whole, not as the difference to those the mirror has', {
      default: true,
    }),
    link: text(
      'BYTES/S',
      'What the way across carries in a second, such as 20M: layers that go faster whole go whole, and a slow way makes deltas smaller',
    ),
    dir: MIRROR_OPTIONS.dir,
    signatures: MIRROR_OPTIONS.signatures,
    concurrency: MIRROR_OPTIONS.concurrency,
    ...PACE_OPTIONS,
    ...SIGNING_OPTIONS,
    ...REGISTRY_OPTIONS,
    ...COLLECT_OPTIONS,
  },
  examples: {
    'atoll mirror save -c imageset.yaml --to /media/disk/bundle': 'everything',
    'atoll mirror save -c imageset.yaml --to /media/disk/delta --have inventory.json':
      'only what the mirror lacks',
    'atoll mirror save -c imageset.yaml --to /media/disk/bundle --sign-key key.asc --sign-passphrase-file phrase':
      'signed, for "atoll mirror load --verify-key"',
  },
  async run(ctx, input) {
    const { options, terminal } = input;
    const imageSet = imageSetWith(await readImageSet(resolve(options.config)), options);
    const base = await readBase(options.have, options.since);
    const signer = await signerFrom(options, terminal);
    return withMirrorTools(options, terminal, async (tools) => {
      const save = {
        imageSet,
        folder: resolve(options.to),
        chunkBytes: bytesIn(options.chunkSize) ?? imageSet.archiveSizeBytes ?? DEFAULT_CHUNK_BYTES,
        workingDir: new WorkingDir(resolve(options.dir)),
        signer,
        ...base,
        previous: options.delta ? base.previous : [],
        linkBytesPerSecond: bytesIn(options.link),
        ...tools,
        copySignatures: options.signatures,
        concurrency: options.concurrency,
      };
      return options.dryRun
        ? { dryRun: await planSave(ctx, save) }
        : {
            result: await pacedBesidePage(ctx, 'mirror save', input, (within, pace) =>
              saveBundle(within, { ...save, ...pace }),
            ),
          };
    });
  },
  ...orDryRun(saveText),
});

const bytesIn = (text: string | undefined) => (text === undefined ? undefined : parseBytes(text));

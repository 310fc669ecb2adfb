import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { counted } from '../../../core/format.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { findOutdated, type Outdated } from '../../../mirror/flow/outdated.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand, type Style } from '../../command.ts';
import { text } from '../../flags.ts';
import { COLLECT_OPTIONS, MIRROR_OPTIONS, withMirrorTools } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { failureLines } from './failure-text.ts';
import { imageSetWith } from './image-set-option.ts';

const SHOWN = 20;

export const mirrorOutdatedCommand = defineCommand({
  name: 'mirror outdated',
  summary: 'Say what upstream has for an image set that the mirror does not have yet',
  description:
    'Collects as a sync does, compares with the memory of the mirror (working-dir/mirrored.json), and copies nothing. The exit status is 0 also when something is new: "--output json" says what.',
  options: {
    config: text('FILE', 'ImageSetConfiguration, v1alpha2 or v2alpha1', {
      short: 'c',
      required: true,
    }),
    at: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    dir: MIRROR_OPTIONS.dir,
    maxNestedPaths: MIRROR_OPTIONS.maxNestedPaths,
    ...REGISTRY_OPTIONS,
    ...COLLECT_OPTIONS,
  },
  examples: {
    'atoll mirror outdated -c imageset.yaml --at docker://mirror.example.com:5000/ocp':
      'new releases, new bundles, tags that moved',
  },
  async run(ctx, { options, terminal }) {
    const imageSet = imageSetWith(await readImageSet(resolve(options.config)), options);
    const destination = parseDestination(options.at, options.maxNestedPaths);
    const workingDir = new WorkingDir(resolve(options.dir));
    return withMirrorTools(options, terminal, (tools) =>
      findOutdated(ctx, { imageSet, destination, workingDir, ...tools }),
    );
  },
  text: outdatedText,
  exitCode: ({ failures }) => (failures.length > 0 ? 7 : 0),
});

function outdatedText(outdated: Outdated, style: Style): string {
  const { added, changed, releases, current, unwanted, failures } = outdated;
  if (added.length + changed.length + failures.length === 0)
    return `up to date: ${counted(current, 'image')}${unwanted > 0 ? `, ${unwanted} more than asked for` : ''}`;
  const rows = [
    ...added.map(({ source }) => `${style.green('new')}      ${source}`),
    ...changed.map(({ source }) => `${style.bold('changed')}  ${source}`),
  ];
  const more = rows.length > SHOWN ? [`… and ${rows.length - SHOWN} more`] : [];
  return [
    `${counted(added.length, 'image')} new, ${changed.length} changed, ${current} as they are`,
    ...releases.map((tag) => `${style.green('release')}  ${tag}`),
    ...rows.slice(0, SHOWN),
    ...more,
    ...failureLines(failures, style),
    ...(unwanted > 0 ? [`${unwanted} no longer asked for: see "atoll mirror prune"`] : []),
  ].join('\n');
}

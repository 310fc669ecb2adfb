import { writeFileAtomic } from '../../../core/files.ts';
import { readTimeline } from '../../../observe/timeline/read-timeline.ts';
import { timelineSvg } from '../../../observe/timeline/svg.ts';
import { defineCommand } from '../../command.ts';
import { timelineText } from './timeline-text.ts';

export const bootstrapTimelineCommand = defineCommand({
  name: 'bootstrap timeline',
  summary: 'Show how far a bootstrap came, and where it is stuck',
  description:
    'Reads log bundles (packed, unpacked or partial), journals in any of the forms of journalctl, ' +
    '.openshift_install.log and folders with any of these. Steps that run longer than they should are ' +
    'called stuck, also those that retry for ever and never report a failure.',
  arguments: [{ name: 'logbundle', summary: 'Log bundle, journal or directory', variadic: true }],
  options: {
    svg: { type: 'string', value: 'FILE', summary: 'Also draw it: lanes over time' },
  },
  examples: [
    ['atoll bootstrap timeline log-bundle-20260820105959.tar.gz', 'from a packed bundle'],
    ['atoll bootstrap timeline install-dir --svg timeline.svg', 'with a picture'],
    ['atoll bootstrap timeline journal.export --output json', 'for programs'],
  ],
  async run(ctx, { args, options }) {
    const report = await readTimeline(ctx, args.rest);
    if (options.svg !== undefined) {
      await writeFileAtomic(options.svg, timelineSvg(report));
      ctx.emit({ type: 'file.written', path: options.svg });
    }
    return report;
  },
  text: timelineText,
  exitCode: ({ verdict }) => (verdict === 'stuck' || verdict === 'failed' ? 6 : 0),
});

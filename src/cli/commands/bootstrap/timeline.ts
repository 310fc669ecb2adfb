import { writeFileAtomic } from '../../../core/files.ts';
import { counted, formatDuration } from '../../../core/format.ts';
import { readTimeline, type TimelineReport } from '../../../observe/timeline/read-timeline.ts';
import type { StepProgress, StepState } from '../../../observe/timeline/state.ts';
import { timelineSvg } from '../../../observe/timeline/svg.ts';
import { defineCommand, type Style } from '../../command.ts';
import { text } from '../../flags.ts';

export const bootstrapTimelineCommand = defineCommand({
  name: 'bootstrap timeline',
  summary: 'Show how far a bootstrap came, and where it is stuck',
  description:
    'Reads log bundles (packed, unpacked or partial), journals in any of the forms of journalctl, ' +
    '.openshift_install.log and folders with any of these. Steps that run longer than they should are ' +
    'called stuck, also those that retry for ever and never report a failure.',
  arguments: [{ name: 'logbundle', summary: 'Log bundle, journal or directory', variadic: true }],
  options: {
    svg: text('FILE', 'Also draw it: lanes over time'),
  },
  examples: {
    'atoll bootstrap timeline log-bundle-20260820105959.tar.gz': 'from a packed bundle',
    'atoll bootstrap timeline install-dir --svg timeline.svg': 'with a picture',
    'atoll bootstrap timeline journal.export --output json': 'for programs',
  },
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

const MARKS: Readonly<Record<StepProgress, string>> = {
  done: '✓',
  running: '…',
  stuck: '!',
  failed: '✗',
  waiting: '·',
  unseen: '?',
};

const NOTHING_SEEN = [
  'Bootstrap unknown: nothing that was read tells of one',
  'next: name a log bundle of "openshift-install gather bootstrap", or a journal of the bootstrap machine',
].join('\n');

function timelineText(report: TimelineReport, style: Style): string {
  if (report.verdict === 'unknown') return NOTHING_SEEN;
  const colour = colours(style);
  const mark = (state: StepProgress) => colour[state](MARKS[state]);
  const current = report.steps.find(({ id }) => id === report.current);
  const lines = [
    style.bold(`Bootstrap ${report.verdict}${current ? `: ${current.title}` : ''}`),
    style.dim(`as of ${report.at}`),
    '',
    ...report.abstract.map(
      ({ number, title, state }) =>
        `${mark(state)} ${String(number).padStart(2)}. ${title}: ${style.dim(state)}`,
    ),
    '',
    ...report.steps.flatMap((step) => stepLines(step, mark(step.state), style)),
  ];
  const unread = report.unread.map(({ path, reason }) => `  ${path}: ${reason}`);
  return [...lines, ...(unread.length > 0 ? ['', 'Not looked at:', ...unread] : [])].join('\n');
}

function stepLines(step: StepState, mark: string, style: Style): string[] {
  const clock = step.startedAt?.slice(11, 19) ?? '        ';
  const length = step.durationMs === undefined ? '' : formatDuration(step.durationMs);
  const implied = step.implied ? style.dim(' (implied by what follows)') : '';
  const line = `${mark} ${clock} ${length.padStart(8)}  ${step.lane.padEnd(10)} ${step.title}${implied}`;
  return [line, ...openLines(step, style)];
}

/** What is to be said of a step that is under way or went wrong. */
function openLines(step: StepState, style: Style): string[] {
  if (step.state === 'done' || step.state === 'waiting' || step.state === 'unseen') return [];
  const indent = ' '.repeat(33);
  return [
    ...(step.state === 'stuck'
      ? [`${indent}${style.yellow(`stuck: should take at most ${formatDuration(step.limitMs)}`)}`]
      : []),
    ...(step.waitsFor ? [`${indent}waits for ${step.waitsFor}`] : []),
    ...(step.tries ? [`${indent}tried ${counted(step.tries, 'time')}`] : []),
    ...(step.lastError ? [`${indent}last error: ${step.lastError}`] : []),
  ];
}

const colours = (style: Style): Readonly<Record<StepProgress, (text: string) => string>> => ({
  done: style.green,
  running: style.cyan,
  stuck: style.yellow,
  failed: style.red,
  waiting: style.dim,
  unseen: style.dim,
});

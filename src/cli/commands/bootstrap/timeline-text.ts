import { counted, formatDuration } from '../../../core/format.ts';
import type { TimelineReport } from '../../../observe/timeline/read-timeline.ts';
import type { StepProgress, StepState } from '../../../observe/timeline/state.ts';
import type { Style } from '../../command.ts';

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

export function timelineText(report: TimelineReport, style: Style): string {
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

import type { AtollEvent, EventOf, EventType } from '../../core/events.ts';
import { formatBytes, formatDuration } from '../../core/format.ts';
import type { Style } from '../command.ts';
import type { Verbosity } from './reporter.ts';

type Writer<T extends EventType> = (event: EventOf<T>, style: Style) => string;

const TEXTS: { readonly [T in EventType]?: Writer<T> } = {
  'task.started': (event, style) => style.dim(`… ${event.title}`),
  'task.finished': (event, style) =>
    `${style.green('✓')} ${event.title}${tail(event.summary, event.durationMs, style)}`,
  'task.failed': (event, style) =>
    `${style.red('✗')} ${event.title}: ${event.message}${code(event.code, style)}`,
  'note.added': (event) => event.message,
  'warning.raised': (event, style) =>
    `${style.yellow('warning:')} ${about(event)}${event.message}${hint(event.hint)}`,
  'attempt.failed': (event, style) =>
    style.dim(
      `${event.operation}: attempt ${event.attempt} of ${event.attempts} failed: ${event.message}; again in ${formatDuration(event.delayMs)}`,
    ),
  'blob.copied': (event, style) =>
    style.dim(`blob ${event.digest} copied, ${formatBytes(event.sizeBytes)}`),
  'blob.reused': (event, style) => style.dim(`blob ${event.digest} was there`),
  'blob.mounted': (event, style) => style.dim(`blob ${event.digest} mounted from ${event.from}`),
  'image.copied': (event, style) =>
    `${style.green('✓')} ${event.source} ${style.dim(`→ ${event.target}, ${formatBytes(event.copiedBytes)} of ${formatBytes(event.sizeBytes)} moved`)}`,
  'image.skipped': (event, style) =>
    `${style.dim('=')} ${event.source} ${style.dim(`→ ${event.target}: ${event.reason}`)}`,
  'image.failed': (event, style) =>
    `${style.red('✗')} ${event.source} → ${event.target}: ${event.message}${code(event.code, style)}`,
  'file.written': (event, style) => style.dim(`wrote ${event.path}`),
  'run.started': (event, style) => style.dim(`run ${event.run}`),
  'run.finished': (event) =>
    `run ${event.run} ${event.outcome} after ${formatDuration(event.durationMs)}`,
  'step.started': (event, style) => `${style.cyan('▶')} ${event.title}`,
  'step.finished': (event, style) =>
    `${style.green('✓')} ${event.step} ${style.dim(formatDuration(event.durationMs))}`,
  'step.skipped': (event, style) => style.dim(`= ${event.step}: ${event.reason}`),
  // What ends the run is told where it ends.
  'step.failed': (event, style) =>
    event.ends
      ? `${style.red('✗')} ${event.step}${code(event.code, style)}`
      : `${style.red('✗')} ${event.step}: ${event.message}${code(event.code, style)}${hint(event.hint)}`,
  'cluster.changed': (event, style) =>
    style.dim(
      `${event.kind} ${event.name} ${event.state}${event.message ? `: ${event.message}` : ''}`,
    ),
  'server.started': (event, style) => `${event.server} listens on ${style.bold(event.url)}`,
  'server.stopped': (event) => `${event.server} stopped`,
};

/** What a warning is about, where its own words do not say. */
const about = ({ subject, message }: EventOf<'warning.raised'>) =>
  subject && !message.includes(subject) ? `${subject}: ` : '';

const ONLY_VERBOSE: ReadonlySet<string> = new Set<EventType>([
  'task.started',
  'blob.copied',
  'blob.reused',
  'blob.mounted',
  'file.written',
  'run.started',
  'cluster.changed',
]);

function tail(summary: string | undefined, durationMs: number | undefined, style: Style): string {
  const duration = durationMs === undefined ? undefined : formatDuration(durationMs);
  const parts = [summary, duration].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : style.dim(`: ${parts.join(', ')}`);
}

const code = (value: string | undefined, style: Style) => (value ? style.dim(` [${value}]`) : '');
const hint = (value: string | undefined) => (value ? `\n  next: ${value}` : '');

/** Whether an event deserves a line. Failures and warnings always do, ticks never. */
export function isTold(event: AtollEvent, verbosity: Verbosity): boolean {
  if (event.type === 'task.progressed') return false;
  // The result tells of failed images, those of one cause together.
  if (event.type === 'attempt.failed' || event.type === 'image.failed')
    return verbosity !== 'quiet';
  if (event.type === 'warning.raised' || event.type.endsWith('.failed')) return true;
  if (verbosity === 'quiet') return false;
  return verbosity === 'verbose' || !ONLY_VERBOSE.has(event.type);
}

/** One event as a line for people. A type nobody wrote words for is shown by its fields. */
export function eventText(event: AtollEvent, style: Style): string {
  const write = TEXTS[event.type] as ((event: AtollEvent, style: Style) => string) | undefined;
  return write ? write(event, style) : fieldsText(event, style);
}

function fieldsText(event: AtollEvent, style: Style): string {
  const fields = Object.entries(event)
    .filter(([key, value]) => key !== 'type' && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [event.type.replace('.', ' '), style.dim(fields.join(' '))].join(' ').trimEnd();
}

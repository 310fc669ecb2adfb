import { formatBytes, formatDuration, formatRate } from '../../core/format.ts';
import type { Style } from '../command.ts';
import { fractionOf, rateOf, remainingMs, type Task } from './tasks.ts';
import { clip, displayWidth, padded } from './width.ts';

const BAR_COLUMNS = 16;
const NARROW = 60;
const TINY = 30;

/** One task on one line of at most `columns`; what matters least goes first when it gets tight. */
export function progressLine(task: Task, columns: number, style: Style): string {
  const facts = factsFor(task, columns);
  const bar = columns >= NARROW ? barOf(task, style) : '';
  const right = [bar, facts.join('  ')].filter((part) => part !== '').join(' ');
  if (right === '') return clip(titleOf(task), columns);
  const room = columns - displayWidth(right) - 1;
  return room < 4 ? clip(facts.join('  '), columns) : `${padded(titleOf(task), room)} ${right}`;
}

const titleOf = (task: Task) => (task.note ? `${task.title}: ${task.note}` : task.title);

/** The facts that fit, the most telling first. */
function factsFor(task: Task, columns: number): string[] {
  const facts = [percent(task), items(task), bytes(task), rate(task), eta(task)];
  const known = facts.filter((fact) => fact !== undefined);
  if (columns < TINY) return known.slice(0, 1);
  const room = columns >= NARROW ? columns - BAR_COLUMNS - 24 : columns - 12;
  while (known.length > 1 && displayWidth(known.join('  ')) > room) known.splice(-2, 1);
  return known;
}

function percent(task: Task): string | undefined {
  const fraction = fractionOf(task);
  return fraction === undefined ? undefined : `${Math.floor(fraction * 100)}%`.padStart(4);
}

function items({ doneItems, totalItems }: Task): string | undefined {
  if (totalItems === undefined) return doneItems === undefined ? undefined : `${doneItems} done`;
  return `${doneItems ?? 0}/${totalItems}`;
}

function bytes({ doneBytes, totalBytes }: Task): string | undefined {
  if (doneBytes === undefined) return undefined;
  const done = formatBytes(doneBytes);
  return totalBytes === undefined ? done : `${done} of ${formatBytes(totalBytes)}`;
}

function rate(task: Task): string | undefined {
  const perSecond = rateOf(task);
  return perSecond === undefined ? undefined : formatRate(perSecond);
}

function eta(task: Task): string | undefined {
  const left = remainingMs(task);
  return left === undefined ? undefined : `ETA ${formatDuration(Math.max(1000, left))}`;
}

function barOf(task: Task, style: Style): string {
  const fraction = fractionOf(task);
  if (fraction === undefined) return '';
  const full = Math.round(fraction * BAR_COLUMNS);
  return `${style.green('█'.repeat(full))}${style.dim('░'.repeat(BAR_COLUMNS - full))}`;
}

import { expect, test } from 'vitest';
import { createStyle } from '../style.ts';
import { progressLine } from './progress-line.ts';
import type { Task } from './tasks.ts';
import { displayWidth } from './width.ts';

const style = createStyle(false);
const GIB = 1024 ** 3;
const task: Task = {
  title: 'operators',
  doneBytes: 31 * GIB,
  totalBytes: 62 * GIB,
  doneItems: 412,
  totalItems: 790,
  note: undefined,
  samples: [
    { atMs: 0, doneBytes: 30 * GIB },
    { atMs: 10_000, doneBytes: 31 * GIB },
  ],
};

test('progressLine shows bytes, rate, ETA and items where there is room', () => {
  const line = progressLine(task, 120, style);

  expect(line).toContain('operators');
  expect(line).toContain('████████░░░░░░░░');
  expect(line).toContain('50%  412/790  31.0 GiB of 62.0 GiB  102 MiB/s  ETA 5m 10s');
});

test('progressLine never gets wider than the terminal and keeps what matters most', () => {
  for (let columns = 10; columns <= 140; columns += 1) {
    const line = progressLine(
      { ...task, note: '正在复制 quay.io/openshift-release-dev' },
      columns,
      style,
    );

    expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).toContain('50%');
  }
});

test('progressLine keeps the ETA longer than bytes and rate', () => {
  const line = progressLine(task, 40, style);

  expect(line).toContain('ETA 5m 10s');
  expect(line).not.toContain('GiB');
});

test('progressLine shows what a task waits for, also where nothing can be counted', () => {
  const waiting: Task = {
    ...task,
    doneBytes: undefined,
    totalBytes: undefined,
    doneItems: undefined,
  };
  const line = progressLine({ ...waiting, totalItems: undefined, note: 'for rain' }, 80, style);

  expect(line).toContain('operators: for rain');
});

test('progressLine shows a task of which nothing is known by its title', () => {
  const unknown: Task = {
    title: 'waiting for the bastion',
    doneBytes: undefined,
    totalBytes: undefined,
    doneItems: undefined,
    totalItems: undefined,
    note: undefined,
    samples: [],
  };

  expect(progressLine(unknown, 80, style)).toBe('waiting for the bastion');
  expect(progressLine({ ...unknown, doneItems: 3 }, 80, style).trimEnd()).toMatch(/3 done$/);
});

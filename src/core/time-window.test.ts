import { expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from './context.ts';
import { parseWindow, windowAt, withinWindow } from './time-window.ts';

const HOUR = 60 * 60_000;
const at = (time: string) => new Date(`2026-11-16T${time}`);

test.each([
  ['22:00-06:00', '23:00:00', 0, 7],
  ['22:00-06:00', '05:00:00', 0, 1],
  ['22:00-06:00', '06:00:00', 16, 24],
  ['22:00-06:00', '12:00:00', 10, 18],
  ['09:00-17:30', '09:00:00', 0, 8.5],
  ['09:00-17:30', '18:00:00', 15, 23.5],
])('windowAt says of %s at %s when it opens and closes', (text, time, opens, closes) => {
  const { opensInMs, closesInMs } = windowAt(parseWindow(text), at(time));

  expect([opensInMs / HOUR, closesInMs / HOUR]).toEqual([opens, closes]);
});

test.each(['22-6', '25:00-06:00', '06:00-06:00', 'night'])('parseWindow refuses %s', (text) => {
  expect(() => parseWindow(text)).toThrow('Cannot read the time window');
});

test('withinWindow stops the work when the window closes', async () => {
  const ctx = silentContext({ now: () => at('05:59:59.995') });

  const work = withinWindow(ctx, parseWindow('22:00-06:00'), async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  });

  await expect(work).rejects.toMatchObject({
    code: 'INTERRUPTED',
    message: expect.stringContaining('22:00-06:00'),
  });
});

test('withinWindow begins when the window opens, and stops when it closes after that', async () => {
  vi.useFakeTimers({ now: at('12:00:00') });
  onTestFinished(() => void vi.useRealTimers());
  const ctx = silentContext({ now: () => at('12:00:00') });
  const told: string[] = [];

  const work = withinWindow(ctx, parseWindow('22:00-06:00'), async ({ signal }) => {
    told.push('began');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    told.push('stopped');
  });
  for (const hours of [9.9, 0.2, 7.8, 0.2]) {
    await vi.advanceTimersByTimeAsync(hours * HOUR);
    told.push(`${hours} h`);
  }
  await work;

  expect(told).toEqual(['9.9 h', 'began', '0.2 h', '7.8 h', 'stopped', '0.2 h']);
});

test('withinWindow lets the work end in time, and without a window as it likes', async () => {
  const ctx = silentContext({ now: () => at('23:00:00') });

  expect(await withinWindow(ctx, parseWindow('22:00-06:00'), async () => 'done')).toBe('done');
  expect(await withinWindow(ctx, undefined, async () => 'done')).toBe('done');
});

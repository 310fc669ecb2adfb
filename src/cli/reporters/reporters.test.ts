import { expect, test, vi } from 'vitest';
import { FakeScreen } from '../../../test/support/screen.ts';
import type { AtollEvent } from '../../core/events.ts';
import { createStyle } from '../style.ts';
import { chooseReporter, jsonReporter, plainReporter } from './choose.ts';
import { eventText } from './event-text.ts';
import { prettyReporter } from './pretty.ts';
import type { Verbosity } from './reporter.ts';

const style = createStyle(false);
const digest = `sha256:${'a'.repeat(64)}`;
const now = () => new Date('2030-01-02T03:04:05Z');

const started: AtollEvent = {
  type: 'task.started',
  task: 'images',
  title: 'images',
  totalBytes: 4096,
};
const halfway: AtollEvent = { type: 'task.progressed', task: 'images', doneBytes: 2048 };
const finished: AtollEvent = {
  type: 'task.finished',
  task: 'images',
  title: 'images',
  summary: '3 copied',
  durationMs: 61_000,
};
const copied: AtollEvent = {
  type: 'image.copied',
  source: 'quay.io/a/b:1',
  target: 'mirror:5000/a/b:1',
  digest,
  sizeBytes: 4096,
  copiedBytes: 1024,
};
const blob: AtollEvent = { type: 'blob.copied', digest, sizeBytes: 1024 };
const warning: AtollEvent = { type: 'warning.raised', message: 'slow', hint: 'Wait', subject: 'm' };
const failed: AtollEvent = {
  type: 'image.failed',
  source: 'quay.io/a/c:1',
  target: 'mirror:5000/a/c:1',
  code: 'IMAGE_UNKNOWN',
  message: 'not there',
};
/** A type from a later version. */
const later = { type: 'node.rehearsed', node: 'master-0', images: ['a', 'b'], took: { ms: 3 } };

function pretty(screen: FakeScreen, verbosity: Verbosity = 'normal') {
  const clock = { ms: 0 };
  const reporter = prettyReporter({ screen, style, verbosity, nowMs: () => clock.ms });
  return { reporter, clock };
}

test('plainReporter writes one line for each finished thing and nothing for ticks', () => {
  const screen = new FakeScreen(200);
  const reporter = plainReporter(screen, style, 'normal');

  for (const event of [started, halfway, blob, copied, failed, warning, finished]) {
    reporter.report(event);
  }

  expect(screen.text).toEqual([
    '✓ quay.io/a/b:1 → mirror:5000/a/b:1, 1.00 KiB of 4.00 KiB moved',
    '✗ quay.io/a/c:1 → mirror:5000/a/c:1: not there [IMAGE_UNKNOWN]',
    'warning: m: slow',
    '  next: Wait',
    '✓ images: 3 copied, 1m 01s',
  ]);
});

test('plainReporter does not repeat what a warning is about', () => {
  const screen = new FakeScreen(200);

  plainReporter(screen, style, 'normal').report({
    type: 'warning.raised',
    message: 'package a: channel b is deprecated',
    subject: 'package a',
  });

  expect(screen.text).toEqual(['warning: package a: channel b is deprecated']);
});

test('plainReporter tells only trouble with --quiet and every detail with --verbose', () => {
  const quiet = new FakeScreen(200);
  const verbose = new FakeScreen(200);

  for (const event of [started, blob, copied, failed, warning, finished]) {
    plainReporter(quiet, style, 'quiet').report(event);
    plainReporter(verbose, style, 'verbose').report(event);
  }

  // Failed images are told by the result of the command.
  expect(quiet.text).toEqual(['warning: m: slow', '  next: Wait']);
  expect(verbose.text).toHaveLength(7);
});

test('jsonReporter writes the events as they are, numbered and dated', () => {
  const screen = new FakeScreen(500);
  const reporter = jsonReporter(screen, now, 'normal');

  reporter.report(started);
  reporter.report(halfway);

  expect(screen.text.map((line) => JSON.parse(line))).toEqual([
    { seq: 1, at: '2030-01-02T03:04:05.000Z', ...started },
    { seq: 2, at: '2030-01-02T03:04:05.000Z', ...halfway },
  ]);
});

test('every reporter shows an event type it does not know by its fields', () => {
  const event = later as unknown as AtollEvent;
  const screens = [new FakeScreen(200), new FakeScreen(200), new FakeScreen(200)] as const;

  plainReporter(screens[0], style, 'normal').report(event);
  jsonReporter(screens[1], now, 'normal').report(event);
  const { reporter } = pretty(screens[2]);
  reporter.report(event);
  reporter.close();

  expect(screens[0].text).toEqual(['node rehearsed node=master-0 images=["a","b"] took={"ms":3}']);
  expect(JSON.parse(screens[1].text[0] ?? '')).toMatchObject(later);
  expect(screens[2].text).toEqual(screens[0].text);
});

test('eventText has words for every event it is given', () => {
  expect(eventText({ type: 'note.added', message: 'hello' }, style)).toBe('hello');
  expect(eventText({ type: 'server.started', server: 'registry', url: 'https://m' }, style)).toBe(
    'registry listens on https://m',
  );
});

test('prettyReporter draws on a terminal that does not know its size', () => {
  const screen = new FakeScreen(0, 0);
  const { reporter, clock } = pretty(screen);

  reporter.report(started);
  clock.ms = 1000;
  reporter.report(halfway);
  reporter.report(finished);
  reporter.close();

  expect(screen.writes.join('')).toContain('\u001b[1A');
  expect(screen.writes.join('')).not.toContain('Infinity');
  expect(screen.writes.join('')).toMatch(/images .* 50%/);
});

test('prettyReporter keeps live lines below the lines that stay', () => {
  const screen = new FakeScreen(100);
  const { reporter, clock } = pretty(screen);

  reporter.report(started);
  clock.ms = 1000;
  reporter.report(halfway);
  reporter.report(warning);
  clock.ms = 2000;
  reporter.report({ type: 'note.added', message: 'still going' });

  expect(screen.text.slice(0, 3)).toEqual(['warning: m: slow', '  next: Wait', 'still going']);
  expect(screen.text[3]).toMatch(/^images +█{8}░{8} +50% .* 2\.00 KiB\/s .* ?ETA 1\.0 s$/);

  reporter.report(finished);
  reporter.close();
  expect(screen.text.at(-1)).toBe('✓ images: 3 copied, 1m 01s');
  expect(screen.text).toHaveLength(4);
});

test('prettyReporter draws no more often than ten times a second', () => {
  vi.useFakeTimers();
  try {
    const screen = new FakeScreen();
    const reporter = prettyReporter({
      screen,
      style,
      verbosity: 'normal',
      nowMs: () => Date.now(),
    });
    reporter.report(started);

    for (let tick = 0; tick < 1000; tick += 1) {
      vi.advanceTimersByTime(1);
      reporter.report({ type: 'task.progressed', task: 'images', doneBytes: tick });
    }

    expect(screen.writes.length).toBeGreaterThan(5);
    expect(screen.writes.length).toBeLessThanOrEqual(11);
  } finally {
    vi.useRealTimers();
  }
});

test('prettyReporter takes away all rows of its lines when the window has become narrower', () => {
  const written: string[] = [];
  const screen = { columns: 100, rows: 24, write: (text: string) => written.push(text) };
  const clock = { ms: 0 };
  const reporter = prettyReporter({ screen, style, verbosity: 'normal', nowMs: () => clock.ms });

  reporter.report(started);
  clock.ms = 1000;
  reporter.report(halfway);
  screen.columns = 40;
  clock.ms = 2000;
  reporter.report(halfway);

  const ups = written.map((text) => text.slice(0, text.indexOf('A') + 1));
  expect(ups.slice(1)).toEqual(['\x1b[1A', '\x1b[3A']);
});

test('prettyReporter never leaves a wrapped line behind on a narrow terminal', () => {
  const screen = new FakeScreen(24, 6);
  const { reporter, clock } = pretty(screen);

  for (let task = 0; task < 9; task += 1) {
    reporter.report({
      type: 'task.started',
      task: `${task}`,
      title: `a long title ${task}`,
      totalItems: 9,
    });
  }
  for (let tick = 0; tick < 5; tick += 1) {
    clock.ms += 1000;
    reporter.report({ type: 'task.progressed', task: '0', doneItems: tick });
  }

  expect(screen.text).toHaveLength(4);
  expect(screen.text.at(-1)).toBe('… and 6 more');
});

test('prettyReporter gives way to a question and comes back after it', () => {
  const screen = new FakeScreen();
  const { reporter, clock } = pretty(screen);
  reporter.report(started);

  reporter.pause();
  clock.ms = 1000;
  reporter.report(halfway);
  expect(screen.text).toEqual(['']);
  reporter.resume();

  expect(screen.text[0]).toContain('50%');
});

test('prettyReporter counts images instead of listing them while a task is live', () => {
  const screen = new FakeScreen(200);
  const { reporter, clock } = pretty(screen);

  reporter.report(started);
  clock.ms = 1000;
  reporter.report(copied);
  reporter.report(finished);
  clock.ms = 2000;
  reporter.report(copied);

  expect(screen.text.filter((line) => line.includes('quay.io'))).toHaveLength(1);
});

test('chooseReporter redraws only on a terminal that can, and never with JSON', () => {
  const globals = { output: 'text', quiet: false, verbose: false, yes: false };
  const live = (env: Record<string, string>, output = 'text') => {
    const screen = new FakeScreen();
    const reporter = chooseReporter({ ...globals, output }, screen, env, now);
    reporter.report(started);
    return screen.text[0] ?? '';
  };

  expect(live({ TERM: 'xterm' })).toContain('images');
  expect(live({ TERM: 'dumb' })).toBe('');
  expect(live({ TERM: 'xterm', CI: '1' })).toBe('');
  expect(live({ TERM: 'xterm' }, 'json')).toMatch(/^\{"seq":1/);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logBundle, logBundleArchive, type Scenario } from '../../../test/support/log-bundle.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { LANES } from '../../openshift/bootstrap/step.ts';
import { readTimeline } from './read-timeline.ts';
import type { BootstrapState, StepState } from './state.ts';
import { timelineSvg } from './svg.ts';
import { createTimeline } from './timeline.ts';

async function svgOf(scenario: Scenario): Promise<string> {
  const path = join(await tempDir(), 'bundle.tar.gz');
  await writeFile(path, await logBundleArchive(logBundle(scenario)));
  return timelineSvg(await readTimeline(silentContext(), [path]));
}

/** Every tag closed in order, and nothing that XML forbids: enough for the subset that is written. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, close, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^<>]*)>/g)) {
    if (!/^(?:\s+[a-z-]+(?:[A-Z]\w+)?="[^"<&]*")*\s*\/?$/.test(rest)) return false;
    if (close) {
      if (open.pop() !== name) return false;
    } else if (!rest.endsWith('/')) open.push(name);
  }
  const text = svg.replace(/<[^<>]*>/g, '');
  return open.length === 0 && !/[<>]|&(?!#\d+;)/.test(text);
}

test.each(['healthy', 'node-image-pull', 'api-never-up', 'etcd-never-handed-over'] as const)(
  'timelineSvg draws the bundle "%s" well formed, with all lanes',
  async (scenario) => {
    const svg = await svgOf(scenario);

    expect(isWellFormed(svg)).toBe(true);
    for (const lane of LANES) expect(svg).toContain(`>${lane}</text>`);
  },
);

test('timelineSvg draws the same picture for the same evidence', async () => {
  expect(await svgOf('healthy')).toBe(await svgOf('healthy'));
});

test('timelineSvg escapes what logs put into it', () => {
  const timeline = createTimeline();
  const at = new Date('2026-08-20T10:00:00Z');
  const origins = ['journal:bootstrap/bootkube'];
  timeline.push({ kind: 'line', origins, at, text: 'Pod Status:a/<script>"&\u0007 Pending' });
  timeline.push({ kind: 'line', origins, at, text: 'Starting cluster-bootstrap...' });

  expect(isWellFormed(timelineSvg(timeline.state(at)))).toBe(true);
});

test('timelineSvg draws an empty timeline', () => {
  expect(isWellFormed(timelineSvg(createTimeline().state(new Date(0))))).toBe(true);
});

const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute)).toISOString();

const step = (id: string, row: Partial<StepState>): StepState => ({
  id,
  title: id,
  lane: 'System',
  state: 'done',
  limitMs: 60_000,
  ...row,
});

const ABSTRACT = [
  { number: 1, title: 'Boot', state: 'done' },
  { number: 2, title: 'Serve', state: 'running' },
  { number: 3, title: 'Join', state: 'waiting' },
  { number: 4, title: 'Grow', state: 'unseen' },
] as const;

const picture = (steps: readonly StepState[], more: Partial<BootstrapState> = {}): string =>
  timelineSvg({ at: at(10), verdict: 'running', abstract: [], steps, ...more });

/** What is drawn: of each element the attributes that matter, and the text in it. */
function drawn(svg: string, name: 'rect' | 'text' | 'title', ...wanted: readonly string[]) {
  const elements = svg.matchAll(new RegExp(`<${name}([^>]*?)(?:/>|>([^<]*)</${name}>)`, 'g'));
  return [...elements].map(([, attributes = '', text]) => [
    ...wanted.map((key) => new RegExp(` ${key}="([^"]*)"`).exec(attributes)?.[1]),
    ...(text === undefined ? [] : [text]),
  ]);
}

const bars = (svg: string) =>
  drawn(svg, 'rect', 'x', 'y', 'width', 'height', 'fill').filter(
    ([, , , height]) => height === '14',
  );
const labels = (svg: string) =>
  drawn(svg, 'text', 'x', 'y', 'fill').filter(([, , fill]) => fill === '#ffffff');

test('timelineSvg draws a bar from the beginning to the end of each step, over the time of all', () => {
  const svg = picture([
    step('first', { startedAt: at(0), endedAt: at(5), durationMs: 300_000 }),
    step('second', { lane: 'Ignition', startedAt: at(5), durationMs: 300_000, state: 'stuck' }),
    step('instant', { lane: 'Ignition', endedAt: at(2), state: 'failed' }),
    step('unseen', { lane: 'Ignition', state: 'waiting' }),
  ]);

  expect(bars(svg)).toEqual([
    ['110', '121', '573', '14', '#2e7d32'],
    ['683', '147', '573', '14', '#e65100'],
    ['339.2', '147', '3', '14', '#b71c1c'],
  ]);
  expect(labels(svg)).toEqual([
    ['114', '132', '#ffffff', 'first'],
    ['687', '158', '#ffffff', 'second'],
  ]);
});

test('timelineSvg writes the name of a step into its bar only where there is room', () => {
  const title = 'A step with a name of forty characters..';
  const lasting = (seconds: number) =>
    picture([
      step('all', { startedAt: at(0), endedAt: at(60) }),
      step('x', {
        title,
        startedAt: at(0),
        endedAt: new Date(Date.parse(at(0)) + seconds * 1000).toISOString(),
      }),
    ]);

  expect(labels(lasting(817)).map((one) => one.at(-1))).toEqual(['all', title]);
  expect(labels(lasting(815)).map((one) => one.at(-1))).toEqual(['all']);
});

test('timelineSvg puts bars of a lane that overlap below each other, and uses a row again', () => {
  const svg = picture([
    step('late', { startedAt: at(6), endedAt: at(9) }),
    step('long', { startedAt: at(0), endedAt: at(6) }),
    step('short', { startedAt: at(1), endedAt: at(2) }),
    step('next', { lane: 'Ignition', startedAt: at(0), endedAt: at(10) }),
  ]);

  expect(bars(svg).map(([, y]) => y)).toEqual(['121', '121', '141', '167']);
});

test('timelineSvg gives each lane its name and room for its rows, and the picture a height to match', () => {
  const svg = picture([
    step('long', { startedAt: at(0), endedAt: at(6) }),
    step('short', { startedAt: at(1), endedAt: at(2) }),
  ]);

  const lanes = drawn(svg, 'rect', 'x', 'y', 'width', 'height').filter(([x]) => x === '0');
  expect(lanes.slice(0, 2)).toEqual([
    ['0', '118', '1280', '40'],
    ['0', '164', '1280', '20'],
  ]);
  expect(
    drawn(svg, 'text', 'x', 'y')
      .filter(([x]) => x === '12')
      .slice(0, 3),
  ).toEqual([
    ['12', '24', 'Bootstrap running'],
    ['12', '132', 'System'],
    ['12', '178', 'Ignition'],
  ]);
  expect(svg).toContain('viewBox="0 0 1280 464"');
});

test('timelineSvg marks seven times between the first and the last', () => {
  const svg = picture([step('all', { startedAt: at(0), endedAt: at(12) })]);

  const times = drawn(svg, 'text', 'x', 'y', 'text-anchor').filter(([, , anchor]) => anchor);
  expect(times).toEqual([
    ['110', '422', 'start', '10:00:00'],
    ['301', '422', 'middle', '10:02:00'],
    ['492', '422', 'middle', '10:04:00'],
    ['683', '422', 'middle', '10:06:00'],
    ['874', '422', 'middle', '10:08:00'],
    ['1065', '422', 'middle', '10:10:00'],
    ['1256', '422', 'end', '10:12:00'],
  ]);
});

test('timelineSvg spans at least a minute, or as long as it is told', () => {
  const steps = [step('x', { startedAt: at(10), durationMs: 30_000, state: 'running' })];
  const state = { at: at(10), verdict: 'running', abstract: [], steps } as const;

  expect(bars(timelineSvg(state))[0]?.slice(0, 3)).toEqual(['110', '121', '573']);
  expect(bars(timelineSvg(state, { shortestMs: 120_000 }))[0]?.slice(0, 3)).toEqual([
    '110',
    '121',
    '286.5',
  ]);
});

test('timelineSvg shows the abstract steps with their number and state, dark on what has not begun', () => {
  const svg = picture([], { abstract: ABSTRACT });

  const chips = drawn(svg, 'rect', 'x', 'width', 'fill', 'y').filter((one) => one.at(-1) === '44');
  expect(chips.map((one) => one.slice(0, 3))).toEqual([
    ['110', '108.6', '#2e7d32'],
    ['224.6', '108.6', '#1565c0'],
    ['339.2', '108.6', '#9e9e9e'],
    ['453.8', '108.6', '#e0e0e0'],
  ]);
  const texts = drawn(svg, 'text', 'x', 'fill', 'y').filter((one) => one[2] === '65');
  expect(texts.map(([x, fill, , text]) => [x, fill, text])).toEqual([
    ['118', '#ffffff', '1. done'],
    ['232.6', '#ffffff', '2. running'],
    ['347.2', '#424242', '3. waiting'],
    ['461.8', '#424242', '4. unseen'],
  ]);
});

test('timelineSvg says where it stands, and of each step how long it took and what it waits for', () => {
  const svg = picture(
    [
      step('a', { title: 'Boot', startedAt: at(0), endedAt: at(1), durationMs: 60_000 }),
      step('b', { title: 'Pull', startedAt: at(1), state: 'stuck', waitsFor: 'the mirror' }),
    ],
    { verdict: 'stuck', current: 'b', abstract: ABSTRACT.slice(0, 1) },
  );

  expect(drawn(svg, 'title')).toEqual([
    ['Bootstrap timeline: stuck'],
    ['1. Boot (done)'],
    ['Boot: done, 1m 00s'],
    ['Pull: stuck; waits for the mirror'],
  ]);
  expect(svg).toContain('>Bootstrap stuck: Pull</text>');
});

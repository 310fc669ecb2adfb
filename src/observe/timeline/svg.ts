import { formatDuration } from '../../core/format.ts';
import { LANES } from '../../openshift/bootstrap/step.ts';
import type { BootstrapState, StepProgress, StepState } from './state.ts';

const COLOURS: Readonly<Record<StepProgress, string>> = {
  done: '#2e7d32',
  running: '#1565c0',
  stuck: '#e65100',
  failed: '#b71c1c',
  waiting: '#9e9e9e',
  unseen: '#e0e0e0',
};
const WIDTH = 1280;
const LEFT = 110;
const RIGHT = 24;
const TOP = 118;
const ROW = 20;
const BAR = 14;
const CHIP = (WIDTH - LEFT - RIGHT) / 10;

interface Bar {
  readonly step: StepState;
  readonly start: number;
  readonly end: number;
  /** Row inside its lane: bars that overlap lie below each other. */
  row: number;
}

export interface TimelineSvgOptions {
  /** The picture spans at least this long, so that a bootstrap that just began does not look long. */
  readonly shortestMs?: number;
}

/** A picture of the bootstrap: ten abstract steps on top, below them the lanes over time. */
export function timelineSvg(
  state: BootstrapState,
  { shortestMs = 60_000 }: TimelineSvgOptions = {},
): string {
  const bars = barsOf(state);
  const from = Math.min(...bars.map(({ start }) => start), Date.parse(state.at));
  const to = Math.max(...bars.map(({ end }) => end), from + shortestMs);
  const x = (time: number) => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const lanes = layLanes(bars);
  const height = TOP + lanes.reduce((sum, lane) => sum + lane.rows * ROW + 6, 0) + 40;

  const parts = [header(state), ...state.abstract.map(chip)];
  let y = TOP;
  for (const lane of lanes) {
    parts.push(laneSvg(lane.name, lane.rows, y));
    for (const bar of lane.bars) parts.push(barSvg(bar, x, y + bar.row * ROW + 3));
    y += lane.rows * ROW + 6;
  }
  parts.push(axis(from, to, x, y));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11" role="img">`,
    `<title>${escaped(`Bootstrap timeline: ${state.verdict}`)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function barsOf(state: BootstrapState): Bar[] {
  return state.steps.flatMap((step) => {
    if (!step.startedAt && !step.endedAt) return [];
    const start = Date.parse(step.startedAt ?? step.endedAt ?? '');
    const end = step.endedAt ? Date.parse(step.endedAt) : start + (step.durationMs ?? 0);
    return [{ step, start, end: Math.max(start, end), row: 0 }];
  });
}

/** Puts bars of a lane that would cover each other into rows of their own. */
function layLanes(bars: readonly Bar[]) {
  return LANES.map((name) => {
    const own = bars.filter(({ step }) => step.lane === name);
    const free: number[] = [];
    for (const bar of own.toSorted((a, b) => a.start - b.start)) {
      const row = free.findIndex((end) => end <= bar.start);
      bar.row = row < 0 ? free.length : row;
      free[bar.row] = bar.end;
    }
    return { name, bars: own, rows: Math.max(1, free.length) };
  });
}

function header(state: BootstrapState): string {
  const current = state.steps.find(({ id }) => id === state.current);
  const what = current ? `: ${current.title}` : '';
  return `<text x="12" y="24" font-size="16" font-weight="bold">${escaped(`Bootstrap ${state.verdict}${what}`)}</text>`;
}

function chip({ number, title, state }: BootstrapState['abstract'][number], index: number): string {
  const x = LEFT + index * CHIP;
  const text = state === 'waiting' || state === 'unseen' ? '#424242' : '#ffffff';
  return [
    `<g><title>${escaped(`${number}. ${title} (${state})`)}</title>`,
    `<rect x="${round(x)}" y="44" width="${round(CHIP - 6)}" height="34" rx="4" fill="${COLOURS[state]}"/>`,
    `<text x="${round(x + 8)}" y="65" fill="${text}" font-weight="bold">${number}. ${state}</text></g>`,
  ].join('');
}

function laneSvg(name: string, rows: number, y: number): string {
  return [
    `<rect x="0" y="${y}" width="${WIDTH}" height="${rows * ROW}" fill="#f5f5f5"/>`,
    `<text x="12" y="${y + 14}" fill="#212121">${escaped(name)}</text>`,
  ].join('');
}

function barSvg({ step, start, end }: Bar, x: (time: number) => number, y: number): string {
  const width = Math.max(3, x(end) - x(start));
  const length = step.durationMs === undefined ? '' : `, ${formatDuration(step.durationMs)}`;
  const label = width > step.title.length * 6.5 ? step.title : '';
  return [
    `<g><title>${escaped(`${step.title}: ${step.state}${length}${step.waitsFor ? `; waits for ${step.waitsFor}` : ''}`)}</title>`,
    `<rect x="${round(x(start))}" y="${y}" width="${round(width)}" height="${BAR}" rx="2" fill="${COLOURS[step.state]}"/>`,
    label
      ? `<text x="${round(x(start) + 4)}" y="${y + 11}" fill="#ffffff">${escaped(label)}</text>`
      : '',
    '</g>',
  ].join('');
}

function axis(from: number, to: number, x: (time: number) => number, y: number): string {
  const ticks = Array.from({ length: 7 }, (_, index) => from + ((to - from) * index) / 6);
  return ticks
    .map((time, index) => {
      const anchor = index === 0 ? 'start' : index === 6 ? 'end' : 'middle';
      const clock = new Date(time).toISOString().slice(11, 19);
      return `<text x="${round(x(time))}" y="${y + 18}" fill="#616161" text-anchor="${anchor}">${clock}</text>`;
    })
    .join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows none of them.
    .replace(/[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g, '')
    .replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

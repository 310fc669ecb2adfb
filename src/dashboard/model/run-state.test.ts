import { describe, expect, test } from 'vitest';
import type { AtollEvent, RecordedEvent } from '../../core/events.ts';
import { addBytes, addEvent, newRunState } from './run-state.ts';

const STAGES = [
  { id: 'images', title: 'Images' },
  { id: 'cluster', title: 'Cluster' },
];

const recorded = (events: readonly AtollEvent[]): RecordedEvent[] =>
  events.map((event, index) => ({
    ...event,
    seq: index + 1,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
  }));

const EVENTS = recorded([
  { type: 'run.started', run: '20260101T000000Z', site: 'north' },
  { type: 'step.started', step: 'images', title: 'Images', reason: 'not run before' },
  { type: 'task.started', task: 'copy', title: 'Mirroring images', totalItems: 2 },
  { type: 'blob.copied', digest: 'sha256:1', sizeBytes: 70 },
  { type: 'blob.mounted', digest: 'sha256:2', sizeBytes: 5, from: 'a' },
  { type: 'image.copied', source: 's', target: 't', digest: 'd', sizeBytes: 75, copiedBytes: 70 },
  { type: 'task.finished', task: 'copy', title: 'Mirroring images' },
  { type: 'warning.raised', message: 'no SSH key', hint: 'give one' },
  { type: 'step.finished', step: 'images', durationMs: 6000 },
  { type: 'step.started', step: 'own-step', title: 'Own step' },
  { type: 'step.failed', step: 'own-step', message: 'it broke', hint: 'mend it' },
  { type: 'run.finished', run: '20260101T000000Z', outcome: 'failed', durationMs: 11_000 },
]);

function folded(events: readonly RecordedEvent[]) {
  const state = newRunState(STAGES);
  for (const event of events) addEvent(state, event);
  return state;
}

describe('addEvent', () => {
  test('tells stages, tasks, content, images and remarks of a run', () => {
    expect(folded(EVENTS.slice(0, 4))).toMatchObject({
      outcome: 'running',
      tasks: [{ task: 'copy', totalItems: 2 }],
      stages: [{ id: 'images', state: 'running' }, { state: 'waiting' }],
    });
    expect(folded(EVENTS)).toMatchObject({
      run: '20260101T000000Z',
      outcome: 'failed',
      durationMs: 11_000,
      tasks: [],
      copied: { blobs: 1, bytes: 70 },
      mounted: { blobs: 1, bytes: 5 },
      images: [{ target: 't', outcome: 'copied', sizeBytes: 75 }],
      remarks: [{ kind: 'warning', message: 'no SSH key', hint: 'give one' }],
      stages: [
        { id: 'images', state: 'done', durationMs: 6000 },
        { id: 'cluster', state: 'not-run' },
        { id: 'own-step', state: 'failed', message: 'it broke', hint: 'mend it', durationMs: 1000 },
      ],
    });
  });

  test('takes an event once, so that streams may overlap', () => {
    const twice = folded([...EVENTS.slice(0, 8), ...EVENTS.slice(2)]);

    expect(twice).toEqual(folded(EVENTS));
  });

  test('forgets why a stage failed when it starts again', () => {
    const again: RecordedEvent = {
      type: 'step.started',
      step: 'own-step',
      title: 'Own step',
      seq: 99,
      at: '2026-01-01T00:01:00.000Z',
    };

    const stage = folded([...EVENTS, again]).stages.find(({ id }) => id === 'own-step');

    expect(stage).toEqual({
      id: 'own-step',
      title: 'Own step',
      state: 'running',
      startedAt: again.at,
      durationMs: 1000,
    });
  });
});

test('addBytes keeps the sum and widens its slots when there are too many', () => {
  const series = { startMs: 0, slotMs: 1000, values: [] as number[] };

  for (let second = 0; second < 5000; second += 1) addBytes(series, second * 1000, 3);

  expect(series.values.reduce((sum, value) => sum + value, 0)).toBe(15_000);
  expect(series.values.length).toBeLessThanOrEqual(240);
  expect(series.slotMs).toBe(32_000);
});

import { describe, expect, test } from 'vitest';
import { newRunState, type RunState } from './run-state.ts';
import { sentenceOf, type Usuals } from './sentence.ts';

const START = Date.UTC(2026, 0, 1);
const at = (ms: number) => new Date(START + ms).toISOString();
const USUALS: Usuals = {
  images: { ms: 60_000, from: 'runs' },
  cluster: { ms: 100_000, from: 'table' },
};

function running(change: Partial<RunState> = {}): RunState {
  const state = newRunState([
    { id: 'images', title: 'Images' },
    { id: 'cluster', title: 'Cluster' },
  ]);
  const [images, cluster] = state.stages;
  if (images) Object.assign(images, { state: 'running', startedAt: at(0) });
  return {
    ...state,
    seq: 5,
    startedAt: at(0),
    lastAt: at(20_000),
    ...change,
    stages: [images, cluster].flatMap((stage) => stage ?? []),
  };
}

describe('sentenceOf', () => {
  test('says where it is, that it moves, what is next and by when', () => {
    expect(sentenceOf(running(), USUALS, START + 25_000)).toEqual({
      kind: 'running',
      stage: 'images',
      elapsedMs: 25_000,
      usualMs: 60_000,
      silentMs: 5000,
      moves: true,
      next: 'cluster',
      dueMs: 35_000,
      restMs: 135_000,
    });
  });

  test('says that it is late, and that it has been silent', () => {
    expect(sentenceOf(running(), USUALS, START + 200_000)).toMatchObject({
      moves: false,
      silentMs: 180_000,
      dueMs: -140_000,
      restMs: 100_000,
    });
  });

  test('does not guess an end where a stage has no usual time', () => {
    expect(
      sentenceOf(running(), { images: USUALS.images ?? { ms: 1, from: 'table' } }, START),
    ).toMatchObject({
      restMs: undefined,
    });
  });

  test('says how a run ended', () => {
    const run = running();
    expect(sentenceOf(undefined, USUALS, START)).toEqual({ kind: 'nothing' });
    expect(sentenceOf({ ...run, outcome: 'interrupted' }, USUALS, START)).toEqual({
      kind: 'interrupted',
      stage: 'images',
    });
    const failed = running({ outcome: 'failed' });
    Object.assign(failed.stages[0] ?? {}, { state: 'failed', message: 'no route' });
    expect(sentenceOf(failed, USUALS, START)).toEqual({
      kind: 'failed',
      stage: 'images',
      message: 'no route',
    });
    const done = { ...run, outcome: 'succeeded' as const, durationMs: 7 };
    expect(sentenceOf(done, USUALS, START)).toEqual({ kind: 'succeeded', durationMs: 7, ran: 0 });
  });
});

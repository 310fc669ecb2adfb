import { expect, test } from 'vitest';
import { at, type KnownOf, stateWith, step } from '../../../test/support/made-steps.ts';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import type { Facts } from './facts.ts';
import type { StepState } from './state.ts';

const SOME_TIME = new Date(0);

const only = (row: Partial<BootstrapStep>, facts: Partial<Facts> | undefined, seen = {}) => {
  const { steps } = stateWith([step('a', row)], facts ? { a: facts } : {}, seen);
  return steps[0] as StepState;
};

const A = { id: 'a', title: 'Title of a', lane: 'System', limitMs: 600_000 };

test('stateOf tells of a step that is done when it began, when it ended and how long it took', () => {
  expect(only({}, { startedAt: at(1), finishedAt: at(4), note: 'an old error' })).toEqual({
    ...A,
    state: 'done',
    startedAt: at(1).toISOString(),
    endedAt: at(4).toISOString(),
    durationMs: 180_000,
  });
});

test('stateOf tells of a step that failed when that was, its last error and what it needed', () => {
  expect(only({}, { startedAt: at(1), failedAt: at(3), note: 'no route to host' })).toEqual({
    ...A,
    state: 'failed',
    startedAt: at(1).toISOString(),
    endedAt: at(3).toISOString(),
    durationMs: 120_000,
    waitsFor: 'what a needs',
    lastError: 'no route to host',
  });
});

test('stateOf tells of a step under way how long it has been, how often it was tried and what it needs', () => {
  const facts = { startedAt: at(25), loops: new Set([1, 2, 3]) };

  expect(only({}, facts)).toEqual({
    ...A,
    state: 'running',
    startedAt: at(25).toISOString(),
    durationMs: 300_000,
    waitsFor: 'what a needs',
    tries: 3,
  });
});

test('stateOf calls a step stuck once it took longer than its limit, and not before', () => {
  expect(only({}, { startedAt: at(20) })).toMatchObject({ state: 'running', durationMs: 600_000 });
  expect(only({}, { startedAt: at(19) })).toMatchObject({ state: 'stuck', durationMs: 660_000 });
});

test('stateOf gives no step a negative length, whatever the clocks said', () => {
  expect(only({}, { startedAt: at(5), finishedAt: at(4) }).durationMs).toBe(0);
});

test('stateOf shows no end where a line without a time told of it', () => {
  expect(only({}, { startedAt: at(1), finishedAt: SOME_TIME })).toEqual({
    ...A,
    state: 'done',
    startedAt: at(1).toISOString(),
  });
});

test('stateOf believes the later of an end and a failure', () => {
  expect(only({}, { finishedAt: at(3), failedAt: at(2) }).state).toBe('done');
  expect(only({}, { finishedAt: at(2), failedAt: at(2) }).state).toBe('done');
  expect(only({}, { finishedAt: at(2), failedAt: at(3) }).state).toBe('failed');
});

test('stateOf takes a step that is tried again after it failed for running', () => {
  const tried = (lastLoopAt: Date) =>
    only({}, { startedAt: at(25), failedAt: at(27), lastLoopAt }).state;

  expect(tried(at(28))).toBe('running');
  expect(tried(at(27))).toBe('failed');
  expect(tried(at(26))).toBe('failed');
});

test('stateOf calls a step failed whose service is gone, whatever else is known of it', () => {
  expect(only({}, { finishedAt: at(3), serviceFailed: true })).toEqual({
    ...A,
    state: 'failed',
    waitsFor: 'what a needs',
  });
});

test('stateOf marks a tolerated failure, and lets nothing wait for it', () => {
  const steps = [step('a', { tolerated: true }), step('b')];

  const state = stateWith(steps, { a: { failedAt: at(1) }, b: { startedAt: at(29) } });

  expect(state).toMatchObject({ verdict: 'running', current: 'b' });
  expect(state.steps[0]).toMatchObject({ state: 'failed', tolerated: true });
  expect(only({ tolerated: true }, { finishedAt: at(1) })).not.toHaveProperty('tolerated');
});

test('stateOf says that nothing is known only where nothing was seen', () => {
  const nothing = stateWith([step('a')], { a: { evidence: false } });

  expect(nothing).toEqual({
    at: at(30).toISOString(),
    verdict: 'unknown',
    abstract: expect.any(Array),
    steps: [{ ...A, state: 'waiting', waitsFor: 'what a needs' }],
  });
  expect(stateWith([step('a'), step('b')], { b: {} }).verdict).toBe('running');
});

test('stateOf names the first step that holds up the others, before any that is still running', () => {
  const steps = [step('a'), step('b'), step('c')];
  const running = { startedAt: at(29) };

  expect(stateWith(steps, { a: running, b: { failedAt: at(2) } })).toMatchObject({
    verdict: 'failed',
    current: 'b',
  });
  expect(stateWith(steps, { c: { startedAt: at(1) } })).toMatchObject({
    verdict: 'stuck',
    current: 'c',
  });
  expect(stateWith(steps, { b: running })).toMatchObject({ verdict: 'running', current: 'b' });
});

test('stateOf calls the bootstrap complete with the step that completes it, and not before', () => {
  const steps = [step('a'), step('b', { completes: true }), step('c')];
  const done = { finishedAt: at(2) };

  expect(stateWith(steps, { a: done })).toMatchObject({ verdict: 'running' });
  expect(stateWith(steps, { b: done })).toMatchObject({ verdict: 'complete' });
  expect(stateWith(steps, { b: { startedAt: at(29) } }).verdict).toBe('running');
  expect(stateWith(steps, { b: done, c: { failedAt: at(9) } }).verdict).toBe('failed');
});

test('stateOf has a step wait for the one that began with it, however long that takes', () => {
  const steps = [step('gate', { startsWith: 'a' }), step('a', { limitMinutes: 1 })];
  const started = { startedAt: at(5) };

  expect(stateWith(steps, { a: started }).steps[1]).toMatchObject({
    state: 'running',
    waitsFor: 'Title of gate',
  });
  expect(stateWith(steps, { gate: { finishedAt: at(6) }, a: started }).steps[1]).toMatchObject({
    state: 'stuck',
    waitsFor: 'what a needs',
  });
});

test('stateOf has a step begin where the one before it ended, when nothing else says so', () => {
  const steps = [step('a'), step('b', { startsAfter: 'a' })];
  const second = (facts: KnownOf) => stateWith(steps, facts).steps[1];

  expect(second({ a: { finishedAt: at(25) } })).toMatchObject({
    state: 'running',
    startedAt: at(25).toISOString(),
  });
  expect(second({ a: { finishedAt: at(25) }, b: { startedAt: at(27) } })).toMatchObject({
    startedAt: at(27).toISOString(),
  });
  expect(second({ a: { finishedAt: SOME_TIME } })).toMatchObject({ state: 'waiting' });
  expect(second({ a: { startedAt: at(25) } })).toMatchObject({ state: 'waiting' });
});

test('stateOf says nothing of a step whose logs are often not there, until there is a sign of it', () => {
  expect(only({ oftenUnseen: true }, undefined)).toEqual({ ...A, state: 'unseen' });
  expect(only({ oftenUnseen: true }, { startedAt: at(29) }).state).toBe('running');
});

test('stateOf says nothing of what only the installer sees, until its log was read', () => {
  const row = { seenByInstaller: true } as const;

  expect(only(row, undefined, { installerSeen: false }).state).toBe('unseen');
  expect(only(row, undefined, { installerSeen: true }).state).toBe('waiting');
  expect(only({}, undefined, { installerSeen: false }).state).toBe('waiting');
});

test('stateOf names the pods that are not ready yet as what is waited for', () => {
  const pods = new Map([
    ['ns/one', { state: 'Pending', at: 1 }],
    ['ns/two', { state: 'Ready', at: 1 }],
    ['ns/three', { state: 'RunningNotReady', at: 1 }],
  ]);

  expect(only({}, { startedAt: at(29), pods }).waitsFor).toBe(
    'ns/one (Pending), ns/three (RunningNotReady)',
  );
  const ready = new Map([['ns/two', { state: 'Ready', at: 1 }]]);
  expect(only({}, { startedAt: at(29), pods: ready }).waitsFor).toBe('what a needs');
});

/** The first of the ten abstract steps, of these real ones. */
const firstPart = (facts: KnownOf, rows: readonly Partial<BootstrapStep>[] = [{}, {}]) => {
  const steps = rows.map((row, index) =>
    step(index === 0 ? 'a' : `a${index}`, { part: 1, ...row }),
  );
  return stateWith(steps, facts).abstract[0];
};

test('stateOf spans an abstract step from the first beginning to the last end of its parts', () => {
  expect(
    firstPart({
      a: { startedAt: at(4), finishedAt: at(9) },
      a1: { startedAt: at(2), finishedAt: at(5) },
    }),
  ).toEqual({
    number: 1,
    title: expect.stringContaining('bootstrap machine'),
    state: 'done',
    startedAt: at(2).toISOString(),
    durationMs: 420_000,
  });
});

test('stateOf gives an abstract step no length that is not known', () => {
  expect(firstPart({ a: { startedAt: at(29) } }, [{}])).not.toHaveProperty('durationMs');
  expect(firstPart({ a: { finishedAt: at(9) } }, [{}])).toEqual({
    number: 1,
    title: expect.any(String),
    state: 'done',
  });
  expect(firstPart({ a: { startedAt: at(9), finishedAt: at(9) } }, [{}])).toMatchObject({
    durationMs: 0,
  });
  expect(firstPart({ a: { startedAt: at(9), finishedAt: at(2) } }, [{}])).not.toHaveProperty(
    'durationMs',
  );
});

const running = { startedAt: at(29) };
const done = { finishedAt: at(3) };

test.each<[string, string, KnownOf]>([
  [
    'failed',
    'one failed, though another is stuck',
    { a: { failedAt: at(2) }, a1: { startedAt: at(1) } },
  ],
  ['stuck', 'one is stuck, though another runs', { a: { startedAt: at(1) }, a1: running }],
  ['running', 'one runs', { a: done, a1: running }],
  ['running', 'one is done and another waits', { a: done }],
  ['waiting', 'all wait', {}],
  ['done', 'all are done', { a: done, a1: done }],
])('stateOf calls an abstract step %s where %s', (state, _, facts) => {
  expect(firstPart(facts, [{ parallel: true }, { parallel: true }])?.state).toBe(state);
});

test('stateOf counts a tolerated failure in no abstract step, and has nothing to say of one without parts', () => {
  const rows = [{ parallel: true }, { parallel: true, tolerated: true }] as const;

  expect(firstPart({ a: done, a1: { failedAt: at(2) } }, rows)?.state).toBe('done');
  expect(stateWith([step('a')], { a: done }).abstract).toHaveLength(10);
  expect(stateWith([step('a')], { a: done }).abstract[9]).toEqual({
    number: 10,
    title: expect.any(String),
    state: 'unseen',
  });
});

test('stateOf tells what holds up everything and is of no abstract step with the one under way', () => {
  const steps = [step('a', { part: 1 }), step('b', { part: 2 }), step('stray', { parallel: true })];
  const states = (stray: Partial<Facts>) =>
    stateWith(steps, { a: done, b: running, stray })
      .abstract.slice(0, 3)
      .map(({ state }) => state);

  expect(states({ failedAt: at(2) })).toEqual(['done', 'failed', 'unseen']);
  expect(states(done)).toEqual(['done', 'running', 'unseen']);
});

import { expect, test } from 'vitest';
import { at, type KnownOf, stateWith, step } from '../../../test/support/made-steps.ts';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import type { Facts } from './facts.ts';

const SOME_TIME = new Date(0);

test('stateOf takes a step for done when one after it has begun or is done', () => {
  const steps = [step('a'), step('b')];
  const implied = { state: 'done', implied: true };

  expect(stateWith(steps, { b: { startedAt: at(29) } }).steps[0]).toMatchObject(implied);
  expect(stateWith(steps, { b: { finishedAt: at(29) } }).steps[0]).toMatchObject(implied);
  expect(stateWith(steps, { b: {} }).steps[0]).toMatchObject({ state: 'waiting' });
  expect(stateWith(steps, { a: { startedAt: at(1) } }).steps[1]).toMatchObject({
    state: 'waiting',
  });
});

const erring = { startedAt: at(1), noteAt: at(25), note: 'i/o timeout' };

test('stateOf takes no step for done whose own errors go on after what follows it', () => {
  const steps = [step('a'), step('b')];
  const first = (facts: KnownOf) => stateWith(steps, facts).steps[0];
  const b = { startedAt: at(2), finishedAt: at(3) };

  expect(first({ a: erring, b })).toMatchObject({ state: 'stuck', lastError: 'i/o timeout' });
  expect(first({ a: { startedAt: at(1), lastLoopAt: at(25) }, b })?.state).toBe('stuck');
  expect(first({ a: erring, b: { ...b, finishedAt: at(25) } })?.state).toBe('done');
  expect(first({ a: erring, b: { startedAt: at(26) } })?.state).toBe('done');
  expect(first({ a: erring, b: { finishedAt: SOME_TIME } })?.state).toBe('done');
});

test('stateOf takes no step for done that comes after one which is not', () => {
  const steps = [step('a'), step('between'), step('b')];
  const between = (a: Partial<Facts>, row: Partial<BootstrapStep> = {}) =>
    stateWith([{ ...step('a'), ...row }, ...steps.slice(1)], { a, b: { finishedAt: at(3) } })
      .steps[1]?.state;

  expect(between(erring)).toBe('waiting');
  expect(between({ failedAt: at(25) })).toBe('waiting');
  expect(between({ serviceFailed: true })).toBe('waiting');
  expect(between({ failedAt: at(2), serviceFailed: true })).toBe('done');
  expect(between({ ...erring, finishedAt: at(2) })).toBe('done');
  expect(between(erring, { parallel: true })).toBe('done');
  expect(between(erring, { tolerated: true })).toBe('done');
});

test('stateOf infers nothing from a step that goes on beside the others', () => {
  const steps = [step('a'), step('b', { parallel: true })];

  expect(stateWith(steps, { b: { finishedAt: at(29) } }).steps[0]?.state).toBe('waiting');
});

test('stateOf infers nothing from the beginning of the step another one begins with', () => {
  const steps = [step('a', { startsWith: 'b' }), step('b')];

  expect(stateWith(steps, { b: { startedAt: at(25) } }).steps[0]).toMatchObject({
    state: 'running',
    startedAt: at(25).toISOString(),
  });
  expect(stateWith(steps, { b: { finishedAt: at(25) } }).steps[0]).toMatchObject({
    state: 'done',
    implied: true,
  });
});

test('stateOf infers from cluster-bootstrap only that it ended: it begins with what it waits for', () => {
  const steps = [step('a'), step('cb-bootstrap')];

  expect(stateWith(steps, { 'cb-bootstrap': { startedAt: at(25) } }).steps[0]?.state).toBe(
    'waiting',
  );
  expect(stateWith(steps, { 'cb-bootstrap': { finishedAt: at(25) } }).steps[0]?.state).toBe('done');
});
